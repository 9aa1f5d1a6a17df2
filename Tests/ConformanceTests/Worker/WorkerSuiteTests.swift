import Testing

@testable import Conformance
@testable import Domain
@testable import Messaging

@Suite("Conformance suite for workers")
struct WorkerSuiteTests {
  private typealias Fault = FaultyWorker.Fault

  /// Runs the suite against a worker to the end, without a network.
  ///
  /// - Returns: the report, and the duration in milliseconds.
  private func play(
    _ fault: Fault?, hasProcess: Bool = true, jobMs: Int64 = 0, isSequential: Bool = false
  ) -> (report: ConformanceReport, ms: Int64) {
    var run = ConformanceRun<WorkerSuite>(hasProcess: hasProcess)
    var worker = FaultyWorker(fault, jobMs: jobMs, isSequential: isSequential)
    for nowMs: Int64 in stride(from: 0, through: 600_000, by: 10) {
      for message in worker.tick(nowMs: nowMs) { run.receive(message, nowMs: nowMs) }
      run.tick(nowMs: nowMs)
      while case let effects = run.takeEffects(), !effects.isEmpty {
        for effect in effects {
          for message in worker.receive(effect, nowMs: nowMs) { run.receive(message, nowMs: nowMs) }
        }
      }
      if let exit = worker.exit, worker.isDisconnected { run.processExited(exit, nowMs: nowMs) }
      if run.isOver { return (run.report, nowMs) }
    }
    return (run.report, .max)
  }

  @Test("A correct worker passes every rule within half a minute", arguments: [false, true])
  func whole(hasProcess: Bool) {
    let (report, ms) = play(nil, hasProcess: hasProcess)
    #expect(report.isComplete, "\(report.findings.filter { $0.verdict != .pass })")
    #expect(report.findings.count == WorkerRule.allCases.count - (hasProcess ? 0 : 1))
    #expect(ms < 30_000)
  }

  /// Durations of a job, in milliseconds, each with true for a worker that does one job after the other.
  private static let paces: [(Int64, Bool)] = [(1_500, false), (1_500, true), (4_500, false), (4_500, true)]

  @Test("A correct worker with slow jobs passes every rule", arguments: paces)
  func slow(jobMs: Int64, isSequential: Bool) {
    let (report, _) = play(nil, jobMs: jobMs, isSequential: isSequential)
    #expect(report.isComplete, "\(report.findings.filter { $0.verdict != .pass })")
  }

  @Test("A worker that omits the leases of its jobs in progress breaks two rules at every pace", arguments: paces)
  func omitted(jobMs: Int64, isSequential: Bool) {
    let (report, _) = play(.omitsWork, jobMs: jobMs, isSequential: isSequential)
    #expect(
      report.brokenRules == ["heartbeat-held", "hello-held"], "\(report.findings.filter { $0.verdict != .pass })")
  }

  @Test("A worker that exceeds the time for a job breaks only the rule for Results")
  func tooSlow() {
    let (report, _) = play(nil, jobMs: Limits.conformanceJobMsMax + 1_000)
    #expect(report.brokenRules == ["result"], "\(report.findings.filter { $0.verdict != .pass })")
  }

  /// The exact set of rules that each fault breaks.
  private static let faults: [(Fault, Set<WorkerRule>)] = [
    (.longFrame, [.frame]), (.sendsCreditFirst, [.helloFirst]), (.shortInstance, [.hello]),
    (.oneHello, [.helloRepeated, .busy]), (.newInstance, [.instance]), (.ignoresBusy, [.busy]),
    (.ignoresVersion, [.unsupportedVersion]), (.noCredit, [.credit]), (.window65, [.window]),
    (.formerSession, [.session, .resultsAgain]), (.noResult, [.result]), (.invented, [.ownLease, .heartbeatHeld]),
    (.noOutcome, [.outcome]),
    (.repeatsForCopies, [.repeatedJob]), (.countsOnce, [.creditForCopies]), (.oneLeaseAJob, [.newLease]),
    (.noDetail, [.lookup]), (.guesses, [.malformedJob]), (.failsOnField, [.unknownField]), (.noResend, [.resend]),
    (.forgetsRetryLater, [.retryLater]), (.forgetsUnknown, [.unknownDisposition]), (.forgetsNothing, [.acknowledged]),
    (.noHeartbeat, [.heartbeat]), (.ownHeartbeat, [.heartbeat]), (.nothingHeld, [.heartbeatHeld]),
    (.otherLimit, [.heartbeatCredit]), (.fallingProgress, [.progress]), (.ignoresReset, [.reset]),
    (.emptyHello, [.helloHeld]), (.forgetsAtReset, [.helloHeld, .resultsAgain]),
    (.anySession, [.otherSession, .helloOnlyWhenDue]),
    (.failsOnGarbage, [.malformedFrame]), (.failsOnBody, [.laterMinor]), (.anyMajor, [.otherMajor]),
    (.ignoresDrain, [.drain]), (.ignoresSilence, [.silence]), (.impatient, [.silence]), (.oneConnection, [.reconnect]),
    (.secondHello, [.helloOnlyWhenDue]), (.noGoodbye, [.goodbye]), (.lasting, [.goodbye]),
    (.countsTwoOfThree, [.creditForCopies]), (.repeatsKeptResults, [.repeatedJob]), (.onlyTimer, [.resultsAgain]),
    (.omitsWork, [.heartbeatHeld, .helloHeld]), (.omitsWorkInHello, [.helloHeld]), (.reportsLower, [.lowerLease]),
  ]

  @Test("Within a minute, each faulty worker fails exactly the rules that it breaks", arguments: Fault.allCases)
  func found(fault: FaultyWorker.Fault) throws {
    let wanted = try #require(WorkerSuiteTests.faults.first { $0.0 == fault }).1
    let (report, ms) = play(fault)
    #expect(!report.isComplete)
    #expect(
      report.brokenRules == Set(wanted.map(\.rawValue)), "\(report.findings.filter { $0.verdict != .pass })")
    #expect(ms < 60_000)
  }

  @Test("Each rule has a faulty worker")
  func complete() {
    let broken = WorkerSuiteTests.faults.reduce(into: Set<WorkerRule>()) { $0.formUnion($1.1) }
    #expect(broken == Set(WorkerRule.allCases))
    #expect(Set(WorkerRule.allCases.map(\.rule.requirement)).count == WorkerRule.allCases.count)
  }

  @Test("A run without a worker ends at its timeout and judges no rule")
  func unconnected() {
    var run = ConformanceRun<WorkerSuite>()
    run.tick(nowMs: 0)
    run.tick(nowMs: 4_999)
    #expect(!run.isOver)
    run.tick(nowMs: 5_000)
    #expect(run.isOver && run.takeEffects().isEmpty)
    #expect(run.report.findings.allSatisfy { $0.verdict == .inconclusive(reason: "no worker connected") })
  }

  @Test("A run ends ten seconds after the last frame of a worker")
  func idle() {
    var run = ConformanceRun<WorkerSuite>()
    run.receive(.init(connection: 1, session: 0, byteCount: 1, body: .unreadable("nothing")), nowMs: 0)
    run.tick(nowMs: Limits.conformanceIdleMs)
    #expect(!run.isOver)
    run.tick(nowMs: Limits.conformanceIdleMs + 1)
    #expect(run.isOver)
  }

  @Test("A flood of frames ends the run at its limit and breaks a rule")
  func flood() {
    var run = ConformanceRun<WorkerSuite>()
    for _ in 1..<Limits.conformanceFramesMax {
      run.receive(.init(connection: 1, session: 0, byteCount: 1, body: .credit(jobLimit: 1)), nowMs: 1)
    }
    #expect(!run.isOver)
    run.receive(.init(connection: 1, session: 0, byteCount: 1, body: .credit(jobLimit: 1)), nowMs: 1)
    #expect(run.isOver && run.report.brokenRules.contains("frame"))
  }

  @Test("A frame longer than the announced limit breaks a rule")
  func long() {
    for (bytes, isBroken) in [(Limits.conformanceFrameBytesMax, false), (Limits.conformanceFrameBytesMax + 1, true)] {
      var run = ConformanceRun<WorkerSuite>()
      run.receive(.init(connection: 1, session: 0, byteCount: bytes, body: .credit(jobLimit: 1)), nowMs: 1)
      #expect(run.report.brokenRules.contains("frame") == isBroken)
    }
  }
}

extension ConformanceRun<WorkerSuite> {
  fileprivate init(hasProcess: Bool = false) {
    self.init(WorkerSuite(RunContext(waitMs: 5_000, hasProcess: hasProcess, nowMs: 0), query: "Oslo"))
  }
}
