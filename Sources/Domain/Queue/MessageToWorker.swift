/// A message from ingest to a worker.
package enum MessageToWorker: Sendable {
  /// Reason for the end of a session.
  package enum ResetReason: Sendable {
    /// Ingest does not know the session, because ingest has restarted or the worker was silent.
    case unknownSession
    /// The same process has sent HELLO on another connection.
    case replaced
    /// The worker has sent its goodbye.
    case goodbye
  }

  /// The reply to HELLO: a session begins.
  case welcome
  /// Jobs with their leases.
  case jobs([JobScheduler.Assignment])
  /// Acknowledgements of results.
  case acks([(lease: Lease, disposition: Disposition)])
  /// A heartbeat with the number of all jobs that ingest has sent in this session.
  case heartbeat(jobsSent: UInt64)
  /// The end of a session. A worker that does not shut down sends HELLO again.
  case reset(ResetReason)
  /// A refusal of HELLO: ingest has `Limits.sessionsMax` sessions.
  case busy
  /// A notice that ingest shuts down.
  case drain
}
