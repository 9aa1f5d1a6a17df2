import Testing

@testable import Conformance
@testable import Domain
@testable import Messaging

@Suite("Conformance suite for feeds")
struct FeedSuiteTests {
  /// Runs the suite against a feed to the end, without a network.
  ///
  /// - Returns: the report, and the duration in milliseconds.
  private func play(
    _ fault: FaultyFeed.Fault?, hasQueryAddress: Bool = true, hasProcess: Bool = true
  ) -> (report: ConformanceReport, ms: Int64) {
    var run = ConformanceRun<FeedSuite>(hasQueryAddress: hasQueryAddress, hasProcess: hasProcess)
    var feed = FaultyFeed(fault)
    for nowMs: Int64 in stride(from: 0, through: 200_000, by: 10) {
      feed.tick(nowMs: nowMs)
      run.tick(nowMs: nowMs)
      // Exchange messages until both sides are silent.
      while true {
        let (effects, messages) = (run.takeEffects(), feed.takeMessages())
        for effect in effects { feed.receive(effect, nowMs: nowMs) }
        for message in messages { run.receive(message, nowMs: nowMs) }
        if effects.isEmpty && messages.isEmpty { break }
      }
      if let exit = feed.exit { run.processExited(exit, nowMs: nowMs) }
      if run.isOver { return (run.report, nowMs) }
    }
    return (run.report, .max)
  }

  @Test("A correct feed passes every rule within 70 s", arguments: [false, true], [false, true])
  func whole(hasQueryAddress: Bool, hasProcess: Bool) {
    let (report, ms) = play(nil, hasQueryAddress: hasQueryAddress, hasProcess: hasProcess)
    #expect(report.isComplete, "\(report.findings.filter { $0.verdict != .pass })")
    let left = (hasProcess ? 0 : 1) + (hasQueryAddress ? 0 : FeedRule.queries.count)
    #expect(report.findings.count == FeedRule.allCases.count - left)
    #expect(ms < 70_000)
  }

  /// A rule that each fault breaks. Most faults break further rules that depend on it.
  private static let faults: [(FaultyFeed.Fault, FeedRule)] = [
    (.longName, .fetch), (.publishesFirst, .nothingBefore), (.neverRepeats, .fetchRepeated), (.impatient, .oneFetch),
    (.forgetsSeq, .afterSeq), (.noSnapshot, .newList), (.noJoins, .join), (.joinsTwice, .join), (.otherTopic, .frame),
    (.noHeartbeats, .heartbeat), (.wrongHeartbeats, .heartbeat), (.overlaps, .delta),
    (.noBusyHeartbeats, .busyHeartbeat), (.stormy, .snapshotPace), (.noPeriod, .snapshotPeriod),
    (.skipsChanges, .joinMidway), (.anyJoin, .malformedJoin), (.noReturns, .deletion), (.keepsEdited, .edit),
    (.keepsEditedOnList, .edit), (.anyRequest, .otherRequest), (.failsOnGarbage, .malformedReply),
    (.anyHash, .wrongList), (.backwards, .backwards), (.anyChanges, .wrongChanges), (.oneEpoch, .epoch),
    (.neverStale, .stale), (.alwaysStale, .stale), (.oneConnection, .reconnect), (.noQueries, .getSnapshot),
    (.alwaysList, .notModified), (.wrongDelta, .getChanges), (.modifiesNothing, .outsideRing),
    (.repliesToGarbage, .malformedQuery), (.noBye, .goodbye), (.lasting, .goodbye),
  ]

  @Test("Within two minutes, each faulty feed fails the rule that it breaks", arguments: FaultyFeed.Fault.allCases)
  func found(fault: FaultyFeed.Fault) throws {
    let wanted = try #require(FeedSuiteTests.faults.first { $0.0 == fault }).1
    let (report, ms) = play(fault)
    #expect(
      report.brokenRules.contains(wanted.rawValue), "\(report.findings.filter { $0.verdict != .pass })")
    #expect(ms < 120_000)
  }

  @Test("Each rule has a faulty feed")
  func complete() {
    #expect(Set(FeedSuiteTests.faults.map(\.1)) == Set(FeedRule.allCases))
    #expect(Set(FeedRule.allCases.map(\.rule.requirement)).count == FeedRule.allCases.count)
  }

  @Test("A run without a feed ends at its timeout and judges no rule")
  func unconnected() {
    var run = ConformanceRun<FeedSuite>()
    run.tick(nowMs: 0)
    run.tick(nowMs: 4_999)
    #expect(!run.isOver)
    run.tick(nowMs: 5_000)
    #expect(run.isOver)
    #expect(run.report.findings.allSatisfy { $0.verdict == .inconclusive(reason: "no feed connected") })
  }

  @Test("A flood of frames ends the run at its limit and breaks a rule")
  func flood() {
    var run = ConformanceRun<FeedSuite>()
    for _ in 0..<Limits.conformanceFramesMax { run.receive(.published(subscriber: 0, .heartbeat, .unknown), nowMs: 1) }
    #expect(!run.isOver)
    run.receive(.published(subscriber: 0, .heartbeat, .unknown), nowMs: 1)
    #expect(run.isOver)
    #expect(run.report.brokenRules.contains("frame"))
  }
}

extension ConformanceRun<FeedSuite> {
  fileprivate init(hasQueryAddress: Bool = true, hasProcess: Bool = false) {
    let context = RunContext<FeedRule, FeedProbe.Stimulus>(waitMs: 5_000, hasProcess: hasProcess, nowMs: 0)
    self.init(FeedSuite(context, hasQueryAddress: hasQueryAddress))
  }
}
