/// A step of a suite: the stimuli, the awaited reaction, the deadline, and the rules to judge at the end of the step.
struct ConformanceStep<Suite: ConformanceSuite>: Sendable {
  /// Readiness of a step to start.
  enum Start { case ready, waiting, impossible }

  /// Checks the precondition of the step. The run skips an impossible step.
  var start: @Sendable (Suite) -> Start = { _ in .ready }
  /// True for a step that ends the program's process. The run skips it without a process.
  var needsProcess = false
  /// Deadline after the start of the step, in milliseconds. Nil means the timeout of the first message.
  let limitMs: Int64?
  /// Time for the program's own work, which extends the deadline, in milliseconds.
  var workMs: @Sendable (Suite) -> Int64 = { _ in 0 }
  /// Sends the stimuli.
  var begin: @Sendable (inout Suite) -> Void = { _ in }
  /// Returns true once the awaited reaction has arrived.
  let isDone: @Sendable (Suite) -> Bool
  /// Judges rules after the reaction or the deadline.
  var judge: @Sendable (inout Suite) -> Void = { _ in }

  /// Returns the deadline after the start of the step, in milliseconds.
  func deadlineMs(_ suite: Suite) -> Int64 {
    guard let limitMs else { return suite.context.waitMs }
    return limitMs + workMs(suite)
  }
}
