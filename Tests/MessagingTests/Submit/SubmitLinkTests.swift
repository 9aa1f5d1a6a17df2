import CZeroMQ
import SwiftProtobuf
import Synchronization
import Testing

@testable import Domain
@testable import Messaging

@Suite("Submission link")
struct SubmitLinkTests {
  private let server = TestSubmitServer()

  private func withServer(_ body: (Endpoint) async throws -> Void) async throws {
    let (reactor, endpoint) = try server.start()
    defer { reactor.stop() }
    try await body(endpoint)
  }

  private func producer(_ endpoint: Endpoint) -> RawProducer {
    RawProducer(socket: RawSocket(ZMQ_DEALER, connect: endpoint))
  }

  @Test("Each post of a batch gets its own receipt, in order")
  func receipts() async throws {
    try await withServer { endpoint in
      let producer = producer(endpoint)
      producer.send(7, [.sample(1), .sample(2, place: "no"), .sample(1), .sample(3)])
      let reply = try await producer.reply(to: 7)
      let refusal = SubmitRefusal(code: "invalid_place", detail: "place is no place", field: "place")
      #expect(
        reply.receipts.receipts.map(\.receipt) == [
          .accepted(.numbered(1)), .refused(refusal), .replayed(.numbered(1)), .accepted(.numbered(2)),
        ])
    }
  }

  @Test("A resent batch stores no post twice, also over another connection")
  func duplicates() async throws {
    try await withServer { endpoint in
      let posts = (0..<64).map { SubmittedPost.sample($0) }
      let (first, second) = (producer(endpoint), producer(endpoint))
      first.send(1, posts)
      let ids = try await first.reply(to: 1).receipts.receipts.map(\.postID)
      for producer in [first, second] {
        producer.send(2, posts)
        let again = try await producer.reply(to: 2).receipts.receipts
        #expect(again.map(\.postID) == ids && again.allSatisfy { $0.outcome == .replayed })
      }
      #expect(server.stored == 64 && server.accepted == 64)
    }
  }

  @Test("The largest batch fits one frame, and a batch of 0 or too many posts is refused")
  func size() async throws {
    try await withServer { endpoint in
      let producer = producer(endpoint)
      let longest = (0..<Limits.submitPostsMax).map { number in
        SubmittedPost(
          idempotencyKey: "\(number)-" + String(repeating: "k", count: Limits.idempotencyKeyBytesMax - 4),
          place: String(repeating: "p", count: Limits.placeBytesMax),
          link: String(repeating: "l", count: Limits.linkBytesMax), latitude: -89.999_999_9, longitude: -179.999_999_9)
      }
      producer.send(1, longest)
      #expect(try await producer.reply(to: 1).receipts.receipts.count == Limits.submitPostsMax)
      for (id, posts) in [(2, longest.map { .sample($0.place.count) } + [.sample(1)]), (3, [])]
        as [(UInt64, [SubmittedPost])]
      {
        producer.send(id, posts)
        let error = try await producer.reply(to: id).error
        #expect(error.code == .outOfRange && error.detail.contains("1 to \(Limits.submitPostsMax)"))
      }
      #expect(server.stored == Limits.submitPostsMax)
    }
  }

  @Test("A frame of the maximum size is accepted, and one byte more ends only its own connection")
  func oversize() async throws {
    try await withServer { endpoint in
      let (large, other) = (producer(endpoint), producer(endpoint))
      var request = SubmitRequest(
        id: 1, token: TestSubmitServer.token, .batch(.with { $0.posts = [.init(.sample(1))] }))
      func frame(_ bytes: Int) -> [UInt8] {
        request.batch.posts[0].link = ""
        request.batch.posts[0].link = String(repeating: "x", count: bytes - request.bytes.count - 9)
        while request.bytes.count < bytes { request.batch.posts[0].link += "x" }
        return request.bytes
      }
      let fits = frame(Limits.submitFrameBytesMax)
      #expect(fits.count == Limits.submitFrameBytesMax)
      large.socket.send([fits])
      #expect(try await large.reply(to: 1).receipts.receipts.count == 1)
      request.requestID = 2
      large.socket.send([frame(Limits.submitFrameBytesMax) + [0]])
      // libzmq reconnects by itself, and the next frame arrives.
      try await eventually("a frame on the new connection has a reply") {
        large.send(3, [.sample(3)])
        while let frames = large.socket.receive() {
          let reply = SubmitReply(frames)
          if reply?.requestID == 2 { Issue.record("the server decoded the longer frame") }
          if reply?.requestID == 3 { return true }
        }
        return false
      }
      other.send(4, [.sample(4)])
      #expect(try await other.reply(to: 4).receipts.receipts.count == 1)
    }
  }

  @Test("A token is authenticated once for many batches of a connection")
  func lookups() async throws {
    try await withServer { endpoint in
      let producer = producer(endpoint)
      let startMs = Reactor.nowMs
      for id in 1...9 as ClosedRange<UInt64> {
        producer.send(id, [.sample(Int(id))])
        _ = try await producer.reply(to: id)
      }
      // An authentication lasts a second, and slow batches may need another one.
      let lookupsMax = 1 + Int((Reactor.nowMs - startMs) / Limits.submitTokenMs)
      #expect((1...lookupsMax).contains(server.lookups))
      #expect(server.stored == 9)
    }
  }

  @Test("A token without a session is refused as unauthorized")
  func unauthorized() async throws {
    try await withServer { endpoint in
      let producer = producer(endpoint)
      let tokens = ["", "x", String(repeating: "x", count: 43), String(repeating: "é", count: 500)]
      for (id, token) in zip(1..., tokens) {
        producer.send(UInt64(id), token: token, [.sample(1)])
        let error = try await producer.reply(to: UInt64(id)).error
        #expect(error.code == .unauthorized && error.detail.contains("token") && error.retryAfterMs == 1_000)
      }
      #expect(server.stored == 0 && server.lookups == 1, "Only a token of the right length is looked up.")
    }
  }

  @Test("A revoked session is refused soon, even on a busy connection")
  func revoked() async throws {
    try await withServer { endpoint in
      let producer = producer(endpoint)
      producer.send(1, [.sample(1)])
      _ = try await producer.reply(to: 1)
      server.revokeSession()
      var id: UInt64 = 1
      while true {
        id += 1
        producer.send(id, [.sample(Int(id))])
        if try await producer.reply(to: id).error.code == .unauthorized { break }
        try #require(id < 100_000, "The server still accepts the session.")
      }
    }
  }

  @Test("A query returns statuses in the order of its ids")
  func statuses() async throws {
    try await withServer { endpoint in
      let producer = producer(endpoint)
      func query(_ id: UInt64, _ ids: [String]) async throws -> SubmitReply {
        let request = SubmitRequest(id: id, token: TestSubmitServer.token, .query(.with { $0.postIds = ids }))
        producer.socket.send([request.bytes])
        return try await producer.reply(to: id)
      }
      let (known, missing) = (PostID.numbered(5).description, PostID.numbered(100).description)
      let statuses = try await query(1, [missing, known]).statuses.statuses
      #expect(statuses.map(\.postID) == [missing, known] && statuses.map(\.state) == [.notFound, .published])
      #expect(statuses[1].label == "Oslo, Norway" && statuses[1].latE7 == 599_000_000 && statuses[1].seq == 7)
      #expect(statuses[1].agreement == .verified && statuses[1].countryCode == "NO")
      for (id, ids) in [(2, ["x"]), (3, []), (4, Array(repeating: known, count: 257))] as [(UInt64, [String])] {
        #expect(try await query(id, ids).error.code == .outOfRange)
      }
      #expect(try await query(5, Array(repeating: known, count: 256)).statuses.statuses.count == 256)
    }
  }

  @Test("A producer with too many open requests gets BUSY, and others are served")
  func tooManyRequests() async throws {
    try await withServer { endpoint in
      let (flooder, other) = (producer(endpoint), producer(endpoint))
      flooder.send(1, [.sample(1)])
      _ = try await flooder.reply(to: 1)
      server.setSilent(true)
      for id in 2...200 as ClosedRange<UInt64> { flooder.send(id, [.sample(Int(id))]) }
      // Replies come in order, so the last one shows that the server has decided on all requests. The connection may
      // drop some replies, so the producer repeats the last request.
      var last: SubmitReply?
      try await eventually("the last request has a reply") {
        flooder.send(200, [.sample(200)])
        while let frames = flooder.socket.receive() {
          last = SubmitReply(frames).flatMap { $0.requestID == 200 ? $0 : last }
        }
        return last != nil
      }
      #expect(last?.error.code == .busy && last?.error.retryAfterMs == 2_000)
      #expect(server.batches == 1 + Limits.submitRequestsOfConnectionMax)
      server.setSilent(false)
      other.send(1, [.sample(1_000)])
      #expect(try await other.reply(to: 1).receipts.receipts.first?.outcome == .accepted)
    }
  }

  @Test("Malformed frames get at most one error a second, and the connection stays open")
  func malformed() async throws {
    try await withServer { endpoint in
      let producer = producer(endpoint)
      let startMs = Reactor.nowMs
      for _ in 0..<50 { producer.socket.send([[1, 2, 3]]) }
      producer.send(9, [.sample(1)])
      var replies: [SubmitReply] = []
      try await eventually("the batch has a reply") {
        while let frames = producer.socket.receive() { replies += SubmitReply(frames).map { [$0] } ?? [] }
        return replies.contains { $0.requestID == 9 }
      }
      let errors = replies.dropLast()
      let errorsMax = linesMax(everyMs: Limits.malformedRepeatMs, since: startMs)
      #expect((1...errorsMax).contains(errors.count) && errors.allSatisfy { $0.error.code == .malformed })
      #expect(replies.last?.receipts.receipts.count == 1)
    }
  }

  @Test(
    "A request of another major version or with an unknown body gets an error with the supported version",
    arguments: [true, false])
  func versions(isOtherMajor: Bool) async throws {
    try await withServer { endpoint in
      let producer = producer(endpoint)
      var request = SubmitRequest(
        id: 5, token: TestSubmitServer.token, .batch(.with { $0.posts = [.init(.sample(1))] }))
      if isOtherMajor { request.major = 2 } else { (request.minor, request.body) = (1, nil) }
      producer.socket.send([request.bytes])
      let error = try await producer.reply(to: 5).error
      #expect(error.code == .unsupportedVersion && error.detail.contains("1.0"))
      #expect(server.stored == 0)
    }
  }

  @Test("The client gets one receipt per post despite a restart of the server and lost replies")
  func client() async throws {
    let (first, endpoint) = try server.start()
    let posts = Mutex((allowed: 100, sent: 0, ids: Set<PostID>(), receipts: 0))
    let (client, _) = try Reactor.start("client", wake: WakeupEvent()) { context in
      let client = try SubmitClient(
        context, connect: [endpoint], token: TestSubmitServer.token, logger: quiet,
        next: { nowMs in
          posts.withLock { posts in
            guard posts.sent < 300 else { return .over }
            guard posts.sent < posts.allowed else { return .pause(untilMs: nowMs + 1) }
            let batch = (posts.sent..<posts.sent + 10).map { SubmittedPost.sample($0) }
            posts.sent += 10
            return .batch(UInt64(posts.sent), batch)
          }
        },
        event: { event in
          guard case .receipts(_, let receipts) = event else { return }
          posts.withLock { posts in
            posts.receipts += receipts.count
            posts.ids.formUnion(receipts.compactMap(\.post))
          }
        })
      return ([client], ())
    }
    defer { client.stop() }
    try await eventually("the first 100 posts have receipts") { posts.withLock { $0.receipts } == 100 }
    server.setSilent(true)
    posts.withLock { $0.allowed = 300 }
    // The client has at most 16 open batches of ten posts. On a slow machine it resends some, but sends no new batch.
    try await eventually("the server has 160 more posts") {
      server.stored == 100 + 10 * Limits.submitRequestsOfConnectionMax
    }
    // The server stops with the replies that it holds back, so they are lost.
    first.stop()
    server.setSilent(false)
    // A connection of another test may use the port for a moment.
    let deadline = ContinuousClock.now + .seconds(120)
    var started = try? server.start(endpoint)
    while started == nil, ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(20))
      started = try? server.start(endpoint)
    }
    let (second, _) = try #require(started)
    defer { second.stop() }
    try await eventually("all posts have receipts") { posts.withLock { $0.receipts } == 300 }
    #expect(server.accepted == 300 && server.stored == 300)
    #expect(
      server.batches >= 30 + Limits.submitRequestsOfConnectionMax, "The client resent the batches with lost replies.")
    #expect(posts.withLock { $0.ids.count } == 300)
  }

  @Test("A client that reconnects resends its open batches, except one with a pause")
  func anew() async throws {
    try await withServer { endpoint in
      let (clock, allowed, replies) = (Shared<Int64>(0), Shared(1), Shared(0))
      let (client, _) = try Reactor.start("client", wake: WakeupEvent()) { context in
        ([try TimedClient(context, connect: endpoint, clock: clock, allowed: allowed, replies: replies)], ())
      }
      defer { client.stop() }
      // The client's clock advances only while it waits for a connection.
      try await eventually("the first batch has a reply") {
        clock.change { $0 += 1 }
        return replies.value == 1
      }
      server.setBusy(retryAfterMs: 60_000)
      allowed.change { $0 = 2 }
      try await eventually("the second batch has a pause") { replies.value == 2 }
      server.setBusy(retryAfterMs: nil)
      let startMs = clock.value
      server.setSilent(true)
      allowed.change { $0 = 5 }
      try await eventually("the server has three more batches") { server.batches == 5 }
      clock.change { $0 = startMs + Limits.submitReplyTimeoutMs }
      try await eventually("the server has each of the three batches twice") { server.batches == 8 }
      clock.change { $0 = startMs + Limits.livenessMs + 1 }
      let dueMs = startMs + 2 * Limits.submitReplyTimeoutMs
      try await eventually("the server has each of the three batches over the new connection") {
        clock.change { $0 = min($0 + 1, dueMs - 1) }
        return server.batches >= 11
      }
      // A connection keeps the order, so a resent second batch would arrive before this one.
      allowed.change { $0 = 6 }
      try await eventually("the server has one more batch") { server.stored == 5 && server.batches >= 12 }
      #expect(server.batches == 12, "The client does not resend the second batch during its pause.")
    }
  }
}

/// A submit client whose clock a test sets.
private final class TimedClient: ReactorSocket {
  private let client: SubmitClient
  private let clock: Shared<Int64>
  private let baseMs: Int64

  /// - Parameters:
  ///   - clock: The client's time, in milliseconds since its start.
  ///   - allowed: Maximum number of batches that the client may send.
  ///   - replies: Counter of batches that have receipts or a pause.
  init(
    _ context: Reactor.Context, connect endpoint: Endpoint, clock: Shared<Int64>, allowed: Shared<Int>,
    replies: Shared<Int>
  ) throws(LinkError) {
    var sent = 0
    client = try SubmitClient(
      context, connect: [endpoint], token: TestSubmitServer.token, logger: quiet,
      next: { nowMs in
        guard sent < allowed.value else { return .pause(untilMs: nowMs + 1) }
        sent += 1
        return .batch(UInt64(sent), [.sample(sent)])
      },
      event: { event in
        switch event {
        case .receipts, .repeated(_, reason: "busy"): replies.change { $0 += 1 }
        default: break
        }
      })
    self.clock = clock
    // Read the time after the client has started to count silence.
    baseMs = Reactor.nowMs
  }

  var socket: Socket { client.socket }

  func receive(_ frames: [[UInt8]], nowMs: Int64) { client.receive(frames, nowMs: baseMs + clock.value) }

  func tick(nowMs: Int64) -> Int64 {
    _ = client.tick(nowMs: baseMs + clock.value)
    return nowMs + 1
  }

  func shutDown() { client.shutDown() }
}
