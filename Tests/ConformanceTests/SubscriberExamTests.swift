import Testing

@testable import Conformance
@testable import Domain
@testable import Messaging

@Suite("The exam of a subscriber")
struct SubscriberExamTests {
  /// Plays it to the end, without a network between them.
  ///
  /// - Returns: what came out, and how long it took.
  private func examine(
    _ fault: Follower.Fault?, hasProcess: Bool = true, knowsOneFeed: Bool = false
  ) -> (conformance: ConformanceReport, ms: Int64) {
    var exam = SubscriberExam(waitMs: 5_000, alternate: "tcp://other:7710", hasProcess: hasProcess, nowMs: 0)
    var follower = Follower(fault, knowsOneFeed: knowsOneFeed)
    for nowMs: Int64 in stride(from: 0, through: 200_000, by: 10) {
      follower.tick(nowMs: nowMs)
      exam.tick(nowMs: nowMs)
      // As long as one of them has something to say.
      while true {
        let (said, demands) = (exam.takeSaid(), follower.takeDemands())
        for something in said { follower.hear(something, nowMs: nowMs) }
        for demand in demands { exam.hear(demand, feed: follower.feed, nowMs: nowMs) }
        if said.isEmpty && demands.isEmpty { break }
      }
      if hasProcess { for shown in follower.takeShown() { exam.show(shown, nowMs: nowMs) } }
      if exam.isOver { return (exam.conformance, nowMs) }
    }
    return (exam.conformance, .max)
  }

  private func broken(_ conformance: ConformanceReport) -> Set<String> {
    Set(conformance.findings.filter { if case .doesNotHold = $0.verdict { true } else { false } }.map(\.rule.name))
  }

  @Test("Our own subscriber keeps every rule, and less than a minute shows it", arguments: [false, true])
  func whole(hasProcess: Bool) {
    let (conformance, ms) = examine(nil, hasProcess: hasProcess)
    #expect(conformance.isWhole, "\(conformance.findings.filter { $0.verdict != .holds })")
    #expect(conformance.findings.count == SubscriberRule.allCases.count - (hasProcess ? 0 : 1))
    #expect(ms < 60_000)
  }

  @Test("A subscriber that keeps to the feed that it was configured with, and joins there again, keeps every rule")
  func oneFeed() {
    let (conformance, _) = examine(nil, knowsOneFeed: true)
    #expect(conformance.isWhole, "\(conformance.findings.filter { $0.verdict != .holds })")
  }

  @Test(
    "A list in another form than the protocol's is told so", arguments: [Follower.Fault.showsBase64, .showsDecimal])
  func form(fault: Follower.Fault) throws {
    let finding = try #require(examine(fault).conformance.findings.last)
    guard case .doesNotHold(let seen) = finding.verdict else {
      Issue.record("it was taken: \(finding)")
      return
    }
    #expect(seen.contains(fault == .showsBase64 ? "32 hexadecimal digits" : "16 hexadecimal digits"))
  }

  /// Which rules each fault breaks: these, and no others.
  private static let faults: [(Follower.Fault, Set<SubscriberRule>)] = [
    (.joinsFirst, [.subscriptions]), (.takesAll, [.subscriptions]), (.oddNonce, [.nonce]),
    (.joinsOnce, [.joinRepeated]), (.olderHeartbeats, [.heartbeat]),
    // What shows with a Delta that it is taken.
    (
      .ignoresDeltas,
      [
        .delta, .duplicateDelta, .overlappingDelta, .deletion, .edit, .olderSnapshot, .stale, .unknownField,
        .laterMinor,
        .malformedFrame, .deltaHash,
      ]
    ),
    (.deafToHeartbeats, [.missedDelta]), (.appliesTwice, [.duplicateDelta]), (.noOverlap, [.overlappingDelta]),
    (.noReturns, [.deletion]), (.ignoresEdits, [.edit]), (.takesOlder, [.olderSnapshot]),
    (.ignoresSnapshots, [.newerSnapshot, .snapshotHash]),
    (.staleIsLost, [.stale]), (.diesOfField, [.unknownField]), (.diesOfBody, [.laterMinor]),
    (.diesOfGarbage, [.malformedFrame]), (.believesGarbage, [.malformedFrame]), (.noGaps, [.gap]),
    (.noDeltaHash, [.deltaHash, .shown]), (.noHeartbeatHash, [.heartbeatHash]),
    (.noSnapshotHash, [.snapshotHash, .shown]),
    (.anyDeltaEpoch, [.deltaEpoch]), (.anyHeartbeatEpoch, [.heartbeatEpoch]),
    (.neverBehind, [.behind]), (.deafToBye, [.bye]),
    (.oneNonce, [.newNonce]), (.keepsTopics, [.unsubscribe]), (.storms, [.pause]), (.forgetsNoPause, [.pauseReset]),
    (.patient, [.silence]), (.impatient, [.silence]), (.oneConnection, [.silence]), (.noAlternate, [.alternate]),
    (.showsLost, [.shown]), (.showsNothing, []), (.staleIsNotLive, [.stale]), (.impatientAfterBye, [.byePause]),
    // A list in another form does not count as a right one.
    (.showsBase64, [.shown, .stale]), (.showsDecimal, [.shown]),
  ]

  @Test("Each fault is found under the rule that it breaks, and within two minutes", arguments: Follower.Fault.allCases)
  func found(fault: Follower.Fault) throws {
    let wanted = try #require(SubscriberExamTests.faults.first { $0.0 == fault }).1
    let (conformance, ms) = examine(fault)
    #expect(!conformance.isWhole)
    #expect(
      broken(conformance) == Set(wanted.map(\.rawValue)), "\(conformance.findings.filter { $0.verdict != .holds })")
    #expect(ms < 120_000)
  }

  @Test("There is a fault for every rule")
  func complete() {
    let broken = SubscriberExamTests.faults.reduce(into: Set<SubscriberRule>()) { $0.formUnion($1.1) }
    #expect(broken == Set(SubscriberRule.allCases))
    #expect(Set(SubscriberRule.allCases.map(\.rule.says)).count == SubscriberRule.allCases.count)
  }

  @Test("Where no subscriber comes, nothing is shown, and the wait is over in time")
  func nobody() {
    var exam = SubscriberExam(waitMs: 5_000, alternate: "", hasProcess: false, nowMs: 0)
    exam.tick(nowMs: 0)
    exam.tick(nowMs: 4_999)
    #expect(!exam.isOver)
    exam.tick(nowMs: 5_000)
    #expect(exam.isOver)
    #expect(exam.conformance.findings.allSatisfy { $0.verdict == .notShown(why: "no subscriber came") })
  }

  @Test("A subscriber that has gone is not waited for longer than its silence would be")
  func gone() {
    var exam = SubscriberExam(waitMs: 5_000, alternate: "", hasProcess: false, nowMs: 0)
    exam.hear(.subscribed(.delta), feed: 0, nowMs: 0)
    exam.hear(.unsubscribed(.delta), feed: 0, nowMs: 10)
    exam.tick(nowMs: 10 + Limits.examLivenessMs)
    #expect(!exam.isOver)
    exam.tick(nowMs: 11 + Limits.examLivenessMs)
    #expect(exam.isOver)
  }

  @Test("A flood ends the exam at its limit, and is told of")
  func flood() {
    var exam = SubscriberExam(waitMs: 5_000, alternate: "", hasProcess: false, nowMs: 0)
    for _ in 1..<Limits.examFramesMax { exam.hear(.subscribed(.heartbeat), feed: 0, nowMs: 1) }
    #expect(!exam.isOver)
    exam.hear(.subscribed(.heartbeat), feed: 0, nowMs: 1)
    #expect(exam.isOver && broken(exam.conformance).contains("pause"))
  }

  @Test("A list is held against what was told, and one that is not told as right is nobody's business")
  func shown() {
    func finding(_ shown: SubscriberExam.Shown...) -> ConformanceReport.Verdict? {
      var exam = SubscriberExam(waitMs: 5_000, alternate: "", hasProcess: true, nowMs: 0)
      for each in shown { exam.show(each, nowMs: 1) }
      exam.ended(0, nowMs: 2)
      return exam.conformance.findings.last?.verdict
    }
    let epoch = String(repeating: "e0", count: 16)
    let wrong = SubscriberExam.Shown(epoch: epoch, seq: 1_100, hash: "0", isLive: true)
    guard case .doesNotHold? = finding(wrong) else {
      Issue.record("a wrong hash was taken")
      return
    }
    guard case .notShown? = finding(.init(epoch: epoch, seq: 7, hash: "0", isLive: false)) else {
      Issue.record("a list that is not live was judged")
      return
    }
  }
}
