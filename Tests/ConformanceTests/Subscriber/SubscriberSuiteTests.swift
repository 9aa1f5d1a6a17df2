import Testing

@testable import Conformance
@testable import Domain
@testable import Messaging

@Suite("Conformance suite for subscribers")
struct SubscriberSuiteTests {
  /// Runs the suite against a subscriber to the end, without a network.
  ///
  /// - Returns: the report, and the duration in milliseconds.
  private func play(
    _ fault: FaultySubscriber.Fault?, hasProcess: Bool = true, knowsOneFeed: Bool = false
  ) -> (report: ConformanceReport, ms: Int64) {
    var run = ConformanceRun<SubscriberSuite>(hasProcess: hasProcess)
    var subscriber = FaultySubscriber(fault, knowsOneFeed: knowsOneFeed)
    for nowMs: Int64 in stride(from: 0, through: 200_000, by: 10) {
      subscriber.tick(nowMs: nowMs)
      run.tick(nowMs: nowMs)
      // Exchange messages until both sides are silent.
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

  @Test("A correct subscriber passes every rule within a minute", arguments: [false, true])
  func whole(hasProcess: Bool) {
    let (report, ms) = play(nil, hasProcess: hasProcess)
    #expect(report.isComplete, "\(report.findings.filter { $0.verdict != .pass })")
    #expect(report.findings.count == SubscriberRule.allCases.count - (hasProcess ? 0 : 1))
    #expect(ms < 60_000)
  }

  @Test("A subscriber that returns to its configured feed after a goodbye passes every rule")
  func oneFeed() {
    let (report, _) = play(nil, knowsOneFeed: true)
    #expect(report.isComplete, "\(report.findings.filter { $0.verdict != .pass })")
  }

  @Test(
    "The evidence against a printed list in a wrong form names the expected form",
    arguments: [FaultySubscriber.Fault.showsBase64, .showsDecimal])
  func form(fault: FaultySubscriber.Fault) throws {
    let finding = try #require(play(fault).report.findings.last)
    guard case .fail(let seen) = finding.verdict else {
      Issue.record("the list was accepted: \(finding)")
      return
    }
    #expect(seen.contains(fault == .showsBase64 ? "32 hexadecimal digits" : "16 hexadecimal digits"))
  }

  /// The exact set of rules that each fault breaks.
  private static let faults: [(FaultySubscriber.Fault, Set<SubscriberRule>)] = [
    (.joinsFirst, [.subscriptions]), (.subscribesToAll, [.subscriptions]), (.oddNonce, [.nonce]),
    (.joinsOnce, [.joinRepeated]), (.olderHeartbeats, [.heartbeat]),
    // A subscriber passes these rules only if it applies deltas.
    (
      .ignoresDeltas,
      [
        .delta, .duplicateDelta, .overlappingDelta, .deletion, .edit, .olderSnapshot, .stale, .unknownField,
        .laterMinor,
        .malformedFrame, .deltaHash,
      ]
    ),
    (.ignoresHeartbeats, [.missedDelta]), (.appliesTwice, [.duplicateDelta]), (.noOverlap, [.overlappingDelta]),
    (.noReturns, [.deletion]), (.ignoresEdits, [.edit]), (.acceptsOlder, [.olderSnapshot]),
    (.ignoresSnapshots, [.newerSnapshot, .snapshotHash]),
    (.staleIsLost, [.stale]), (.failsOnField, [.unknownField]), (.failsOnBody, [.laterMinor]),
    (.failsOnGarbage, [.malformedFrame]), (.believesGarbage, [.malformedFrame]), (.noGaps, [.gap]),
    (.noDeltaHash, [.deltaHash, .shown]), (.noHeartbeatHash, [.heartbeatHash]),
    (.noSnapshotHash, [.snapshotHash, .shown]),
    (.anyDeltaEpoch, [.deltaEpoch]), (.anyHeartbeatEpoch, [.heartbeatEpoch]),
    (.neverBehind, [.behind]), (.ignoresBye, [.bye, .byePause]),
    (.oneNonce, [.newNonce]), (.keepsTopics, [.unsubscribe, .byePause]), (.storms, [.pause]),
    (.forgetsNoPause, [.pauseReset]), (.keepsJoinAtBye, [.byePause]),
    (.patient, [.silence]), (.impatient, [.silence]), (.oneConnection, [.silence]), (.noFailover, [.failover]),
    (.showsLost, [.shown]), (.showsNothing, []), (.staleIsNotLive, [.stale]), (.impatientAfterBye, [.byePause]),
    // A list in a wrong form never equals the feed's list.
    (.showsBase64, [.shown, .stale]), (.showsDecimal, [.shown]),
  ]

  @Test(
    "Within two minutes, each faulty subscriber fails exactly the rules that it breaks",
    arguments: FaultySubscriber.Fault.allCases)
  func found(fault: FaultySubscriber.Fault) throws {
    let wanted = try #require(SubscriberSuiteTests.faults.first { $0.0 == fault }).1
    let (report, ms) = play(fault)
    #expect(!report.isComplete)
    #expect(
      report.brokenRules == Set(wanted.map(\.rawValue)), "\(report.findings.filter { $0.verdict != .pass })")
    #expect(ms < 120_000)
  }

  @Test("Each rule has a faulty subscriber")
  func complete() {
    let broken = SubscriberSuiteTests.faults.reduce(into: Set<SubscriberRule>()) { $0.formUnion($1.1) }
    #expect(broken == Set(SubscriberRule.allCases))
    #expect(Set(SubscriberRule.allCases.map(\.rule.requirement)).count == SubscriberRule.allCases.count)
  }

  @Test("A run without a subscriber ends at its timeout and judges no rule")
  func unconnected() {
    var run = ConformanceRun<SubscriberSuite>()
    run.tick(nowMs: 0)
    run.tick(nowMs: 4_999)
    #expect(!run.isOver)
    run.tick(nowMs: 5_000)
    #expect(run.isOver)
    #expect(run.report.findings.allSatisfy { $0.verdict == .inconclusive(reason: "no subscriber connected") })
  }

  @Test("A run ends when a disconnected subscriber stays away for the liveness timeout")
  func disconnected() {
    var run = ConformanceRun<SubscriberSuite>()
    run.receive(.message(.subscribed(.delta), feed: 0), nowMs: 0)
    run.receive(.message(.unsubscribed(.delta), feed: 0), nowMs: 10)
    run.tick(nowMs: 10 + Limits.conformanceLivenessMs)
    #expect(!run.isOver)
    run.tick(nowMs: 11 + Limits.conformanceLivenessMs)
    #expect(run.isOver)
  }

  @Test("A flood of subscriptions ends the run at its limit and breaks a rule")
  func flood() {
    var run = ConformanceRun<SubscriberSuite>()
    for _ in 1..<Limits.conformanceFramesMax { run.receive(.message(.subscribed(.heartbeat), feed: 0), nowMs: 1) }
    #expect(!run.isOver)
    run.receive(.message(.subscribed(.heartbeat), feed: 0), nowMs: 1)
    #expect(run.isOver && run.report.brokenRules.contains("pause"))
  }

  @Test("A printed list is compared with the sent list only while it is live")
  func shown() {
    func finding(_ printed: PrintedList...) -> ConformanceReport.Verdict? {
      var run = ConformanceRun<SubscriberSuite>(hasProcess: true)
      for list in printed { run.receive(.printed(list), nowMs: 1) }
      run.processExited(0, nowMs: 2)
      return run.report.findings.last?.verdict
    }
    let epoch = String(repeating: "e0", count: 16)
    let wrong = PrintedList(epoch: epoch, seq: 1_100, hash: "0", isLive: true)
    guard case .fail? = finding(wrong) else {
      Issue.record("a list with a wrong hash was accepted")
      return
    }
    guard case .inconclusive? = finding(.init(epoch: epoch, seq: 7, hash: "0", isLive: false)) else {
      Issue.record("a list that is not live was judged")
      return
    }
  }
}

extension ConformanceRun<SubscriberSuite> {
  fileprivate init(hasProcess: Bool = false) {
    let context = RunContext<SubscriberRule, SubscriberProbe.Stimulus>(waitMs: 5_000, hasProcess: hasProcess, nowMs: 0)
    self.init(SubscriberSuite(context, failoverFeed: "tcp://other:7710"))
  }
}
