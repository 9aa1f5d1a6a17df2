/// The state of a run that every suite has: time, process, verdicts and effects. Times are milliseconds of a monotonic
/// clock.
struct RunContext<Rule: ConformanceRule, Stimulus: Sendable>: Sendable {
  /// Timeout for the program's first message, in milliseconds.
  let waitMs: Int64
  /// True if the program is a child process.
  let hasProcess: Bool
  var nowMs: Int64
  /// Earliest time at which the current step could begin.
  var readyMs: Int64
  /// Time of the start of the current step. Nil while it waits for its precondition.
  var begunMs: Int64?
  /// The end of the program's process. Nil while it runs.
  var exit: ProcessExit?
  var effects: [ConformanceEffect<Stimulus>] = []
  private(set) var verdicts: [Rule: ConformanceReport.Verdict] = [:]
  private(set) var isStopped = false
  private(set) var judgesLastStep = false

  init(waitMs: Int64, hasProcess: Bool, nowMs: Int64) {
    self.waitMs = waitMs
    self.hasProcess = hasProcess
    self.nowMs = nowMs
    readyMs = nowMs
  }

  /// Records a verdict. A rule that has failed stays failed.
  mutating func record(_ verdict: ConformanceReport.Verdict, for rule: Rule) {
    if case .fail? = verdicts[rule] { return }
    verdicts[rule] = verdict
  }

  /// Ends the run before its last step.
  ///
  /// - Parameter judging: True to judge the current step first.
  mutating func stop(judging: Bool = false) { (isStopped, judgesLastStep) = (true, judging) }
}

/// An effect of a run. `ConformanceSocket` performs it.
enum ConformanceEffect<Stimulus: Sendable>: Sendable {
  case send(Stimulus)
  /// Sends SIGTERM to the program's process.
  case terminate
  /// Stops listening at the link's address, and ends all connections to it.
  case closePort
  /// Listens at the link's address again.
  case openPort
}

extension ConformanceEffect: Equatable where Stimulus: Equatable {}

/// The end of a process.
struct ProcessExit: Sendable {
  /// Exit code, or a signal's number, negative.
  let code: Int32
  let atMs: Int64

  /// The end as text: "with exit code 1" or "by signal 9".
  var words: String { code < 0 ? "by signal \(-code)" : "with exit code \(code)" }
}
