/// The engine of a conformance run: plays the steps of a suite, and collects the verdicts. A pure state machine:
/// messages and times are inputs, and effects are outputs. Times are milliseconds of a monotonic clock.
struct ConformanceRun<Suite: ConformanceSuite>: Sendable {
  private(set) var suite: Suite
  /// Index of the current step.
  private var index = 0

  init(_ suite: Suite) { self.suite = suite }

  /// True once all steps are over.
  var isOver: Bool { index >= Suite.steps.count }

  /// The report so far, which is complete once `isOver` is true.
  var report: ConformanceReport {
    let exitReason = suite.exit.map { "the \(Suite.program)'s process ended, \($0.words)" }
    let defaultReason =
      exitReason
      ?? (suite.hasReceivedMessage ? "the \(Suite.program) did not reach this step" : "no \(Suite.program) connected")
    return ConformanceReport(
      findings: suite.rules.map { rule in
        let verdict = suite.context.verdicts[rule] ?? .inconclusive(reason: suite.reason(for: rule) ?? defaultReason)
        return ConformanceReport.Finding(rule: rule.rule, verdict: verdict)
      })
  }

  mutating func receive(_ message: Suite.ReceivedMessage, nowMs: Int64) {
    suite.context.nowMs = nowMs
    guard !isOver else { return }
    suite.receive(message)
    advance()
  }

  /// Does the work that is due. Call this every 50 ms or so.
  mutating func tick(nowMs: Int64) {
    suite.context.nowMs = nowMs
    guard !isOver else { return }
    suite.tick()
    advance()
  }

  /// Records the end of the program's process, and ends the run. A step that has caused the end continues instead.
  ///
  /// - Parameter code: Exit code, or a signal's number, negative.
  mutating func processExited(_ code: Int32, nowMs: Int64) {
    suite.context.nowMs = nowMs
    guard !isOver, suite.exit == nil else { return }
    suite.context.exit = ProcessExit(code: code, atMs: nowMs)
    let step = Suite.steps[index]
    // The last messages of the process may still be in transit.
    if step.needsProcess { return }
    let isJudged = suite.judges(step)
    suite.context.stop(judging: isJudged)
    finish()
  }

  /// Returns the effects to perform now, each once.
  mutating func takeEffects() -> [ConformanceEffect<Suite.Stimulus>] {
    defer { suite.context.effects = [] }
    return suite.context.effects
  }

  private mutating func advance() {
    while !isOver {
      if suite.context.isStopped { return finish() }
      let step = Suite.steps[index]
      if suite.context.begunMs == nil {
        switch step.needsProcess && !suite.context.hasProcess ? .impossible : step.start(suite) {
        case .waiting: return
        case .impossible:
          endStep()
          continue
        case .ready:
          suite.context.begunMs = suite.nowMs
          suite.stepBegan()
          step.begin(&suite)
        }
      }
      guard step.isDone(suite) || suite.elapsedMs >= step.deadlineMs(suite) else { return }
      if suite.hasDisconnected { return finish() }
      step.judge(&suite)
      if suite.context.isStopped { return finish() }
      suite.stepEnded()
      endStep()
    }
  }

  private mutating func endStep() {
    index += 1
    (suite.context.begunMs, suite.context.readyMs) = (nil, suite.nowMs)
    if isOver { suite.judgeRun() }
  }

  private mutating func finish() {
    if suite.context.judgesLastStep, suite.context.begunMs != nil { Suite.steps[index].judge(&suite) }
    index = Suite.steps.count
    suite.judgeRun()
  }
}
