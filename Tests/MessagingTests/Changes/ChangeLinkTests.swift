import CZeroMQ
import SwiftProtobuf
import Testing

@testable import Domain
@testable import Messaging

@Suite("Change log over ZeroMQ", .serialized)
struct ChangeLinkTests {
  @Test("A feed gets the list, then each change once and in order")
  func follows() async throws {
    let server = try TestChangeServer(.sample(1...5))
    defer { server.reactor.stop() }
    let client = try TestChangeClient(server.endpoint)
    defer { client.reactor.stop() }
    try await eventually("the feed has the list") { client.state == .sample(1...5) }
    for number: UInt64 in 6...900 { server.commands.enqueue([.sample(number)]) }
    try await eventually("the feed has all changes") { client.state?.seq == 900 }
    #expect(client.lists == 1)
    #expect(client.seqs == Array(6...900))
    #expect(client.state == .sample(801...900))
  }

  @Test("A feed accepts an empty list and the first change after it")
  func empty() async throws {
    let server = try TestChangeServer(FeedState(epoch: .filled(with: 1), seq: 0, entries: []))
    defer { server.reactor.stop() }
    let client = try TestChangeClient(server.endpoint)
    defer { client.reactor.stop() }
    try await eventually("the feed has the empty list") { client.lists == 1 }
    server.commands.enqueue([.sample(1)])
    try await eventually("the feed has the first change") { client.seqs == [1] }
  }

  @Test("A feed reconnects to a restarted ingest, and gets its list and changes")
  func restart() async throws {
    let first = try TestChangeServer(.sample(1...5))
    let client = try TestChangeClient(first.endpoint)
    defer { client.reactor.stop() }
    try await eventually("the feed has the list") { client.state?.seq == 5 }
    first.reactor.stop()
    let second = try TestChangeServer(.sample(1...9), bind: first.endpoint)
    defer { second.reactor.stop() }
    try await eventually("the feed has the new list") { client.state == .sample(1...9) }
    second.commands.enqueue([.sample(10)])
    try await eventually("the feed has the change") { client.state?.seq == 10 }
  }

  @Test("A feed refuses a regressed list of its epoch, and accepts any list of another epoch")
  func backwards() async throws {
    var server = try TestChangeServer(.sample(1...9))
    let endpoint = server.endpoint
    let client = try RecordingClient.start(endpoint)
    defer { client.reactor.stop() }
    try await eventually("the feed has the list") { client.received.state?.seq == 9 }
    server.reactor.stop()

    server = try TestChangeServer(.sample(1...4), bind: endpoint)
    try await eventually("the feed refuses the regressed list") { client.received.hasRefused }
    #expect(client.received.state == .sample(1...9))
    #expect(client.received.lists == 1)
    server.reactor.stop()

    server = try TestChangeServer(.sample(1...4, epoch: 2), bind: endpoint)
    defer { server.reactor.stop() }
    try await eventually("the feed has the list of the other epoch") {
      client.received.state == .sample(1...4, epoch: 2)
    }
  }

  @Test("A feed refuses a list that reuses sequence numbers for other posts")
  func beside() async throws {
    var server = try TestChangeServer(.sample(1...9))
    let endpoint = server.endpoint
    let client = try RecordingClient.start(endpoint)
    defer { client.reactor.stop() }
    try await eventually("the feed has the list") { client.received.state?.seq == 9 && !client.received.isStale }
    server.reactor.stop()

    // Another post with each sequence number from 5 to 9, and beyond.
    let other = (1...4).map { FeedEntry.sample($0) } + (5...9).map { FeedEntry.sample($0, id: 100 + $0) }
    server = try TestChangeServer(
      FeedState(epoch: .filled(with: 1), seq: 9, entries: other.reversed()), bind: endpoint)
    defer { server.reactor.stop() }
    try await eventually("the feed refuses the other list") { client.received.hasRefused }
    client.forgetRefusal()
    server.commands.enqueue([.sample(10)])
    try await eventually("the feed refuses the change after the other list") { client.received.hasRefused }
    #expect(client.received.state == .sample(1...9) && client.received.lists == 1 && client.received.isStale)
  }

  @Test("A feed pauses before it fetches a refused list again")
  func refusedList() async throws {
    let (reactor, endpoint) = try Reactor.start("changes", wake: WakeupEvent()) { context in
      let server = try WrongHashServer(context, bind: .anyPort())
      return ([server], server.endpoint)
    }
    defer { reactor.stop() }
    let client = try RecordingClient.start(endpoint)
    defer { client.reactor.stop() }
    try await eventually("the feed refuses the list") { client.received.hasRefused }
    let refusedMs = try #require(client.received.refusedMs)
    // On a slow machine the feed may fetch twice before it has the first reply, and the second fetch may arrive after
    // the refusal. The test compares only times of the feed, so delays of its peer or of the test do not matter.
    try await eventually("the feed fetches again") { client.received.fetchesMs.contains { $0 > refusedMs } }
    let againMs = try #require(client.received.fetchesMs.first { $0 > refusedMs })
    #expect(againMs - refusedMs >= Limits.livenessMs)
    #expect(client.received.lists == 0)
  }

  @Test("Ingest buffers few lists for a feed that fetches and does not read")
  func mute() async throws {
    let seen = Shared(ProbedServer.Seen())
    let list = FeedState(
      epoch: .filled(with: 1), seq: .max, entries: (1...100).reversed().map { FeedEntry.longest($0) })
    let (reactor, endpoint) = try Reactor.start("changes", wake: WakeupEvent()) { context in
      let server = try ProbedServer(context, list, seen: seen)
      return ([server], server.endpoint)
    }
    defer { reactor.stop() }
    let feed = RawSocket(ZMQ_DEALER, connect: endpoint, unreadMax: 1)
    // The feed fetches 19 MB of lists. The kernel and the feed's socket buffer only a few lists.
    for fetch in 1...ProbedServer.fetches {
      feed.send([FetchRequest(id: UInt64(fetch), feed: "mute", after: nil).bytes])
      try await eventually("ingest handles fetch \(fetch)") { seen.value.fetches == fetch }
    }
    #expect(seen.value.isFull)
    withExtendedLifetime(feed) {}
  }
}

/// A change server that checks after the last fetch whether libzmq accepts another message for the feed.
private final class ProbedServer: ReactorSocket {
  struct Seen {
    /// Number of fetches that the server handled.
    var fetches = 0
    /// True if libzmq accepts no further message.
    var isFull = false
  }

  static let fetches = 60

  private let server: ChangeServer
  private let seen: Shared<Seen>
  private var peer: [UInt8] = []
  private var count = 0

  init(_ context: Reactor.Context, _ list: FeedState, seen: Shared<Seen>) throws {
    server = try ChangeServer(
      context, bind: .anyPort(), state: list, generation: 1, committedChanges: CommandQueue(WakeupEvent()),
      logger: quiet)
    self.seen = seen
  }

  var socket: Socket { server.socket }
  var endpoint: Endpoint { server.endpoint }

  func receive(_ frames: [[UInt8]], nowMs: Int64) {
    peer = frames.first ?? []
    count += 1
    server.receive(frames, nowMs: nowMs)
  }

  func tick(nowMs: Int64) -> Int64 {
    let nextMs = server.tick(nowMs: nowMs)
    let isFull = count == Self.fetches && server.socket.send(peer, [0]) == .full
    seen.change { $0 = Seen(fetches: count, isFull: isFull) }
    return nextMs
  }

  func shutDown() {}
}

/// A change client that records its pauses, which are the only sign of a refused reply.
private final class RecordingClient: ReactorSocket {
  struct Received {
    var state: FeedState?
    var lists = 0
    var isStale = true
    /// The time of each fetch.
    var fetchesMs: [Int64] = []
    /// The time of the first refusal since the start or `forgetRefusal`.
    var refusedMs: Int64?
    var hasRefused: Bool { refusedMs != nil }
  }

  /// A client with its reactor.
  struct Running {
    let reactor: Reactor
    fileprivate let shared: Shared<Received>
    var received: Received { shared.value }

    func forgetRefusal() { shared.change { $0.refusedMs = nil } }
  }

  private let client: ChangeClient
  private let received: Shared<Received>

  static func start(_ endpoint: Endpoint) throws -> Running {
    let received = Shared(Received())
    let (reactor, _) = try Reactor.start("feed", wake: WakeupEvent()) { context in
      ([try RecordingClient(context, connect: endpoint, received: received)], ())
    }
    return Running(reactor: reactor, shared: received)
  }

  private init(_ context: Reactor.Context, connect endpoint: Endpoint, received: Shared<Received>) throws(LinkError) {
    self.received = received
    client = try ChangeClient(
      context, connect: [endpoint], feed: "test", logger: quiet,
      // The client calls this for each fetch.
      subscribers: {
        received.change { $0.fetchesMs.append(Reactor.nowMs) }
        return nil
      },
      turnedStale: { isStale, _ in received.change { $0.isStale = isStale } },
      replaced: { state, _ in
        received.change {
          $0.state = state
          $0.lists += 1
        }
      }, changed: { _, _, state in received.change { $0.state = state } })
  }

  var socket: Socket { client.socket }

  func receive(_ frames: [[UInt8]], nowMs: Int64) { client.receive(frames, nowMs: nowMs) }

  func tick(nowMs: Int64) -> Int64 {
    let nextMs = client.tick(nowMs: nowMs)
    // Only after a refusal does the client wait for as long as the liveness timeout.
    if nextMs - nowMs > Limits.livenessMs - 1_000 { received.change { $0.refusedMs = $0.refusedMs ?? nowMs } }
    return nextMs
  }

  func shutDown() { client.shutDown() }
}

/// A stub of ingest that sends lists with a wrong hash.
private final class WrongHashServer: ReactorSocket {
  let socket: Socket
  let endpoint: Endpoint

  init(_ context: Reactor.Context, bind: Endpoint) throws(LinkError) {
    socket = try context.socket(.router, frameBytesMax: 4_096)
    endpoint = try socket.bind(bind)
  }

  func receive(_ frames: [[UInt8]], nowMs: Int64) {
    guard let request = FetchRequest(frames.dropFirst()) else { return }
    let reply = FetchReply(
      id: request.requestID, epoch: .filled(with: 1), seq: 1, .snapshot(.with { $0.stateHash = 1 }))
    socket.send(frames[0], reply.bytes)
  }

  func tick(nowMs: Int64) -> Int64 { .max }
  func shutDown() {}
}
