import Testing

@testable import Conformance
@testable import Domain
@testable import Messaging

@Suite("The conformance suite for workers")
struct WorkerSuiteTests {
  private typealias Fault = FaultyWorker.Fault

  /// Plays it to the end, without a network between them.
  ///
  /// - Returns: what came out, and how long it took.
  private func play(_ fault: Fault?, hasProcess: Bool = true) -> (report: ConformanceReport, ms: Int64) {
    var run = ConformanceRun<WorkerSuite>(hasProcess: hasProcess)
    var worker = FaultyWorker(fault)
    for nowMs: Int64 in stride(from: 0, through: 120_000, by: 10) {
      for message in worker.tick(nowMs: nowMs) { run.receive(message, nowMs: nowMs) }
      run.tick(nowMs: nowMs)
      while case let effects = run.takeEffects(), !effects.isEmpty {
        for effect in effects {
          for message in worker.receive(effect, nowMs: nowMs) { run.receive(message, nowMs: nowMs) }
        }
      }
      if let exit = worker.exit, worker.isGone { run.processExited(exit, nowMs: nowMs) }
      if run.isOver { return (run.report, nowMs) }
    }
    return (run.report, .max)
  }

  @Test("Our own worker keeps every rule, and half a minute shows it", arguments: [false, true])
  func whole(hasProcess: Bool) {
    let (report, ms) = play(nil, hasProcess: hasProcess)
    #expect(report.isWhole, "\(report.findings.filter { $0.verdict != .holds })")
    #expect(report.findings.count == WorkerRule.allCases.count - (hasProcess ? 0 : 1))
    #expect(ms < 30_000)
  }

  /// Which rules each fault breaks: these, and no others.
  private static let faults: [(Fault, Set<WorkerRule>)] = [
    (.longFrame, [.frame]), (.speaksFirst, [.helloFirst]), (.shortInstance, [.hello]),
    (.oneHello, [.helloRepeated, .busy]), (.newInstance, [.instance]), (.deafToBusy, [.busy]),
    (.deafToVersion, [.unsupportedVersion]), (.noCredit, [.ready]), (.window65, [.window]),
    (.formerSession, [.session, .resultsAgain]), (.unanswered, [.answer]), (.invented, [.ownLease, .heartbeatHeld]),
    (.noOutcome, [.outcome]),
    (.answersCopies, [.repeatedJob]), (.countsOnce, [.creditForCopies]), (.oneLeaseAJob, [.newLease]),
    (.noDetail, [.lookup]), (.guesses, [.malformedJob]), (.diesOfField, [.unknownField]), (.noResend, [.resend]),
    (.forgetsRetryLater, [.retryLater]), (.forgetsUnknown, [.unknownDisposition]), (.forgetsNothing, [.acknowledged]),
    (.noHeartbeat, [.heartbeat]), (.ownHeartbeat, [.heartbeat]), (.nothingHeld, [.heartbeatHeld]),
    (.otherLimit, [.heartbeatCredit]), (.fallingProgress, [.progress]), (.deafToReset, [.reset]),
    (.emptyHello, [.helloHeld]), (.forgetsAtReset, [.helloHeld, .resultsAgain]),
    (.anySession, [.otherSession, .helloOnlyWhenDue]),
    (.diesOfGarbage, [.malformedFrame]), (.diesOfBody, [.laterMinor]), (.anyMajor, [.otherMajor]),
    (.deafToDrain, [.drain]), (.deafToSilence, [.silence]), (.impatient, [.silence]), (.oneConnection, [.reconnect]),
    (.secondHello, [.helloOnlyWhenDue]), (.noGoodbye, [.goodbye]), (.lasting, [.goodbye]),
    (.countsTwoOfThree, [.creditForCopies]), (.answersWhatItKeeps, [.repeatedJob]), (.onlyTimer, [.resultsAgain]),
  ]

  @Test("Each fault is found under the rule that it breaks, and within a minute", arguments: Fault.allCases)
  func found(fault: FaultyWorker.Fault) throws {
    let wanted = try #require(WorkerSuiteTests.faults.first { $0.0 == fault }).1
    let (report, ms) = play(fault)
    #expect(!report.isWhole)
    #expect(
      report.brokenRules == Set(wanted.map(\.rawValue)), "\(report.findings.filter { $0.verdict != .holds })")
    #expect(ms < 60_000)
  }

  @Test("There is a fault for every rule")
  func complete() {
    let broken = WorkerSuiteTests.faults.reduce(into: Set<WorkerRule>()) { $0.formUnion($1.1) }
    #expect(broken == Set(WorkerRule.allCases))
    #expect(Set(WorkerRule.allCases.map(\.rule.says)).count == WorkerRule.allCases.count)
  }

  @Test("Where no worker comes, nothing is shown, and the wait is over in time")
  func nobody() {
    var run = ConformanceRun<WorkerSuite>()
    run.tick(nowMs: 0)
    run.tick(nowMs: 4_999)
    #expect(!run.isOver)
    run.tick(nowMs: 5_000)
    #expect(run.isOver && run.takeEffects().isEmpty)
    #expect(run.report.findings.allSatisfy { $0.verdict == .notShown(why: "no worker came") })
  }

  @Test("A worker that falls silent is not waited for longer than ten seconds")
  func gone() {
    var run = ConformanceRun<WorkerSuite>()
    run.receive(.init(connection: 1, session: 0, byteCount: 1, body: .unreadable("nothing")), nowMs: 0)
    run.tick(nowMs: Limits.conformanceIdleMs)
    #expect(!run.isOver)
    run.tick(nowMs: Limits.conformanceIdleMs + 1)
    #expect(run.isOver)
  }

  @Test("A flood ends the run at its limit, and is told of")
  func flood() {
    var run = ConformanceRun<WorkerSuite>()
    for _ in 1..<Limits.conformanceFramesMax {
      run.receive(.init(connection: 1, session: 0, byteCount: 1, body: .ready(jobLimit: 1)), nowMs: 1)
    }
    #expect(!run.isOver)
    run.receive(.init(connection: 1, session: 0, byteCount: 1, body: .ready(jobLimit: 1)), nowMs: 1)
    #expect(run.isOver && run.report.brokenRules.contains("frame"))
  }

  @Test("A frame may have 1,024 bytes, and no more")
  func long() {
    for (bytes, isBroken) in [(Limits.conformanceFrameBytesMax, false), (Limits.conformanceFrameBytesMax + 1, true)] {
      var run = ConformanceRun<WorkerSuite>()
      run.receive(.init(connection: 1, session: 0, byteCount: bytes, body: .ready(jobLimit: 1)), nowMs: 1)
      #expect(run.report.brokenRules.contains("frame") == isBroken)
    }
  }
}

extension ConformanceRun<WorkerSuite> {
  fileprivate init(hasProcess: Bool = false) {
    self.init(WorkerSuite(RunContext(waitMs: 5_000, hasProcess: hasProcess, nowMs: 0), query: "Oslo"))
  }
}
