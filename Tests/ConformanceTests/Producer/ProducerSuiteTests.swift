import Testing

@testable import Conformance
@testable import Domain
@testable import Messaging

@Suite("Conformance suite for producers")
struct ProducerSuiteTests {
  /// Runs the suite against a producer to the end, without a network.
  ///
  /// - Returns: the report, and the duration in milliseconds.
  private func play(_ fault: FaultyProducer.Fault?, window: Int = 1) -> (report: ConformanceReport, ms: Int64) {
    var run = ConformanceRun<ProducerSuite>()
    var producer = FaultyProducer(fault, window: window)
    for nowMs: Int64 in stride(from: 0, through: 200_000, by: 10) {
      for message in producer.tick(nowMs: nowMs) { run.receive(message, nowMs: nowMs) }
      run.tick(nowMs: nowMs)
      for effect in run.takeEffects() { producer.receive(effect, nowMs: nowMs) }
      if run.isOver { return (run.report, nowMs) }
    }
    return (run.report, .max)
  }

  @Test("A correct producer with 1 to 16 open batches passes every rule within a minute", arguments: [1, 2, 8, 16])
  func whole(window: Int) {
    let (report, ms) = play(nil, window: window)
    #expect(report.isComplete, "\(report.findings.filter { $0.verdict != .pass })")
    #expect(report.findings.count == ProducerRule.allCases.count)
    #expect(ms < 60_000)
  }

  /// The exact set of rules that each fault breaks.
  private static let faults: [(fault: FaultyProducer.Fault, window: Int, rules: Set<ProducerRule>)] = [
    (.unreadable, 1, [.frame]), (.shortToken, 1, [.token]),
    // All batches have one request id, so a reply to one is a reply to all.
    (.noID, 1, [.requestID, .unmatched, .matching]), (.oneID, 2, [.requestID, .order]),
    (.noKey, 1, [.draft, .key, .accepted]), (.otherPost, 1, [.key]), (.seventeen, 17, [.window]),
    (.repeatsAccepted, 1, [.accepted, .laterMinor, .order]), (.repeatsReplayed, 1, [.replayed]),
    (.repeatsRefused, 1, [.refused]), (.ignoresLaterMinor, 1, [.laterMinor]),
    (.noResend, 8, [.resend, .busy, .receiptCount, .unmatched, .matching, .malformedFrame, .reconnect]),
    (.hurriedResend, 1, [.resend]), (.forgetsBusyPosts, 1, [.busyPost, .order]), (.hurriesBusyPosts, 1, [.busyPost]),
    (.forgetsBusy, 1, [.busy]), (.hurriesBusy, 1, [.busy]), (.acceptsFewReceipts, 1, [.receiptCount]),
    (.believesZero, 1, [.unmatched]), (.acceptsAnyReply, 1, [.matching]), (.believesGarbage, 1, [.malformedFrame]),
    (.oneConnection, 1, [.reconnect]), (.impatient, 8, [.reconnect]), (.forgetsOnReconnect, 1, [.resendOnReconnect]),
    // The sixteen batches are due at different times.
    (.waitsOnReconnect, 16, [.resendOnReconnect]), (.keepsToken, 1, [.unauthorized]),
    (.hurriesToken, 1, [.unauthorized]),
  ]

  @Test(
    "Within two minutes, each faulty producer fails exactly the rules that it breaks",
    arguments: FaultyProducer.Fault.allCases)
  func found(fault: FaultyProducer.Fault) throws {
    let (_, window, wanted) = try #require(ProducerSuiteTests.faults.first { $0.fault == fault })
    let (report, ms) = play(fault, window: window)
    #expect(!report.isComplete)
    #expect(
      report.brokenRules == Set(wanted.map(\.rawValue)), "\(report.findings.filter { $0.verdict != .pass })")
    #expect(ms < 120_000)
  }

  @Test("Each rule has a faulty producer")
  func complete() {
    let broken = ProducerSuiteTests.faults.reduce(into: Set<ProducerRule>()) { $0.formUnion($1.rules) }
    #expect(broken == Set(ProducerRule.allCases))
    #expect(Set(ProducerRule.allCases.map(\.rule.requirement)).count == ProducerRule.allCases.count)
  }

  @Test("A run without a producer ends at its timeout and judges no rule")
  func unconnected() {
    var run = ConformanceRun<ProducerSuite>()
    run.tick(nowMs: 4_999)
    #expect(!run.isOver)
    run.tick(nowMs: 5_000)
    #expect(run.isOver && run.takeEffects().isEmpty)
    #expect(run.report.findings.allSatisfy { $0.verdict == .inconclusive(reason: "no producer connected") })
  }

  private func batch(_ number: Int, posts: Int = 1, token: String = String(repeating: "t", count: 43))
    -> ProducerProbe.ReceivedMessage
  {
    let posts = (0..<posts).map {
      SubmittedPost(idempotencyKey: "key \(number) \($0)", place: "Oslo", link: "https://example.org")
    }
    return .init(connection: 1, id: UInt64(number), token: token, byteCount: 100, body: .batch(posts))
  }

  @Test("A run ends ten seconds after the last batch and asks for more posts")
  func idle() {
    var run = ConformanceRun<ProducerSuite>()
    run.receive(batch(1), nowMs: 0)
    run.tick(nowMs: Limits.conformanceIdleMs)
    #expect(!run.isOver)
    run.tick(nowMs: Limits.conformanceIdleMs + 1)
    #expect(run.isOver)
    let left = run.report.findings.last?.verdict
    #expect(left == .inconclusive(reason: "the producer sent too few batches: give it more posts"))
  }

  @Test("A producer that exits early leaves its rules inconclusive, with its exit code")
  func ended() {
    var run = ConformanceRun<ProducerSuite>()
    run.receive(batch(1), nowMs: 0)
    run.processExited(3, nowMs: 1)
    let words = "the producer's process ended, with exit code 3: does it have enough posts?"
    #expect(run.isOver && run.report.findings.last?.verdict == .inconclusive(reason: words))
  }

  @Test("A producer that exits with 0 before it resends a batch without a reply breaks the resend rule")
  func givesUp() {
    var run = ConformanceRun<ProducerSuite>()
    // The run withholds the reply to the fourth batch.
    for number in 1...4 { run.receive(batch(number), nowMs: Int64(number)) }
    var crashed = run
    run.processExited(0, nowMs: 100)
    #expect(run.report.brokenRules == ["resend"])
    crashed.processExited(1, nowMs: 100)
    #expect(crashed.report.brokenRules.isEmpty)
  }

  @Test("A producer that exits with 0 while a reply is delayed breaks the order rule")
  func givesUpHeld() {
    var run = ConformanceRun<ProducerSuite>()
    var nowMs: Int64 = 0
    for number in 1...11 {
      run.receive(batch(number), nowMs: nowMs)
      // These steps last until their batch comes again. The run delays the reply to batch 11.
      guard (4...10).contains(number) else { continue }
      nowMs += 5_000
      run.receive(batch(number), nowMs: nowMs)
    }
    #expect(!run.isOver && run.report.brokenRules.isEmpty)
    var crashed = run
    run.processExited(0, nowMs: nowMs + 100)
    #expect(run.report.brokenRules == ["order"])
    crashed.processExited(1, nowMs: nowMs + 100)
    #expect(crashed.report.brokenRules.isEmpty)
  }

  @Test(
    "An exit within half a second of a reply leaves the rule against a resend inconclusive",
    arguments: [(499, false), (500, true)] as [(Int64, Bool)])
  func endsEarly(ms: Int64, isShown: Bool) {
    var run = ConformanceRun<ProducerSuite>()
    run.receive(batch(1), nowMs: 10)
    run.processExited(0, nowMs: 10 + ms)
    let verdict = run.report.findings.first { $0.rule.name == "accepted" }?.verdict
    let why = "the test ended 499 ms after the reply, too early to detect a resent post"
    let wanted: ConformanceReport.Verdict = isShown ? .pass : .inconclusive(reason: why)
    #expect(verdict == wanted)
  }

  @Test(
    "A batch with 0 or more than 256 posts breaks a rule",
    arguments: [(0, true), (1, false), (256, false), (257, true)])
  func size(posts: Int, isBroken: Bool) {
    var run = ConformanceRun<ProducerSuite>()
    run.receive(batch(1, posts: posts), nowMs: 0)
    #expect(run.report.brokenRules.contains("draft") == isBroken)
  }

  @Test("A flood of batches ends the run at its limit and breaks a rule")
  func flood() {
    var run = ConformanceRun<ProducerSuite>()
    for _ in 1..<Limits.conformanceFramesMax { run.receive(batch(1), nowMs: 1) }
    #expect(!run.isOver)
    run.receive(batch(1), nowMs: 1)
    #expect(run.isOver && run.report.brokenRules.contains("frame"))
  }
}

extension ConformanceRun<ProducerSuite> {
  fileprivate init() { self.init(ProducerSuite(RunContext(waitMs: 5_000, hasProcess: true, nowMs: 0))) }
}
