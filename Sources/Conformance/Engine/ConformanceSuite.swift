/// The rules, steps and state of a run for one kind of program. A suite plays the other end of the program's link. It
/// is pure: the run supplies the time, and performs the suite's effects.
protocol ConformanceSuite: Sendable {
  associatedtype Rule: ConformanceRule
  associatedtype ReceivedMessage: Sendable
  associatedtype Stimulus: Sendable

  /// Name of the kind of program: "worker".
  static var program: String { get }
  static var steps: [ConformanceStep<Self>] { get }

  var context: RunContext<Rule, Stimulus> { get set }
  /// True once a message has arrived.
  var hasReceivedMessage: Bool { get }
  /// Name of the program, for people. Nil until it is known.
  var name: String? { get }
  /// Rules that this run can judge, in the order of the report.
  var rules: [Rule] { get }
  /// True if the program disconnected before the current step began. The run then ends without judging the step.
  var hasDisconnected: Bool { get }
  /// Stimuli to send if the run is aborted.
  var abortStimuli: [Stimulus] { get }

  mutating func receive(_ message: ReceivedMessage)
  /// Does the work that is due at `context.nowMs`.
  mutating func tick()
  mutating func stepBegan()
  mutating func stepEnded()
  /// Judges the rules that need the complete run.
  mutating func judgeRun()
  /// Returns true if the run still judges a step that the end of the process has interrupted.
  mutating func judges(_ interrupted: ConformanceStep<Self>) -> Bool
  /// Returns the reason why a rule was not judged. Nil for the run's default reason.
  func reason(for unjudged: Rule) -> String?

  /// Returns the message for a list that the program has printed. Nil to ignore the list.
  static func message(_ printed: PrintedList) -> ReceivedMessage?
  /// Returns true if evidence against a rule must also name the end of the process.
  static func namesExit(_ rule: Rule) -> Bool
}

extension ConformanceSuite {
  var rules: [Rule] { Array(Rule.allCases) }
  var hasDisconnected: Bool { false }
  var abortStimuli: [Stimulus] { [] }

  mutating func stepBegan() {}
  mutating func stepEnded() {}
  mutating func judges(_ interrupted: ConformanceStep<Self>) -> Bool { true }
  func reason(for unjudged: Rule) -> String? { nil }

  static func message(_ printed: PrintedList) -> ReceivedMessage? { nil }
  static func namesExit(_ rule: Rule) -> Bool { true }
}

// Members for the suites' steps.
extension ConformanceSuite {
  var nowMs: Int64 { context.nowMs }
  var exit: ProcessExit? { context.exit }
  /// Time of the start of the current step.
  var begunMs: Int64 { context.begunMs ?? context.nowMs }
  /// Time since the start of the current step, in milliseconds.
  var elapsedMs: Int64 { nowMs - begunMs }

  mutating func send(_ stimulus: Stimulus) { context.effects.append(.send(stimulus)) }

  /// Judges a rule.
  ///
  /// - Parameter evidence: The evidence against the rule. Nil if the rule holds.
  mutating func judge(_ rule: Rule, _ evidence: String?) {
    let end = Self.namesExit(rule) ? exit.map { "; the process had ended, \($0.words)" } : nil
    context.record(evidence.map { .fail(observed: $0 + (end ?? "")) } ?? .pass, for: rule)
  }

  /// Records why a rule cannot be judged, unless it has a verdict.
  mutating func leaveOpen(_ rule: Rule, _ why: String) {
    if context.verdicts[rule] == nil { context.record(.inconclusive(reason: why), for: rule) }
  }
}
