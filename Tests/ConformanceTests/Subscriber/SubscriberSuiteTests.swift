import Testing

@testable import Conformance
@testable import Domain
@testable import Messaging

@Suite("The conformance suite for subscribers")
struct SubscriberSuiteTests {
  /// Plays it to the end, without a network between them.
  ///
  /// - Returns: what came out, and how long it took.
  private func play(
    _ fault: FaultySubscriber.Fault?, hasProcess: Bool = true, knowsOneFeed: Bool = false
  ) -> (report: ConformanceReport, ms: Int64) {
    var run = ConformanceRun<SubscriberSuite>(hasProcess: hasProcess)
    var subscriber = FaultySubscriber(fault, knowsOneFeed: knowsOneFeed)
    for nowMs: Int64 in stride(from: 0, through: 200_000, by: 10) {
      subscriber.tick(nowMs: nowMs)
      run.tick(nowMs: nowMs)
      // As long as one of them has something to say.
      while true {
        let (effects, messages) = (run.takeEffects(), subscriber.takeMessages())
        for effect in effects { subscriber.receive(effect, nowMs: nowMs) }
        for message in messages { run.receive(.message(message, feed: subscriber.feed), nowMs: nowMs) }
        if effects.isEmpty && messages.isEmpty { break }
      }
      if hasProcess { for list in subscriber.takePrinted() { run.receive(.printed(list), nowMs: nowMs) } }
      if run.isOver { return (run.report, nowMs) }
    }
    return (run.report, .max)
  }

  @Test("Our own subscriber keeps every rule, and less than a minute shows it", arguments: [false, true])
  func whole(hasProcess: Bool) {
    let (report, ms) = play(nil, hasProcess: hasProcess)
    #expect(report.isWhole, "\(report.findings.filter { $0.verdict != .holds })")
    #expect(report.findings.count == SubscriberRule.allCases.count - (hasProcess ? 0 : 1))
    #expect(ms < 60_000)
  }

  @Test("A subscriber that keeps to the feed that it was configured with, and joins there again, keeps every rule")
  func oneFeed() {
    let (report, _) = play(nil, knowsOneFeed: true)
    #expect(report.isWhole, "\(report.findings.filter { $0.verdict != .holds })")
  }

  @Test(
    "A list in another form than the protocol's is told so",
    arguments: [FaultySubscriber.Fault.showsBase64, .showsDecimal])
  func form(fault: FaultySubscriber.Fault) throws {
    let finding = try #require(play(fault).report.findings.last)
    guard case .doesNotHold(let seen) = finding.verdict else {
      Issue.record("it was taken: \(finding)")
      return
    }
    #expect(seen.contains(fault == .showsBase64 ? "32 hexadecimal digits" : "16 hexadecimal digits"))
  }

  /// Which rules each fault breaks: these, and no others.
  private static let faults: [(FaultySubscriber.Fault, Set<SubscriberRule>)] = [
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

  @Test(
    "Each fault is found under the rule that it breaks, and within two minutes",
    arguments: FaultySubscriber.Fault.allCases)
  func found(fault: FaultySubscriber.Fault) throws {
    let wanted = try #require(SubscriberSuiteTests.faults.first { $0.0 == fault }).1
    let (report, ms) = play(fault)
    #expect(!report.isWhole)
    #expect(
      report.brokenRules == Set(wanted.map(\.rawValue)), "\(report.findings.filter { $0.verdict != .holds })")
    #expect(ms < 120_000)
  }

  @Test("There is a fault for every rule")
  func complete() {
    let broken = SubscriberSuiteTests.faults.reduce(into: Set<SubscriberRule>()) { $0.formUnion($1.1) }
    #expect(broken == Set(SubscriberRule.allCases))
    #expect(Set(SubscriberRule.allCases.map(\.rule.says)).count == SubscriberRule.allCases.count)
  }

  @Test("Where no subscriber comes, nothing is shown, and the wait is over in time")
  func nobody() {
    var run = ConformanceRun<SubscriberSuite>()
    run.tick(nowMs: 0)
    run.tick(nowMs: 4_999)
    #expect(!run.isOver)
    run.tick(nowMs: 5_000)
    #expect(run.isOver)
    #expect(run.report.findings.allSatisfy { $0.verdict == .notShown(why: "no subscriber came") })
  }

  @Test("A subscriber that has gone is not waited for longer than its silence would be")
  func gone() {
    var run = ConformanceRun<SubscriberSuite>()
    run.receive(.message(.subscribed(.delta), feed: 0), nowMs: 0)
    run.receive(.message(.unsubscribed(.delta), feed: 0), nowMs: 10)
    run.tick(nowMs: 10 + Limits.conformanceLivenessMs)
    #expect(!run.isOver)
    run.tick(nowMs: 11 + Limits.conformanceLivenessMs)
    #expect(run.isOver)
  }

  @Test("A flood ends the run at its limit, and is told of")
  func flood() {
    var run = ConformanceRun<SubscriberSuite>()
    for _ in 1..<Limits.conformanceFramesMax { run.receive(.message(.subscribed(.heartbeat), feed: 0), nowMs: 1) }
    #expect(!run.isOver)
    run.receive(.message(.subscribed(.heartbeat), feed: 0), nowMs: 1)
    #expect(run.isOver && run.report.brokenRules.contains("pause"))
  }

  @Test("A list is held against what was told, and one that is not told as right is nobody's business")
  func shown() {
    func finding(_ printed: PrintedList...) -> ConformanceReport.Verdict? {
      var run = ConformanceRun<SubscriberSuite>(hasProcess: true)
      for list in printed { run.receive(.printed(list), nowMs: 1) }
      run.processExited(0, nowMs: 2)
      return run.report.findings.last?.verdict
    }
    let epoch = String(repeating: "e0", count: 16)
    let wrong = PrintedList(epoch: epoch, seq: 1_100, hash: "0", isLive: true)
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

extension ConformanceRun<SubscriberSuite> {
  fileprivate init(hasProcess: Bool = false) {
    let context = RunContext<SubscriberRule, SubscriberProbe.Stimulus>(waitMs: 5_000, hasProcess: hasProcess, nowMs: 0)
    self.init(SubscriberSuite(context, alternate: "tcp://other:7710"))
  }
}
