import SwiftProtobuf
import Testing

@testable import Conformance
@testable import Domain
@testable import Messaging

@Suite("Worker probe")
struct WorkerProbeTests {
  private typealias Stimulus = WorkerProbe.Stimulus
  private static let job = WorkerProbe.LeasedJob(
    lease: Lease(job: JobID(rawValue: 7), token: 9), query: "Oslo", kind: .postWithUnknownField)

  private func frame(of stimulus: Stimulus) throws -> IngestFrame {
    let frames = try #require(stimulus.messages.first)
    return try #require(IngestFrame(frames))
  }

  @Test("Malformed frames do not decode, and other frames do")
  func malformed() throws {
    let messages = Stimulus.malformed(session: 5).messages
    #expect(messages.count == 5)
    for frames in messages { #expect(IngestMessage(frames).map { $0.isBodyless } ?? true, "\(frames)") }
    for stimulus: Stimulus in [
      .welcome(session: 5), .jobs(session: 5, [Self.job]), .acks(session: 5, [Self.job.lease], disposition: 99),
      .heartbeat(session: 5, jobsSent: 1), .reset(session: 5), .drain(session: 5), .error(.busy, retryAfterMs: 1),
    ] {
      let frame = try frame(of: stimulus)
      #expect(frame.body != nil && frame.major == 1 && frame.minor == 0)
      #expect(frame.session == (stimulus == .error(.busy, retryAfterMs: 1) ? 0 : 5))
    }
  }

  @Test("A later minor version adds unknown fields, and another major version changes only its number")
  func versions() throws {
    let unknown = try frame(of: Stimulus.unknownBody(session: 5))
    #expect(unknown.minor == 1 && unknown.body == nil && !unknown.unknownFields.data.isEmpty)
    let later = try frame(of: Stimulus.jobs(session: 5, [Self.job], .laterMinor))
    #expect(later.minor == 1 && later.jobs.jobs[0].query == "Oslo" && !later.jobs.jobs[0].unknownFields.data.isEmpty)
    let other = try frame(of: Stimulus.jobs(session: 5, [Self.job], .otherMajor))
    #expect(other.major == 2 && other.jobs.jobs[0].jobID == 7)
  }

  @Test("The probe reports a malformed worker frame by its fault", arguments: 0..<7)
  func unreadable(number: Int) {
    func frame(_ change: (inout WorkerFrame) -> Void) -> [[UInt8]] {
      var frame = WorkerFrame(session: 5, .credit(.with { $0.jobLimit = 3 }))
      change(&frame)
      return [frame.bytes]
    }
    let (frames, words): ([[UInt8]], String) = [
      (frame { $0.magic = 1 }, "a frame with magic 00000001"), (frame { $0.major = 2 }, "a frame of major 2"),
      (frame { $0.minor = 1 }, "a frame of minor 1"), (frame { $0.body = nil }, "a frame without a body"),
      ([[0xFF, 0xFF]], "a frame that is not a WorkerFrame"), (frame { _ in } + [[]], "a message of 2 frames"),
      ([], "a message of 0 frames"),
    ][number]
    let message = WorkerProbe.ReceivedMessage(frames, connection: 3)
    guard case .unreadable(let why) = message.body else {
      Issue.record("the frame was decoded: \(message)")
      return
    }
    #expect(why == words && message.connection == 3)
  }

  @Test("The probe decodes results, and a result with an invalid place has no outcome")
  func results() {
    var frame = WorkerFrame(session: 5, .results(.with { $0.results = [.init(), .init()] }))
    frame.results.results[0].notFound = .init()
    frame.results.results[1].located = .with { $0.places = [.with { $0.label = "nowhere" }] }
    let message = WorkerProbe.ReceivedMessage([frame.bytes], connection: 1)
    guard case .results(let results) = message.body else {
      Issue.record("the message has no results: \(message)")
      return
    }
    #expect(results.map(\.reply) == [.outcome(.notFound), nil] && message.byteCount == frame.bytes.count)
  }
}

extension IngestMessage {
  /// True for a frame without a body, which workers ignore.
  fileprivate var isBodyless: Bool {
    if case .other(let frame) = self { frame.body == nil && frame.minor == 0 } else { false }
  }
}
