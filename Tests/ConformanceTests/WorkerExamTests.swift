import Testing

@testable import Conformance
@testable import Domain
@testable import Messaging

@Suite("The exam of a worker")
struct WorkerExamTests {
  private typealias Fault = Pupil.Fault

  /// Plays it to the end, without a network between them.
  ///
  /// - Returns: what came out, and how long it took.
  private func examine(_ fault: Fault?, hasProcess: Bool = true) -> (conformance: ConformanceReport, ms: Int64) {
    var exam = WorkerExam(waitMs: 5_000, query: "Oslo", hasProcess: hasProcess, nowMs: 0)
    var pupil = Pupil(fault)
    for nowMs: Int64 in stride(from: 0, through: 120_000, by: 10) {
      for utterance in pupil.tick(nowMs: nowMs) { exam.hear(utterance, nowMs: nowMs) }
      exam.tick(nowMs: nowMs)
      while case let said = exam.takeSaid(), !said.isEmpty {
        for something in said {
          for utterance in pupil.hear(something, nowMs: nowMs) { exam.hear(utterance, nowMs: nowMs) }
        }
      }
      if let exit = pupil.exit, pupil.isGone { exam.ended(exit, nowMs: nowMs) }
      if exam.isOver { return (exam.conformance, nowMs) }
    }
    return (exam.conformance, .max)
  }

  private func broken(_ conformance: ConformanceReport) -> Set<String> {
    Set(conformance.findings.filter { if case .doesNotHold = $0.verdict { true } else { false } }.map(\.rule.name))
  }

  @Test("Our own worker keeps every rule, and half a minute shows it", arguments: [false, true])
  func whole(hasProcess: Bool) {
    let (conformance, ms) = examine(nil, hasProcess: hasProcess)
    #expect(conformance.isWhole, "\(conformance.findings.filter { $0.verdict != .holds })")
    #expect(conformance.findings.count == WorkerRule.allCases.count - (hasProcess ? 0 : 1))
    #expect(ms < 30_000)
  }

  /// Which rules each fault breaks: these, and no others.
  private static let faults: [(Fault, Set<WorkerRule>)] = [
    (.longFrame, [.frame]), (.speaksFirst, [.helloFirst]), (.shortInstance, [.hello]),
    (.oneHello, [.helloRepeated, .busy]), (.newInstance, [.instance]), (.deafToBusy, [.busy]),
    (.deafToVersion, [.unsupportedVersion]), (.noCredit, [.ready]), (.window65, [.window]),
    (.formerSession, [.session, .resultsAgain]), (.unanswered, [.answer]), (.invented, [.ownLease, .heartbeatHeld]),
    (.noOutcome, [.outcome]),
    (.answersCopies, [.repeatedJob]), (.countsOnce, [.creditForCopies]), (.oneLeaseAJob, [.newLease]),
    (.noDetail, [.lookup]), (.guesses, [.malformedJob]), (.diesOfField, [.unknownField]), (.noResend, [.resend]),
    (.forgetsRetryLater, [.retryLater]), (.forgetsUnknown, [.unknownDisposition]), (.forgetsNothing, [.acknowledged]),
    (.noHeartbeat, [.heartbeat]), (.ownHeartbeat, [.heartbeat]), (.nothingHeld, [.heartbeatHeld]),
    (.otherLimit, [.heartbeatCredit]), (.fallingProgress, [.progress]), (.deafToReset, [.reset]),
    (.emptyHello, [.helloHeld]), (.forgetsAtReset, [.helloHeld, .resultsAgain]),
    (.anySession, [.otherSession, .helloOnlyWhenDue]),
    (.diesOfGarbage, [.malformedFrame]), (.diesOfBody, [.laterMinor]), (.anyMajor, [.otherMajor]),
    (.deafToDrain, [.drain]), (.deafToSilence, [.silence]), (.impatient, [.silence]), (.oneConnection, [.reconnect]),
    (.secondHello, [.helloOnlyWhenDue]), (.noGoodbye, [.goodbye]), (.lasting, [.goodbye]),
    (.countsTwoOfThree, [.creditForCopies]), (.answersWhatItKeeps, [.repeatedJob]), (.onlyTimer, [.resultsAgain]),
  ]

  @Test("Each fault is found under the rule that it breaks, and within a minute", arguments: Fault.allCases)
  func found(fault: Pupil.Fault) throws {
    let wanted = try #require(WorkerExamTests.faults.first { $0.0 == fault }).1
    let (conformance, ms) = examine(fault)
    #expect(!conformance.isWhole)
    #expect(
      broken(conformance) == Set(wanted.map(\.rawValue)), "\(conformance.findings.filter { $0.verdict != .holds })")
    #expect(ms < 60_000)
  }

  @Test("There is a fault for every rule")
  func complete() {
    let broken = WorkerExamTests.faults.reduce(into: Set<WorkerRule>()) { $0.formUnion($1.1) }
    #expect(broken == Set(WorkerRule.allCases))
    #expect(Set(WorkerRule.allCases.map(\.rule.says)).count == WorkerRule.allCases.count)
  }

  @Test("Where no worker comes, nothing is shown, and the wait is over in time")
  func nobody() {
    var exam = WorkerExam(waitMs: 5_000, query: "Oslo", hasProcess: false, nowMs: 0)
    exam.tick(nowMs: 0)
    exam.tick(nowMs: 4_999)
    #expect(!exam.isOver)
    exam.tick(nowMs: 5_000)
    #expect(exam.isOver && exam.takeSaid().isEmpty)
    #expect(exam.conformance.findings.allSatisfy { $0.verdict == .notShown(why: "no worker came") })
  }

  @Test("A worker that falls silent is not waited for longer than ten seconds")
  func gone() {
    var exam = WorkerExam(waitMs: 5_000, query: "Oslo", hasProcess: false, nowMs: 0)
    exam.hear(.init(connection: 1, session: 0, byteCount: 1, .unreadable("nothing")), nowMs: 0)
    exam.tick(nowMs: Limits.examGoneMs)
    #expect(!exam.isOver)
    exam.tick(nowMs: Limits.examGoneMs + 1)
    #expect(exam.isOver)
  }

  @Test("A flood ends the exam at its limit, and is told of")
  func flood() {
    var exam = WorkerExam(waitMs: 5_000, query: "Oslo", hasProcess: false, nowMs: 0)
    for _ in 1..<Limits.examFramesMax {
      exam.hear(.init(connection: 1, session: 0, byteCount: 1, .ready(jobLimit: 1)), nowMs: 1)
    }
    #expect(!exam.isOver)
    exam.hear(.init(connection: 1, session: 0, byteCount: 1, .ready(jobLimit: 1)), nowMs: 1)
    #expect(exam.isOver && broken(exam.conformance).contains("frame"))
  }

  @Test("A frame may have 1,024 bytes, and no more")
  func long() {
    for (bytes, isBroken) in [(Limits.examFrameBytesMax, false), (Limits.examFrameBytesMax + 1, true)] {
      var exam = WorkerExam(waitMs: 5_000, query: "Oslo", hasProcess: false, nowMs: 0)
      exam.hear(.init(connection: 1, session: 0, byteCount: bytes, .ready(jobLimit: 1)), nowMs: 1)
      #expect(broken(exam.conformance).contains("frame") == isBroken)
    }
  }
}
