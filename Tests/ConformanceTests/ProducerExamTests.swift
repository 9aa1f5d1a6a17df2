import Testing

@testable import Conformance
@testable import Domain
@testable import Messaging

@Suite("The exam of a producer")
struct ProducerExamTests {
  /// Plays an exam to the end, without a network between them.
  ///
  /// - Returns: the result, and the time that it took.
  private func examine(_ fault: Apprentice.Fault?, window: Int = 1) -> (conformance: ConformanceReport, ms: Int64) {
    var exam = ProducerExam(waitMs: 5_000, nowMs: 0)
    var apprentice = Apprentice(fault, window: window)
    for nowMs: Int64 in stride(from: 0, through: 200_000, by: 10) {
      for utterance in apprentice.tick(nowMs: nowMs) { exam.hear(utterance, nowMs: nowMs) }
      exam.tick(nowMs: nowMs)
      for something in exam.takeSaid() { apprentice.hear(something, nowMs: nowMs) }
      if exam.isOver { return (exam.conformance, nowMs) }
    }
    return (exam.conformance, .max)
  }

  private func broken(_ conformance: ConformanceReport) -> Set<String> {
    Set(conformance.findings.filter { if case .doesNotHold = $0.verdict { true } else { false } }.map(\.rule.name))
  }

  @Test("A producer with one or many batches open keeps every rule, and a minute shows it", arguments: [1, 2, 8, 16])
  func whole(window: Int) {
    let (conformance, ms) = examine(nil, window: window)
    #expect(conformance.isWhole, "\(conformance.findings.filter { $0.verdict != .holds })")
    #expect(conformance.findings.count == ProducerRule.allCases.count)
    #expect(ms < 60_000)
  }

  /// The rules that each fault breaks: these, and no others.
  private static let faults: [(fault: Apprentice.Fault, window: Int, rules: Set<ProducerRule>)] = [
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
    "Each fault is found under the rule that it breaks, and within two minutes", arguments: Apprentice.Fault.allCases)
  func found(fault: Apprentice.Fault) throws {
    let (_, window, wanted) = try #require(ProducerExamTests.faults.first { $0.fault == fault })
    let (conformance, ms) = examine(fault, window: window)
    #expect(!conformance.isWhole)
    #expect(
      broken(conformance) == Set(wanted.map(\.rawValue)), "\(conformance.findings.filter { $0.verdict != .holds })")
    #expect(ms < 120_000)
  }

  @Test("There is a fault for every rule")
  func complete() {
    let broken = ProducerExamTests.faults.reduce(into: Set<ProducerRule>()) { $0.formUnion($1.rules) }
    #expect(broken == Set(ProducerRule.allCases))
    #expect(Set(ProducerRule.allCases.map(\.rule.says)).count == ProducerRule.allCases.count)
  }

  @Test("Where no producer comes, nothing is shown, and the wait is over in time")
  func nobody() {
    var exam = ProducerExam(waitMs: 5_000, nowMs: 0)
    exam.tick(nowMs: 4_999)
    #expect(!exam.isOver)
    exam.tick(nowMs: 5_000)
    #expect(exam.isOver && exam.takeSaid().isEmpty)
    #expect(exam.conformance.findings.allSatisfy { $0.verdict == .notShown(why: "no producer came") })
  }

  private func batch(_ number: Int, posts: Int = 1, token: String = String(repeating: "t", count: 43))
    -> ProducerExam.Utterance
  {
    let posts = (0..<posts).map {
      SubmittedPost(idempotencyKey: "key \(number) \($0)", place: "Oslo", link: "https://example.org")
    }
    return .init(connection: 1, id: UInt64(number), token: token, byteCount: 100, .batch(posts))
  }

  @Test("A producer that has no more posts is not waited for longer than ten seconds, and told to bring more")
  func gone() {
    var exam = ProducerExam(waitMs: 5_000, nowMs: 0)
    exam.hear(batch(1), nowMs: 0)
    exam.tick(nowMs: Limits.examGoneMs)
    #expect(!exam.isOver)
    exam.tick(nowMs: Limits.examGoneMs + 1)
    #expect(exam.isOver)
    let left = exam.conformance.findings.last?.verdict
    #expect(left == .notShown(why: "the producer sent too few batches: give it more posts"))
  }

  @Test("A producer whose process ends early is told so; one that ends without a session keeps the rule")
  func ended() {
    var exam = ProducerExam(waitMs: 5_000, nowMs: 0)
    exam.hear(batch(1), nowMs: 0)
    exam.ended(3, nowMs: 1)
    let words = "the producer's process ended, with exit code 3: does it have enough posts?"
    #expect(exam.isOver && exam.conformance.findings.last?.verdict == .notShown(why: words))
  }

  @Test("A producer that ends as if all were done, while a batch has no reply, has given that batch up")
  func givesUp() {
    var exam = ProducerExam(waitMs: 5_000, nowMs: 0)
    // The reply to the fourth is lost.
    for number in 1...4 { exam.hear(batch(number), nowMs: Int64(number)) }
    var crashed = exam
    exam.ended(0, nowMs: 100)
    #expect(broken(exam.conformance) == ["resend"])
    crashed.ended(1, nowMs: 100)
    #expect(broken(crashed.conformance).isEmpty)
  }

  @Test("A producer that ends as if all were done, while a reply is held back, has given that batch up")
  func givesUpHeld() {
    var exam = ProducerExam(waitMs: 5_000, nowMs: 0)
    var nowMs: Int64 = 0
    for number in 1...11 {
      exam.hear(batch(number), nowMs: nowMs)
      // These steps last until their batch comes again. The reply to batch 11 is held back.
      guard (4...10).contains(number) else { continue }
      nowMs += 5_000
      exam.hear(batch(number), nowMs: nowMs)
    }
    #expect(!exam.isOver && broken(exam.conformance).isEmpty)
    var crashed = exam
    exam.ended(0, nowMs: nowMs + 100)
    #expect(broken(exam.conformance) == ["order"])
    crashed.ended(1, nowMs: nowMs + 100)
    #expect(broken(crashed.conformance).isEmpty)
  }

  @Test(
    "A process that ends less than half a second after a reply does not show that the post never comes again",
    arguments: [(499, false), (500, true)] as [(Int64, Bool)])
  func endsEarly(ms: Int64, isShown: Bool) {
    var exam = ProducerExam(waitMs: 5_000, nowMs: 0)
    exam.hear(batch(1), nowMs: 10)
    exam.ended(0, nowMs: 10 + ms)
    let verdict = exam.conformance.findings.first { $0.rule.name == "accepted" }?.verdict
    let why = "the exam ended 499 ms after the reply, too early to see whether the post comes again"
    let wanted: ConformanceReport.Verdict = isShown ? .holds : .notShown(why: why)
    #expect(verdict == wanted)
  }

  @Test("A batch has 1 to 256 posts", arguments: [(0, true), (1, false), (256, false), (257, true)])
  func size(posts: Int, isBroken: Bool) {
    var exam = ProducerExam(waitMs: 5_000, nowMs: 0)
    exam.hear(batch(1, posts: posts), nowMs: 0)
    #expect(broken(exam.conformance).contains("draft") == isBroken)
  }

  @Test("A flood ends the exam at its limit, and is told of")
  func flood() {
    var exam = ProducerExam(waitMs: 5_000, nowMs: 0)
    for _ in 1..<Limits.examFramesMax { exam.hear(batch(1), nowMs: 1) }
    #expect(!exam.isOver)
    exam.hear(batch(1), nowMs: 1)
    #expect(exam.isOver && broken(exam.conformance).contains("frame"))
  }
}
