/// What ingest says to a worker.
package enum IngestSpeech: Sendable {
  /// Why a session is over.
  package enum ResetReason: Sendable {
    /// After a restart of ingest, or a silence.
    case unknownSession
    /// The same process said HELLO on another connection.
    case replaced
    /// The worker said goodbye.
    case goodbye
  }

  /// A session begins.
  case welcome
  case jobs([Dispatch.Assignment])
  /// What became of results.
  case acks([(lease: Lease, disposition: Disposition)])
  /// With all jobs that the session was sent.
  case heartbeat(jobsSent: UInt64)
  case reset(ResetReason)
  /// There are `Limits.sessionsMax` workers.
  case busy
  /// Ingest ends.
  case drain
}
