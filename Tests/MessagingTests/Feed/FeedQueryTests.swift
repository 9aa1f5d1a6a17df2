import CZeroMQ
import FoundationEssentials
import SwiftProtobuf
import Testing

@testable import Domain
@testable import Messaging

@Suite("Feed query port")
struct FeedQueryTests {
  /// A client, as proto/README.md describes it.
  private final class QueryClient {
    private let socket: RawSocket
    private var id: UInt64 = 0

    init(_ endpoint: Endpoint, unreadMax: Int32? = nil) {
      socket = RawSocket(ZMQ_DEALER, connect: endpoint, unreadMax: unreadMax)
    }

    func send(_ frames: [[UInt8]]) { socket.send(frames) }

    func receive() async throws -> [[UInt8]] {
      var frames: [[UInt8]]?
      try await eventually("the client has a reply") {
        frames = self.socket.receive()
        return frames != nil
      }
      return frames ?? []
    }

    func query(_ body: FeedRequest.OneOf_Body) async throws -> FeedReply {
      id += 1
      send([FeedQueryTests.request(id, body).bytes])
      let reply = try FeedReply(serializedBytes: try await receive().last ?? [])
      #expect(reply.requestID == id && reply.magic == Protocol.magic && reply.major == Protocol.major)
      return reply
    }

    /// Repeats a query until its reply is as expected, for at most 120 s.
    func query(_ body: FeedRequest.OneOf_Body, until isExpected: (FeedReply) -> Bool) async throws {
      let start = ContinuousClock.now
      while try await !isExpected(query(body)) {
        try #require(ContinuousClock.now - start < .seconds(120))
        // The pause keeps the rate below the limit of a peer.
        try await Task.sleep(for: .milliseconds(20))
      }
    }
  }

  private static func request(_ id: UInt64, _ body: FeedRequest.OneOf_Body?) -> FeedRequest {
    .with {
      ($0.magic, $0.major, $0.requestID) = (Protocol.magic, Protocol.major, id)
      $0.body = body
    }
  }

  private static func changes(since seq: UInt64, of epoch: Epoch = .filled(with: 1)) -> FeedRequest.OneOf_Body {
    .getChanges(.with { ($0.epoch, $0.afterSeq) = (Data(epoch.bytes), seq) })
  }

  private static func list(unless seq: UInt64, of epoch: Epoch? = .filled(with: 1)) -> FeedRequest.OneOf_Body {
    .getSnapshot(.with { ($0.ifEpoch, $0.ifSeq) = (Data(epoch?.bytes ?? []), seq) })
  }

  private func withFeed(
    _ state: FeedState = .sample(1...150), queriesPerSecond: Int = Limits.feedQueriesPerSecondMax,
    _ body: (TestChangeServer, TestFeed, QueryClient) async throws -> Void
  ) async throws {
    let server = try TestChangeServer(state)
    defer { server.reactor.stop() }
    let feed = try TestFeed(pulling: server.endpoint, queriesPerSecond: queriesPerSecond)
    defer { feed.reactor.stop() }
    let client = QueryClient(feed.query)
    try await client.query(Self.list(unless: 0), until: { $0.error.code != .unavailable })
    try await body(server, feed, client)
  }

  @Test("A get_snapshot query returns the list, or not modified if the client has it")
  func snapshot() async throws {
    try await withFeed { _, _, client in
      let whole = try await client.query(Self.list(unless: 0, of: nil))
      #expect(whole.seq == 150 && !whole.stale && whole.snapshot.reason == .query)
      let state = try #require(whole.snapshot.state(.filled(with: 1), whole.seq))
      #expect(state == .sample(1...150) && state.hash == whole.snapshot.stateHash)
      #expect(try await client.query(Self.list(unless: 150)).body == .notModified(.init()))
      for (seq, epoch) in [(149, 1), (151, 1), (150, 2)] as [(UInt64, UInt8)] {
        let reply = try await client.query(Self.list(unless: seq, of: .filled(with: epoch)))
        #expect(reply.snapshot == whole.snapshot, "\(seq)")
      }
    }
  }

  @Test("A get_changes query returns one delta, or a snapshot outside the ring")
  func changesSince() async throws {
    try await withFeed { server, _, client in
      server.commands.enqueue((151...400).map { .sample($0) })
      server.commands.enqueue([.remove(.numbered(350), seq: 401, backfill: .sample(300))])
      try await client.query(Self.list(unless: 0), until: { $0.seq == 401 })
      var expected = FeedState.sample(151...400)
      expected.apply([.remove(.numbered(350), seq: 401, backfill: .sample(300))])
      for seq: UInt64 in [150, 399, 400] {
        let reply = try await client.query(Self.changes(since: seq))
        let delta = try #require(reply.delta.delta(to: reply.seq))
        #expect(delta.prevSeq == seq && delta.remove == [.numbered(350)])
        var list = FeedState.sample(1...seq)
        list.apply(delta)
        #expect(list == expected && list.hash == reply.delta.stateHash, "\(seq)")
      }
      #expect(try await client.query(Self.changes(since: 401)).body == .notModified(.init()))
      for query in [
        Self.changes(since: 149), Self.changes(since: 402), Self.changes(since: 400, of: .filled(with: 2)),
      ] {
        let reply = try await client.query(query)
        #expect(reply.snapshot.state(.filled(with: 1), reply.seq) == expected)
      }
    }
  }

  @Test("A feed keeps 1,024 changes, and its heartbeats name the start of its ring")
  func ring() async throws {
    try await withFeed(.sample(1...10)) { server, feed, client in
      let end = 10 + UInt64(Limits.feedChangesKept) + 1
      server.commands.enqueue((11...end).map { .sample($0) })
      try await client.query(Self.list(unless: 0), until: { $0.seq == end })
      let behind = try await client.query(Self.changes(since: 10))
      #expect(behind.snapshot.entries.count == 100)
      let within = try await client.query(Self.changes(since: 11))
      #expect(within.delta.prevSeq == 11 && within.delta.upsert.count == 100)
      let socket = RawSocket(ZMQ_SUB, connect: feed.endpoint, subscribe: [Topic.heartbeat])
      try await eventually("a heartbeat names the start of the ring") {
        guard let frames = socket.receive() else { return false }
        return try FeedFrame(serializedBytes: frames[1]).heartbeat.minAfterSeq == 11
      }
    }
  }

  @Test("A query from a REQ socket gets a reply with the same empty frame")
  func envelope() async throws {
    try await withFeed { _, _, client in
      client.send([[], Self.request(7, Self.list(unless: 150)).bytes])
      let frames = try await client.receive()
      #expect(frames.count == 2 && frames[0].isEmpty)
      #expect(try FeedReply(serializedBytes: frames[1]).requestID == 7)
    }
  }

  @Test("A malformed query gets an error, and the next query gets its reply")
  func malformed() async throws {
    try await withFeed { _, _, client in
      var other = Self.request(8, Self.list(unless: 0))
      other.major = 2
      let short = Self.request(9, .getChanges(.with { $0.epoch = Data([1, 2, 3]) }))
      for (frames, code, id) in [
        ([Array("GET / HTTP/1.1\r\n\r\n".utf8)], .malformed, 0), ([other.bytes], .unsupportedVersion, 8),
        ([short.bytes], .malformed, 9), ([Self.request(10, nil).bytes], .malformed, 10),
        ([[], [], Self.request(11, Self.list(unless: 0)).bytes], .malformed, 0),
      ] as [([[UInt8]], Onthemap_Feed_V1_QueryErrorCode, UInt64)] {
        // The feed sends one such error a second over all peers, and only counts the others.
        var error: FeedReply?
        let start = ContinuousClock.now
        while error == nil {
          try #require(ContinuousClock.now - start < .seconds(120))
          client.send(frames)
          client.send([Self.request(99, Self.list(unless: 150)).bytes])
          while true {
            let reply = try FeedReply(serializedBytes: try await client.receive().last ?? [])
            if reply.requestID == 99 { break }
            error = reply
          }
        }
        #expect(error?.error.code == code && error?.requestID == id && error?.error.detail.isEmpty == false)
      }
    }
  }

  @Test("A query longer than 256 bytes ends only its own connection")
  func oversized() async throws {
    try await withFeed { _, feed, client in
      let longest = QueryClient(feed.query)
      // The longest query that fits, with an unknown field.
      var request = Self.request(5, Self.list(unless: 150))
      var fill = FieldWriter()
      fill.data(15, [UInt8](repeating: 0, count: Limits.feedQueryBytesMax - request.bytes.count - 3))
      try request.merge(serializedBytes: fill.bytes)
      #expect(request.bytes.count == Limits.feedQueryBytesMax)
      longest.send([request.bytes])
      #expect(try FeedReply(serializedBytes: try await longest.receive().last ?? []).requestID == 5)
      let tooLong = RawSocket(ZMQ_DEALER, connect: feed.query)
      tooLong.send([request.bytes + [0]])
      tooLong.send([request.bytes])
      #expect(try await client.query(Self.list(unless: 150)).body == .notModified(.init()))
      #expect(try await longest.query(Self.list(unless: 150)).body == .notModified(.init()))
    }
  }

  @Test("A client that does not read gets about ten replies, and other clients get all of their replies")
  func unread() async throws {
    // A list has 300 KB, so TCP buffers only a few lists.
    let state = FeedState(epoch: .filled(with: 1), seq: .max - 1, entries: (1...100).reversed().map { .longest($0) })
    try await withFeed(state) { _, feed, client in
      let slow = QueryClient(feed.query, unreadMax: 1)
      _ = try await slow.query(Self.list(unless: state.seq))
      // 80 queries are fewer than a peer may send in a second.
      for id: UInt64 in 1...80 {
        slow.send([Self.request(100 + id, Self.list(unless: 0)).bytes])
        #expect(try await client.query(Self.list(unless: state.seq)).body == .notModified(.init()))
      }
      var ids: [UInt64] = []
      while ids.last != 1_000 {
        // This reply is lost, too, while unread replies fill the buffer.
        slow.send([Self.request(1_000, Self.list(unless: state.seq)).bytes])
        ids.append(try FeedReply(serializedBytes: try await slow.receive().last ?? []).requestID)
      }
      let received = ids.filter { $0 < 1_000 }
      // The client gets the first replies, and later replies if the kernel accepts more bytes meanwhile.
      #expect((8..<40).contains(received.count) && received == Set(received).sorted(), "\(received)")
    }
  }

  @Test("Queries above the rate limit get busy with a retry time")
  func busy() async throws {
    let server = try TestChangeServer(.sample(1...10))
    defer { server.reactor.stop() }
    let feed = try TestFeed(pulling: server.endpoint, queriesPerSecond: 3)
    defer { feed.reactor.stop() }
    // Send all queries in one burst, because single queries may be too slow to exceed the limit.
    let flooder = RawSocket(ZMQ_DEALER, connect: feed.query)
    var replies: [FeedReply] = []
    try await eventually("a query is refused as busy") {
      for id: UInt64 in 1...20 { flooder.send([Self.request(id, Self.list(unless: 10)).bytes]) }
      while let frames = flooder.receive() { replies.append(try FeedReply(serializedBytes: frames.last ?? [])) }
      return replies.contains { $0.error.code == .busy }
    }
    #expect(try #require(replies.firstIndex { $0.error.code == .busy }) >= 3)
    #expect(replies.first { $0.error.code == .busy }?.error.retryAfterMs == 1_000)
    try await QueryClient(feed.query).query(Self.list(unless: 10), until: { $0.body == .notModified(.init()) })
  }

  @Test("A flooding peer gets at most 100 replies a second, and another peer gets all of its own")
  func flood() async throws {
    // The shares of both peers fit into this rate, even if a second of the feed's clock ends between two bursts.
    try await withFeed(queriesPerSecond: 500) { _, feed, _ in
      let flooder = RawSocket(ZMQ_DEALER, connect: feed.query)
      // This peer sends 60 queries in total, which is below its share of 100 a second on any machine.
      let other = QueryClient(feed.query)
      let (start, query) = (ContinuousClock.now, Self.request(1, Self.list(unless: 150)).bytes)
      var (replies, busy, sent) = (0, 0, 0)
      while sent < 60 || busy < 200 {
        try #require(
          ContinuousClock.now - start < .seconds(120), "\(sent) queries of the other peer, \(busy) busy replies")
        // A burst has more queries than the feed admits from all peers in a second, so refused queries must not use up
        // that rate. The feed refuses some of each burst, unless it needs six seconds to read the burst.
        for _ in 0..<600 { flooder.send([query]) }
        if sent < 60 {
          sent += 1
          #expect(try await other.query(Self.list(unless: 150)).body == .notModified(.init()))
        }
        while let frames = flooder.receive() {
          let reply = try FeedReply(serializedBytes: frames.last ?? [])
          if reply.error.code == .busy { busy += 1 } else { replies += 1 }
        }
        try await Task.sleep(for: .milliseconds(4))
      }
      // The feed counts per second of its clock. The first and the last of its seconds may be only partly within the
      // test. Replies are lost when the flooder reads too late.
      let seconds = (ContinuousClock.now - start) / .seconds(1)
      #expect(replies > 0 && Double(replies) <= 100 * (2 + seconds), "\(replies) in \(seconds) s")
    }
  }

  @Test("A feed without a list is unavailable, and a loaded snapshot is stale until ingest replies")
  func stale() async throws {
    let source = try TestChangeServer(.sample(1...20))
    let ingest = source.endpoint
    source.reactor.stop()
    let empty = try TestFeed(pulling: ingest)
    defer { empty.reactor.stop() }
    let refusal = try await QueryClient(empty.query).query(Self.list(unless: 0))
    #expect(refusal.error.code == .unavailable && refusal.error.retryAfterMs > 0)

    let restored = try TestFeed(pulling: ingest, snapshot: .sample(1...20))
    defer { restored.reactor.stop() }
    let client = QueryClient(restored.query)
    let reply = try await client.query(Self.list(unless: 0))
    #expect(reply.stale && reply.snapshot.state(.filled(with: 1), reply.seq) == .sample(1...20))
    let subscriber = try TestSubscriber(restored.endpoint)
    defer { subscriber.reactor.stop() }
    try await eventually("the subscriber has the loaded list, marked stale") {
      subscriber.state?.seq == 20 && subscriber.isStale
    }

    let restarted = try TestChangeServer(.sample(1...20), bind: ingest)
    defer { restarted.reactor.stop() }
    restarted.commands.enqueue([.sample(21)])
    try await eventually("the subscriber has the next change and a fresh list") {
      subscriber.state == .sample(1...21) && !subscriber.isStale
    }
    #expect(try await !client.query(Self.list(unless: 0)).stale)
    restarted.reactor.stop()
    // The feed still publishes its list.
    try await eventually("the subscriber is live and stale without ingest") { subscriber.isStale && subscriber.isLive }
  }

  @Test("A feed refuses a regressed list, and publishes its own list as stale")
  func backwards() async throws {
    var server = try TestChangeServer(.sample(1...50))
    let source = server.endpoint
    let feed = try TestFeed(pulling: source)
    defer { feed.reactor.stop() }
    let subscriber = try TestSubscriber(feed.endpoint)
    defer { subscriber.reactor.stop() }
    try await eventually("the subscriber has the list") { subscriber.state?.seq == 50 && !subscriber.isStale }
    server.reactor.stop()
    server = try TestChangeServer(.sample(1...40), bind: source)
    defer { server.reactor.stop() }
    try await eventually("the feed is stale") { subscriber.isStale }
    #expect(subscriber.state == .sample(1...50))
  }
}
