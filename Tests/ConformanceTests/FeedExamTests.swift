import Testing

@testable import Conformance
@testable import Domain
@testable import Messaging

@Suite("The exam of a feed")
struct FeedExamTests {
  /// Plays it to the end, without a network between them.
  ///
  /// - Returns: what came out, and how long it took.
  private func examine(
    _ fault: Publisher.Fault?, hasQuestions: Bool = true, hasProcess: Bool = true
  ) -> (conformance: ConformanceReport, ms: Int64) {
    var exam = FeedExam(waitMs: 5_000, hasQuestions: hasQuestions, hasProcess: hasProcess, nowMs: 0)
    var feed = Publisher(fault)
    for nowMs: Int64 in stride(from: 0, through: 200_000, by: 10) {
      feed.tick(nowMs: nowMs)
      exam.tick(nowMs: nowMs)
      // As long as one of them has something to say.
      while true {
        let (said, told) = (exam.takeSaid(), feed.takeSaid())
        for something in said { feed.hear(something, nowMs: nowMs) }
        for utterance in told { exam.hear(utterance, nowMs: nowMs) }
        if said.isEmpty && told.isEmpty { break }
      }
      if let exit = feed.exit { exam.ended(exit, nowMs: nowMs) }
      if exam.isOver { return (exam.conformance, nowMs) }
    }
    return (exam.conformance, .max)
  }

  private func broken(_ conformance: ConformanceReport) -> Set<String> {
    Set(conformance.findings.filter { if case .doesNotHold = $0.verdict { true } else { false } }.map(\.rule.name))
  }

  @Test("Our own feed keeps every rule, and a minute shows it", arguments: [false, true], [false, true])
  func whole(hasQuestions: Bool, hasProcess: Bool) {
    let (conformance, ms) = examine(nil, hasQuestions: hasQuestions, hasProcess: hasProcess)
    #expect(conformance.isWhole, "\(conformance.findings.filter { $0.verdict != .holds })")
    let left = (hasProcess ? 0 : 1) + (hasQuestions ? 0 : FeedRule.questions.count)
    #expect(conformance.findings.count == FeedRule.allCases.count - left)
    #expect(ms < 70_000)
  }

  /// Which rule each fault breaks at least: a feed that is wrong in one thing is seldom right in what rests on it.
  private static let faults: [(Publisher.Fault, FeedRule)] = [
    (.longName, .fetch), (.speaksFirst, .nothingBefore), (.neverAgain, .fetchRepeated), (.impatient, .oneFetch),
    (.forgetsSeq, .afterSeq), (.noSnapshot, .newList), (.noJoins, .join), (.joinsTwice, .join), (.otherTopic, .frame),
    (.noHeartbeats, .heartbeat), (.wrongHeartbeats, .heartbeat), (.overlaps, .delta),
    (.noBusyHeartbeats, .busyHeartbeat), (.stormy, .snapshotPace), (.noPeriod, .snapshotPeriod),
    (.skipsChanges, .joinMidway), (.anyJoin, .malformedJoin), (.noReturns, .deletion), (.keepsEdited, .edit),
    (.keepsEditedOnList, .edit), (.anyRequest, .otherRequest), (.diesOfGarbage, .malformedReply),
    (.anyHash, .wrongList), (.backwards, .backwards), (.anyChanges, .wrongChanges), (.oneEpoch, .epoch),
    (.neverStale, .stale), (.alwaysStale, .stale), (.oneConnection, .reconnect), (.noQuestions, .getSnapshot),
    (.alwaysList, .notModified), (.wrongDelta, .getChanges), (.modifiesNothing, .outsideRing),
    (.answersGarbage, .malformedQuestion), (.noBye, .goodbye), (.lasting, .goodbye),
  ]

  @Test("Each fault is found under the rule that it breaks", arguments: Publisher.Fault.allCases)
  func found(fault: Publisher.Fault) throws {
    let wanted = try #require(FeedExamTests.faults.first { $0.0 == fault }).1
    let (conformance, ms) = examine(fault)
    #expect(
      broken(conformance).contains(wanted.rawValue), "\(conformance.findings.filter { $0.verdict != .holds })")
    #expect(ms < 120_000)
  }

  @Test("There is a fault for every rule")
  func complete() {
    #expect(Set(FeedExamTests.faults.map(\.1)) == Set(FeedRule.allCases))
    #expect(Set(FeedRule.allCases.map(\.rule.says)).count == FeedRule.allCases.count)
  }

  @Test("Where no feed comes, nothing is shown, and the wait is over in time")
  func nobody() {
    var exam = FeedExam(waitMs: 5_000, hasQuestions: true, hasProcess: false, nowMs: 0)
    exam.tick(nowMs: 0)
    exam.tick(nowMs: 4_999)
    #expect(!exam.isOver)
    exam.tick(nowMs: 5_000)
    #expect(exam.isOver)
    #expect(exam.conformance.findings.allSatisfy { $0.verdict == .notShown(why: "no feed came") })
  }

  @Test("A flood ends the exam at its limit, and is told of")
  func flood() {
    var exam = FeedExam(waitMs: 5_000, hasQuestions: true, hasProcess: false, nowMs: 0)
    for _ in 0..<Limits.examFramesMax { exam.hear(.told(subscriber: 0, .heartbeat, .later), nowMs: 1) }
    #expect(!exam.isOver)
    exam.hear(.told(subscriber: 0, .heartbeat, .later), nowMs: 1)
    #expect(exam.isOver)
    #expect(broken(exam.conformance).contains("frame"))
  }
}
