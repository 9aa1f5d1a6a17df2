import Testing

@testable import Conformance
@testable import Domain
@testable import Messaging

@Suite("The conformance suite for feeds")
struct FeedSuiteTests {
  /// Plays it to the end, without a network between them.
  ///
  /// - Returns: what came out, and how long it took.
  private func play(
    _ fault: FaultyFeed.Fault?, hasQueryAddress: Bool = true, hasProcess: Bool = true
  ) -> (report: ConformanceReport, ms: Int64) {
    var run = ConformanceRun<FeedSuite>(hasQueryAddress: hasQueryAddress, hasProcess: hasProcess)
    var feed = FaultyFeed(fault)
    for nowMs: Int64 in stride(from: 0, through: 200_000, by: 10) {
      feed.tick(nowMs: nowMs)
      run.tick(nowMs: nowMs)
      // As long as one of them has something to say.
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

  @Test("Our own feed keeps every rule, and a minute shows it", arguments: [false, true], [false, true])
  func whole(hasQueryAddress: Bool, hasProcess: Bool) {
    let (report, ms) = play(nil, hasQueryAddress: hasQueryAddress, hasProcess: hasProcess)
    #expect(report.isWhole, "\(report.findings.filter { $0.verdict != .holds })")
    let left = (hasProcess ? 0 : 1) + (hasQueryAddress ? 0 : FeedRule.questions.count)
    #expect(report.findings.count == FeedRule.allCases.count - left)
    #expect(ms < 70_000)
  }

  /// Which rule each fault breaks at least: a feed that is wrong in one thing is seldom right in what rests on it.
  private static let faults: [(FaultyFeed.Fault, FeedRule)] = [
    (.longName, .fetch), (.speaksFirst, .nothingBefore), (.neverAgain, .fetchRepeated), (.impatient, .oneFetch),
    (.forgetsSeq, .afterSeq), (.noSnapshot, .newList), (.noJoins, .join), (.joinsTwice, .join), (.otherTopic, .frame),
    (.noHeartbeats, .heartbeat), (.wrongHeartbeats, .heartbeat), (.overlaps, .delta),
    (.noBusyHeartbeats, .busyHeartbeat), (.stormy, .snapshotPace), (.noPeriod, .snapshotPeriod),
    (.skipsChanges, .joinMidway), (.anyJoin, .malformedJoin), (.noReturns, .deletion), (.keepsEdited, .edit),
    (.keepsEditedOnList, .edit), (.anyRequest, .otherRequest), (.diesOfGarbage, .malformedReply),
    (.anyHash, .wrongList), (.backwards, .backwards), (.anyChanges, .wrongChanges), (.oneEpoch, .epoch),
    (.neverStale, .stale), (.alwaysStale, .stale), (.oneConnection, .reconnect), (.noQuestions, .getSnapshot),
    (.alwaysList, .notModified), (.wrongDelta, .getChanges), (.modifiesNothing, .outsideRing),
    (.answersGarbage, .malformedQuery), (.noBye, .goodbye), (.lasting, .goodbye),
  ]

  @Test("Each fault is found under the rule that it breaks", arguments: FaultyFeed.Fault.allCases)
  func found(fault: FaultyFeed.Fault) throws {
    let wanted = try #require(FeedSuiteTests.faults.first { $0.0 == fault }).1
    let (report, ms) = play(fault)
    #expect(
      report.brokenRules.contains(wanted.rawValue), "\(report.findings.filter { $0.verdict != .holds })")
    #expect(ms < 120_000)
  }

  @Test("There is a fault for every rule")
  func complete() {
    #expect(Set(FeedSuiteTests.faults.map(\.1)) == Set(FeedRule.allCases))
    #expect(Set(FeedRule.allCases.map(\.rule.says)).count == FeedRule.allCases.count)
  }

  @Test("Where no feed comes, nothing is shown, and the wait is over in time")
  func nobody() {
    var run = ConformanceRun<FeedSuite>()
    run.tick(nowMs: 0)
    run.tick(nowMs: 4_999)
    #expect(!run.isOver)
    run.tick(nowMs: 5_000)
    #expect(run.isOver)
    #expect(run.report.findings.allSatisfy { $0.verdict == .notShown(why: "no feed came") })
  }

  @Test("A flood ends the run at its limit, and is told of")
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
