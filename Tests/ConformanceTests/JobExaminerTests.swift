import SwiftProtobuf
import Synchronization
import Testing

@testable import Conformance
@testable import Domain
@testable import Messaging

@Suite("The examiner of workers")
struct JobExaminerTests {
  private typealias Said = WorkerExam.Said
  private static let task = WorkerExam.Task(
    lease: Lease(job: JobID(rawValue: 7), token: 9), query: "Oslo", kind: .postWithUnknownField)

  private func frame(of said: Said) throws -> IngestFrame {
    let frames = try #require(said.messages.first)
    return try #require(IngestFrame(frames))
  }

  @Test("Frames that nobody can read are such, and those that count are not")
  func malformed() throws {
    let messages = Said.malformed(session: 5).messages
    #expect(messages.count == 5)
    for frames in messages { #expect(IngestMessage(frames).map { $0.isBodyless } ?? true, "\(frames)") }
    for said: Said in [
      .welcome(session: 5), .jobs(session: 5, [Self.task]), .acks(session: 5, [Self.task.lease], disposition: 99),
      .heartbeat(session: 5, jobsSent: 1), .reset(session: 5), .drain(session: 5), .error(.busy, retryAfterMs: 1),
    ] {
      let frame = try frame(of: said)
      #expect(frame.body != nil && frame.major == 1 && frame.minor == 0)
      #expect(frame.session == (said == .error(.busy, retryAfterMs: 1) ? 0 : 5))
    }
    #expect(Said.terminate.messages.isEmpty)
  }

  @Test("A later minor has what is unknown here beside what is known; another major only its number")
  func versions() throws {
    let unknown = try frame(of: Said.unknownBody(session: 5))
    #expect(unknown.minor == 1 && unknown.body == nil && !unknown.unknownFields.data.isEmpty)
    let later = try frame(of: Said.jobs(session: 5, [Self.task], .laterMinor))
    #expect(later.minor == 1 && later.jobs.jobs[0].query == "Oslo" && !later.jobs.jobs[0].unknownFields.data.isEmpty)
    let other = try frame(of: Said.jobs(session: 5, [Self.task], .otherMajor))
    #expect(other.major == 2 && other.jobs.jobs[0].jobID == 7)
  }

  @Test("What a worker must not say is told in words", arguments: 0..<7)
  func unreadable(number: Int) {
    func frame(_ change: (inout WorkerFrame) -> Void) -> [[UInt8]] {
      var frame = WorkerFrame(session: 5, .ready(.with { $0.jobLimit = 3 }))
      change(&frame)
      return [frame.bytes]
    }
    let (frames, words): ([[UInt8]], String) = [
      (frame { $0.magic = 1 }, "a frame with magic 00000001"), (frame { $0.major = 2 }, "a frame of major 2"),
      (frame { $0.minor = 1 }, "a frame of minor 1"), (frame { $0.body = nil }, "a frame without a body"),
      ([[0xFF, 0xFF]], "a frame that is no WorkerFrame"), (frame { _ in } + [[]], "a message of 2 frames"),
      ([], "a message of 0 frames"),
    ][number]
    let utterance = WorkerExam.Utterance(frames[...], connection: 3)
    guard case .unreadable(let why) = utterance.body else {
      Issue.record("it was read: \(utterance)")
      return
    }
    #expect(why == words && utterance.connection == 3)
  }

  @Test("It reads what a worker says, with places that are not allowed as no outcome")
  func results() {
    var frame = WorkerFrame(session: 5, .results(.with { $0.results = [.init(), .init()] }))
    frame.results.results[0].notFound = .init()
    frame.results.results[1].located = .with { $0.places = [.with { $0.label = "nowhere" }] }
    let utterance = WorkerExam.Utterance([frame.bytes], connection: 1)
    guard case .results(let answers) = utterance.body else {
      Issue.record("not Results: \(utterance)")
      return
    }
    #expect(answers.map(\.answer) == [.outcome(.notFound), nil] && utterance.byteCount == frame.bytes.count)
  }

  @Test("Where no worker comes, the exam is over when the wait is")
  func nobody() async throws {
    let told = Mutex<ConformanceReport?>(nil)
    let endpoint = try Endpoint.anyPort()
    let wake = Wake()
    let (reactor, bound) = try Reactor.start("conform", wake: wake) { context in
      let examiner = try JobExaminer(
        context, bind: endpoint, waitMs: 100, query: "Oslo", hasProcess: false, inbox: Inbox(wake), logger: quiet,
        listener: .init(came: { _ in }, terminate: {}, finished: { result in told.withLock { $0 = result } }))
      return ([examiner], examiner.endpoint)
    }
    defer { reactor.stop() }
    #expect(bound.port > 0)
    try await eventually("it is over") { told.withLock { $0 != nil } }
    #expect(told.withLock { $0?.findings.count } == WorkerRule.allCases.count - 1)
  }
}

extension IngestMessage {
  /// Such a frame is dropped too.
  fileprivate var isBodyless: Bool {
    if case .other(let frame) = self { frame.body == nil && frame.minor == 0 } else { false }
  }
}
