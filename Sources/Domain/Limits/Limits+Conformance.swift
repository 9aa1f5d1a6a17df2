/// Limits of a conformance run.
extension Limits {
  /// Heartbeats that an examined worker has to keep: another time than ingest's, so that a worker that ignores it is
  /// found.
  package static let conformanceHeartbeatMs: Int64 = 1_000
  /// Silence after which an examined worker has to take the other end as dead: three such heartbeats.
  package static let conformanceLivenessMs: Int64 = heartbeatsPerLiveness * conformanceHeartbeatMs
  /// Size of the frames that an examined worker has to keep: sixteen places fit only in several.
  package static let conformanceFrameBytesMax = jobFrameBytesMin
  /// Frames of an examined worker that are read: it sends some 200.
  package static let conformanceFramesMax = 10_000
  /// Silence after which nothing more is expected of an examined worker: each step waits for less.
  package static let conformanceIdleMs: Int64 = 10_000
  /// Size of a line that an examined subscriber prints; longer ones are dropped. The longest list of a hundred fits.
  package static let conformanceLineBytesMax = 1_048_576
  /// Range of `conform --wait`, in seconds.
  package static let conformanceWaitSecondsRange = 1...600
  /// Tolerance for a message that was on its way when the message that it should have obeyed was sent, in milliseconds.
  package static let inFlightToleranceMs: Int64 = 500
  /// Pause between two ticks of a run, in milliseconds: changes at a busy feed come as often.
  package static let runTickMs: Int64 = 20
}
