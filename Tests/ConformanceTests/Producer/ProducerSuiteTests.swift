import Testing

@testable import Conformance
@testable import Domain
@testable import Messaging

@Suite("The conformance suite for producers")
struct ProducerSuiteTests {
  /// Plays a run to the end, without a network between them.
  ///
  /// - Returns: the result, and the time that it took.
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

  @Test("A producer with one or many batches open keeps every rule, and a minute shows it", arguments: [1, 2, 8, 16])
  func whole(window: Int) {
    let (report, ms) = play(nil, window: window)
    #expect(report.isWhole, "\(report.findings.filter { $0.verdict != .holds })")
    #expect(report.findings.count == ProducerRule.allCases.count)
    #expect(ms < 60_000)
  }

  /// The rules that each fault breaks: these, and no others.
  private static let faults: [(fault: FaultyProducer.Fault, window: Int, rules: Set<ProducerRule>)] = [
    (.unreadable, 1, [.frame]), (.shortToken, 1, [.token]),
    // A reply with the number of every batch is a reply to each.
    (.noID, 1, [.requestID, .unmatched, .matching]), (.oneID, 2, [.requestID, .order]),
    (.noKey, 1, [.draft, .key, .accepted]), (.otherPost, 1, [.key]), (.seventeen, 17, [.window]),
    (.repeatsAccepted, 1, [.accepted, .laterMinor, .order]), (.repeatsReplayed, 1, [.replayed]),
    (.repeatsRefused, 1, [.refused]), (.deafToLaterMinor, 1, [.laterMinor]),
    (.noResend, 8, [.resend, .busy, .receiptCount, .unmatched, .matching, .malformedFrame, .reconnect]),
    (.hurriedResend, 1, [.resend]), (.forgetsBusyPosts, 1, [.busyPost, .order]), (.hurriesBusyPosts, 1, [.busyPost]),
    (.forgetsBusy, 1, [.busy]), (.hurriesBusy, 1, [.busy]), (.takesFewReceipts, 1, [.receiptCount]),
    (.believesZero, 1, [.unmatched]), (.takesAnyReply, 1, [.matching]), (.believesGarbage, 1, [.malformedFrame]),
    (.oneConnection, 1, [.reconnect]), (.impatient, 8, [.reconnect]), (.forgetsOnReconnect, 1, [.resendAnew]),
    // Its sixteen batches are due at different times.
    (.waitsOnReconnect, 16, [.resendAnew]), (.keepsToken, 1, [.unauthorized]), (.hurriesToken, 1, [.unauthorized]),
  ]

  @Test(
    "Each fault is found under the rule that it breaks, and within two minutes",
    arguments: FaultyProducer.Fault.allCases)
  func found(fault: FaultyProducer.Fault) throws {
    let (_, window, wanted) = try #require(ProducerSuiteTests.faults.first { $0.fault == fault })
    let (report, ms) = play(fault, window: window)
    #expect(!report.isWhole)
    #expect(
      report.brokenRules == Set(wanted.map(\.rawValue)), "\(report.findings.filter { $0.verdict != .holds })")
    #expect(ms < 120_000)
  }

  @Test("There is a fault for every rule")
  func complete() {
    let broken = ProducerSuiteTests.faults.reduce(into: Set<ProducerRule>()) { $0.formUnion($1.rules) }
    #expect(broken == Set(ProducerRule.allCases))
    #expect(Set(ProducerRule.allCases.map(\.rule.says)).count == ProducerRule.allCases.count)
  }

  @Test("Where no producer comes, nothing is shown, and the wait is over in time")
  func nobody() {
    var run = ConformanceRun<ProducerSuite>()
    run.tick(nowMs: 4_999)
    #expect(!run.isOver)
    run.tick(nowMs: 5_000)
    #expect(run.isOver && run.takeEffects().isEmpty)
    #expect(run.report.findings.allSatisfy { $0.verdict == .notShown(why: "no producer came") })
  }

  private func batch(_ number: Int, posts: Int = 1, token: String = String(repeating: "t", count: 43))
    -> ProducerProbe.ReceivedMessage
  {
    let posts = (0..<posts).map {
      SubmittedPost(idempotencyKey: "key \(number) \($0)", place: "Oslo", link: "https://example.org")
    }
    return .init(connection: 1, id: UInt64(number), token: token, byteCount: 100, body: .batch(posts))
  }

  @Test("A producer that has no more posts is not waited for longer than ten seconds, and told to bring more")
  func gone() {
    var run = ConformanceRun<ProducerSuite>()
    run.receive(batch(1), nowMs: 0)
    run.tick(nowMs: Limits.conformanceIdleMs)
    #expect(!run.isOver)
    run.tick(nowMs: Limits.conformanceIdleMs + 1)
    #expect(run.isOver)
    let left = run.report.findings.last?.verdict
    #expect(left == .notShown(why: "the producer sent too few batches: give it more posts"))
  }

  @Test("A producer whose process ends early is told so; one that ends without a session keeps the rule")
  func ended() {
    var run = ConformanceRun<ProducerSuite>()
    run.receive(batch(1), nowMs: 0)
    run.processExited(3, nowMs: 1)
    let words = "the producer's process ended, with exit code 3: does it have enough posts?"
    #expect(run.isOver && run.report.findings.last?.verdict == .notShown(why: words))
  }

  @Test("A producer that ends as if all were done, while a batch has no reply, has given that batch up")
  func givesUp() {
    var run = ConformanceRun<ProducerSuite>()
    // The reply to the fourth is lost.
    for number in 1...4 { run.receive(batch(number), nowMs: Int64(number)) }
    var crashed = run
    run.processExited(0, nowMs: 100)
    #expect(run.report.brokenRules == ["resend"])
    crashed.processExited(1, nowMs: 100)
    #expect(crashed.report.brokenRules.isEmpty)
  }

  @Test("A producer that ends as if all were done, while a reply is held back, has given that batch up")
  func givesUpHeld() {
    var run = ConformanceRun<ProducerSuite>()
    var nowMs: Int64 = 0
    for number in 1...11 {
      run.receive(batch(number), nowMs: nowMs)
      // These steps last until their batch comes again. The reply to batch 11 is held back.
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
    "A process that ends less than half a second after a reply does not show that the post never comes again",
    arguments: [(499, false), (500, true)] as [(Int64, Bool)])
  func endsEarly(ms: Int64, isShown: Bool) {
    var run = ConformanceRun<ProducerSuite>()
    run.receive(batch(1), nowMs: 10)
    run.processExited(0, nowMs: 10 + ms)
    let verdict = run.report.findings.first { $0.rule.name == "accepted" }?.verdict
    let why = "the exam ended 499 ms after the reply, too early to see whether the post comes again"
    let wanted: ConformanceReport.Verdict = isShown ? .holds : .notShown(why: why)
    #expect(verdict == wanted)
  }

  @Test("A batch has 1 to 256 posts", arguments: [(0, true), (1, false), (256, false), (257, true)])
  func size(posts: Int, isBroken: Bool) {
    var run = ConformanceRun<ProducerSuite>()
    run.receive(batch(1, posts: posts), nowMs: 0)
    #expect(run.report.brokenRules.contains("draft") == isBroken)
  }

  @Test("A flood ends the run at its limit, and is told of")
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
