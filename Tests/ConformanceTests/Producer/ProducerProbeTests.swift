import SwiftProtobuf
import Synchronization
import Testing

@testable import Conformance
@testable import Domain
@testable import Messaging

@Suite("Producer probe")
struct ProducerProbeTests {
  private typealias Stimulus = ProducerProbe.Stimulus

  private static let post = SubmittedPost(idempotencyKey: "k", place: "Oslo", link: "https://example.org")
  private static let receipts: [SubmitReceipt] = [.accepted(.numbered(7))]

  @Test("Malformed replies do not decode")
  func malformed() {
    let frames = Stimulus.malformed(connection: 1, id: 5, Self.receipts).frames
    #expect(frames.count == 6)
    for frame in frames {
      #expect(SubmitCodec.receipts(frame) == nil, "\(frame)")
      #expect(SubmitReply([frame])?.body == nil, "\(frame)")
    }
  }

  @Test("Replies decode like those of ingest, also with a later minor version")
  func replies() throws {
    for isLater in [false, true] {
      let frames = Stimulus.receipts(connection: 1, id: 5, Self.receipts, isLater: isLater).frames
      #expect(frames.count == 1)
      let reply = try #require(SubmitReply(frames))
      #expect(reply.requestID == 5 && reply.receipts.receipts.map(\.receipt) == Self.receipts)
      #expect(reply.minor == (isLater ? 1 : 0) && reply.unknownFields.data.isEmpty != isLater)
    }
    let error = try #require(
      SubmitReply(Stimulus.error(connection: 1, id: 5, .unauthorized, retryAfterMs: 1_000).frames))
    #expect(error.requestID == 5 && error.error.code == .unauthorized && error.error.retryAfterMs == 1_000)
    let statuses = try #require(SubmitReply(Stimulus.statuses(connection: 1, id: 5, ["0000000007"]).frames))
    #expect(statuses.statuses.statuses.map(\.postID) == ["0000000007"])
  }

  @Test("The probe decodes a batch, and reports a malformed request by its fault", arguments: 0..<6)
  func messages(number: Int) {
    func frame(_ change: (inout SubmitRequest) -> Void) -> [[UInt8]] {
      var request = SubmitRequest(id: 5, token: "t", .batch(.with { $0.posts = [.init(Self.post)] }))
      change(&request)
      return [request.bytes]
    }
    let right = ProducerProbe.ReceivedMessage(frame { _ in }, connection: 3)
    guard case .batch([Self.post]) = right.body, right.id == 5, right.token == "t", right.connection == 3 else {
      Issue.record("the batch was not decoded: \(right)")
      return
    }
    let (frames, words): ([[UInt8]], String) = [
      (frame { $0.magic = 1 }, "a frame with magic 00000001"), (frame { $0.major = 2 }, "a frame of major 2"),
      (frame { $0.minor = 1 }, "a frame of minor 1"), (frame { $0.body = nil }, "a frame without a body"),
      ([[0xFF, 0xFF]], "a frame that is not a SubmitRequest"), (frame { _ in } + [[]], "a message of 2 frames"),
    ][number]
    guard case .unreadable(words) = ProducerProbe.ReceivedMessage(frames, connection: 3).body else {
      Issue.record("the request was decoded")
      return
    }
  }

  @Test("After a refused token, the submit client sends no further batch, and reports each batch as refused")
  func refusedToken() async throws {
    let received = Mutex<[UInt64]>([])
    let refused = Mutex<Set<UInt64>>([])
    let endpoint = try Endpoint.anyPort()
    let (reactor, bound) = try Reactor.start("ingest", wake: WakeupEvent()) { context in
      let ingest = try RefusingIngest(context, bind: endpoint) { id in received.withLock { $0.append(id) } }
      return ([ingest], ingest.endpoint)
    }
    defer { reactor.stop() }
    let (producer, _) = try Reactor.start("producer", wake: WakeupEvent()) { context in
      var count: UInt64 = 0
      let client = try SubmitClient(
        context, connect: [bound], token: String(repeating: "t", count: 43), logger: quiet,
        next: { _ in
          count += 1
          return count > 40 ? .over : .batch(count, [Self.post])
        },
        event: { event in
          if case .refused(let id, let refusal) = event, refusal.code == "session_required" {
            refused.withLock { _ = $0.insert(id) }
          }
        })
      return ([client], ())
    }
    defer { producer.stop() }
    try await eventually("every batch is refused") { refused.withLock { $0.count == 40 } }
    let count = received.withLock { $0.count }
    #expect(
      (1...Limits.submitRequestsOfConnectionMax).contains(count),
      "\(count) batches arrived, but only those in flight may")
  }
}

/// An ingest that refuses every token.
private final class RefusingIngest: ReactorSocket {
  let socket: Socket
  let endpoint: Endpoint
  private let onRequest: (UInt64) -> Void

  init(_ context: Reactor.Context, bind: Endpoint, onRequest: @escaping (UInt64) -> Void) throws(LinkError) {
    socket = try context.socket(.router, frameBytesMax: Limits.submitFrameBytesMax)
    endpoint = try context.bind(socket, bind, as: .submit, curve: nil, logger: quiet)
    self.onRequest = onRequest
  }

  func receive(_ frames: [[UInt8]], nowMs: Int64) {
    guard let peer = frames.first, let request = ProducerMessage(frames.dropFirst()) else { return }
    onRequest(request.id)
    let stimulus = ProducerProbe.Stimulus.error(connection: 1, id: request.id, .unauthorized, retryAfterMs: 1_000)
    for frame in stimulus.frames { socket.send(peer, frame) }
  }

  func tick(nowMs: Int64) -> Int64 { .max }

  func shutDown() {}
}
