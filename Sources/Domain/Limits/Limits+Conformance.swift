/// Limits of a conformance run.
extension Limits {
  /// Heartbeat interval that a worker under test has to keep, in milliseconds. It differs from ingest's usual interval,
  /// to find a worker that ignores the interval in Welcome.
  package static let conformanceHeartbeatMs: Int64 = 1_000
  /// Liveness timeout for a worker under test, in milliseconds: three of its heartbeat intervals.
  package static let conformanceLivenessMs: Int64 = heartbeatsPerLiveness * conformanceHeartbeatMs
  /// Maximum size of frames that a worker under test has to keep, in bytes. The results of sixteen jobs fit only in
  /// several frames.
  package static let conformanceFrameBytesMax = jobFrameBytesMin
  /// Maximum number of frames that the run reads from a worker under test, which sends about 200.
  package static let conformanceFramesMax = 10_000
  /// Silence of a worker under test after which the run stops waiting, in milliseconds. It is longer than the liveness
  /// timeout, because a worker sends heartbeats even while it works.
  package static let conformanceIdleMs: Int64 = 10_000
  /// Longest time that a worker under test may need for a job, in milliseconds: the duration of a lease. Without a
  /// result for the first job, the run judges no rule that needs a result.
  package static let conformanceJobMsMax = leaseMs
  /// Maximum size of a line that a subscriber under test prints, in bytes. Longer lines are dropped. The longest list
  /// of a hundred entries fits.
  package static let conformanceLineBytesMax = 1_048_576
  /// Range of `conformance --connect-timeout`, in seconds.
  package static let conformanceConnectTimeoutSecondsRange = 1...600
  /// Time after a message for which the program under test may still send what that message forbids, in milliseconds.
  /// Its own message may have been in flight.
  package static let inFlightToleranceMs: Int64 = 500
  /// Pause between two ticks of a run, in milliseconds. A busy feed sends changes at this interval.
  package static let runTickMs: Int64 = 20
}
