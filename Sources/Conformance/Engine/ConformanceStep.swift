/// A step of a suite: the stimuli, the awaited reaction, the deadline, and the rules that are judged at the end.
struct ConformanceStep<Suite: ConformanceSuite>: Sendable {
  /// The answer to whether a step can begin.
  enum Start { case ready, waiting, impossible }

  /// Checks the step's precondition. The run skips a step that cannot begin.
  var start: @Sendable (Suite) -> Start = { _ in .ready }
  /// True for a step that ends the program's process. The run skips it without a process.
  var needsProcess = false
  /// Deadline after the step's begin, in milliseconds. Nil for the timeout of the first message.
  let limitMs: Int64?
  /// Sends the stimuli.
  var begin: @Sendable (inout Suite) -> Void = { _ in }
  /// True once the awaited reaction has come.
  let isDone: @Sendable (Suite) -> Bool
  /// Judges rules, after the reaction or the deadline.
  var judge: @Sendable (inout Suite) -> Void = { _ in }
}
