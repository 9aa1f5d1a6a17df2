/// Limits of a conformance run.
extension Limits {
  /// Heartbeats that an examined worker is told to keep: not ingest's, so that one who keeps his own is found.
  package static let examHeartbeatMs: Int64 = 1_000
  /// Silence after which an examined worker is to take the other end for dead: three such heartbeats.
  package static let examLivenessMs: Int64 = heartbeatsPerLiveness * examHeartbeatMs
  /// Frames that an examined worker is told to keep to: sixteen places fit only in several.
  package static let examFrameBytesMax = jobFrameBytesMin
  /// Frames that are read of an examined worker: it has to say some 200.
  package static let examFramesMax = 10_000
  /// Silence after which nothing more is expected of an examined worker: each step waits for less.
  package static let examGoneMs: Int64 = 10_000
  /// A line that a subscriber under examination prints; a longer one is not kept. The longest list of a hundred fits.
  package static let examLineBytesMax = 1_048_576
  /// How many seconds an exam may wait for the worker to come.
  package static let examWaitSecondsRange = 1...600
  /// Tolerance for a message that was on its way when the message that it should have obeyed was sent, in milliseconds.
  package static let crossingMs: Int64 = 500
  /// Pause between two ticks of a run, in milliseconds: changes at a busy feed come as often.
  package static let runTickMs: Int64 = 20
}
