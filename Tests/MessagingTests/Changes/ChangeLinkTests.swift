import CZeroMQ
import SwiftProtobuf
import Testing

@testable import Domain
@testable import Messaging

@Suite("The change log over sockets", .serialized)
struct ChangeLinkTests {
  @Test("A feed gets the list, then every change, in order and once")
  func follows() async throws {
    let server = try TestChangeServer(.sample(1...5))
    defer { server.reactor.stop() }
    let client = try TestChangeClient(server.endpoint)
    defer { client.reactor.stop() }
    try await eventually("the list has come") { client.state == .sample(1...5) }
    for number: UInt64 in 6...900 { server.inbox.enqueue([.sample(number)]) }
    try await eventually("all changes have come") { client.state?.seq == 900 }
    #expect(client.lists == 1)
    #expect(client.seqs == Array(6...900))
    #expect(client.state == .sample(801...900))
  }

  @Test("An empty list is a list")
  func empty() async throws {
    let server = try TestChangeServer(FeedState(epoch: .filled(with: 1), seq: 0, entries: []))
    defer { server.reactor.stop() }
    let client = try TestChangeClient(server.endpoint)
    defer { client.reactor.stop() }
    try await eventually("it has come") { client.lists == 1 }
    server.inbox.enqueue([.sample(1)])
    try await eventually("the first change has come") { client.seqs == [1] }
  }

  @Test("Ingest that is started again is found again: what is new comes as changes of a new list")
  func restart() async throws {
    let first = try TestChangeServer(.sample(1...5))
    let client = try TestChangeClient(first.endpoint)
    defer { client.reactor.stop() }
    try await eventually("the list has come") { client.state?.seq == 5 }
    first.reactor.stop()
    let second = try TestChangeServer(.sample(1...9), bind: first.endpoint)
    defer { second.reactor.stop() }
    try await eventually("the new list has come") { client.state == .sample(1...9) }
    second.inbox.enqueue([.sample(10)])
    try await eventually("it is followed") { client.state?.seq == 10 }
  }

  @Test("Another epoch replaces the list, whatever its number; the same epoch with a lower number is refused")
  func backwards() async throws {
    var server = try TestChangeServer(.sample(1...9))
    let endpoint = server.endpoint
    let client = try RestingClient.start(endpoint)
    defer { client.reactor.stop() }
    try await eventually("the list has come") { client.told.state?.seq == 9 }
    server.reactor.stop()

    server = try TestChangeServer(.sample(1...4), bind: endpoint)
    try await eventually("the lower one is refused") { client.told.hasRefused }
    #expect(client.told.state == .sample(1...9))
    #expect(client.told.lists == 1)
    server.reactor.stop()

    server = try TestChangeServer(.sample(1...4, epoch: 2), bind: endpoint)
    defer { server.reactor.stop() }
    try await eventually("another history is taken") { client.told.state == .sample(1...4, epoch: 2) }
  }

  @Test("A store that has gone backwards, and on from there under the same numbers, is refused as well")
  func beside() async throws {
    var server = try TestChangeServer(.sample(1...9))
    let endpoint = server.endpoint
    let client = try RestingClient.start(endpoint)
    defer { client.reactor.stop() }
    try await eventually("the list has come") { client.told.state?.seq == 9 && !client.told.isStale }
    server.reactor.stop()

    // Another post under each number from 5 on: to 9, and past it.
    let other = (1...4).map { FeedEntry.sample($0) } + (5...9).map { FeedEntry.sample($0, id: 100 + $0) }
    server = try TestChangeServer(
      FeedState(epoch: .filled(with: 1), seq: 9, entries: other.reversed()), bind: endpoint)
    defer { server.reactor.stop() }
    try await eventually("what has not changed since is refused") { client.told.hasRefused }
    client.forgetRefusal()
    server.inbox.enqueue([.sample(10)])
    try await eventually("what follows is refused") { client.told.hasRefused }
    #expect(client.told.state == .sample(1...9) && client.told.lists == 1 && client.told.isStale)
  }

  @Test("A list that cannot be taken is not asked for again at once")
  func refusedList() async throws {
    let (liar, endpoint) = try Reactor.start("liar", wake: WakeupEvent()) { context in
      let liar = try WrongHashServer(context, bind: .anyPort())
      return ([liar], liar.endpoint)
    }
    defer { liar.stop() }
    let client = try RestingClient.start(endpoint)
    defer { client.reactor.stop() }
    try await eventually("the list is refused") { client.told.hasRefused }
    let refusedMs = try #require(client.told.refusedMs)
    // On a slow machine the feed may ask twice before it has the first answer, and the second fetch may arrive later
    // than that. Only times of the feed count here, so it makes no difference when its peer or the test looks.
    try await eventually("it is asked for again") { client.told.fetchesMs.contains { $0 > refusedMs } }
    let againMs = try #require(client.told.fetchesMs.first { $0 > refusedMs })
    #expect(againMs - refusedMs >= Limits.livenessMs)
    #expect(client.told.lists == 0)
  }

  @Test("Ingest keeps few lists for a feed that fetches again and again and does not read")
  func mute() async throws {
    let seen = Shared(TriedServer.Seen())
    let list = FeedState(
      epoch: .filled(with: 1), seq: .max, entries: (1...100).reversed().map { FeedEntry.longest($0) })
    let (reactor, endpoint) = try Reactor.start("changes", wake: WakeupEvent()) { context in
      let server = try TriedServer(context, list, seen: seen)
      return ([server], server.endpoint)
    }
    defer { reactor.stop() }
    let feed = RawSocket(ZMQ_DEALER, connect: endpoint, unreadMax: 1)
    // 19 MB of lists: the kernel and the feed's own socket hold a few of them.
    for fetch in 1...TriedServer.fetches {
      feed.send([FetchRequest(id: UInt64(fetch), feed: "mute", after: nil).bytes])
      try await eventually("fetch \(fetch) is answered") { seen.value.fetches == fetch }
    }
    #expect(seen.value.isFull)
    withExtendedLifetime(feed) {}
  }
}

/// Ingest's end of the change log. After some fetches it tries whether libzmq takes another message for the feed.
private final class TriedServer: ReactorSocket {
  struct Seen {
    /// Fetches that have had their turn.
    var fetches = 0
    /// True if libzmq takes no further message.
    var isFull = false
  }

  static let fetches = 60

  private let server: ChangeServer
  private let seen: Shared<Seen>
  private var peer: [UInt8] = []
  private var count = 0

  init(_ context: Reactor.Context, _ list: FeedState, seen: Shared<Seen>) throws {
    server = try ChangeServer(context, bind: .anyPort(), state: list, inbox: CommandQueue(WakeupEvent()), logger: quiet)
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

/// A feed's end whose rest can be seen: nothing else tells that it has refused an answer.
private final class RestingClient: ReactorSocket {
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

  /// A reactor with one.
  struct Running {
    let reactor: Reactor
    fileprivate let shared: Shared<Received>
    var told: Received { shared.value }

    func forgetRefusal() { shared.change { $0.refusedMs = nil } }
  }

  private let client: ChangeClient
  private let told: Shared<Received>

  static func start(_ endpoint: Endpoint) throws -> Running {
    let told = Shared(Received())
    let (reactor, _) = try Reactor.start("feed", wake: WakeupEvent()) { context in
      ([try RestingClient(context, connect: endpoint, told: told)], ())
    }
    return Running(reactor: reactor, shared: told)
  }

  private init(_ context: Reactor.Context, connect endpoint: Endpoint, told: Shared<Received>) throws(LinkError) {
    self.told = told
    client = try ChangeClient(
      context, connect: endpoint, feed: "test", logger: quiet,
      // Called for each fetch.
      subscribers: {
        told.change { $0.fetchesMs.append(Reactor.nowMs) }
        return nil
      },
      turnedStale: { isStale, _ in told.change { $0.isStale = isStale } },
      replaced: { state, _ in
        told.change {
          $0.state = state
          $0.lists += 1
        }
      }, changed: { _, _, state in told.change { $0.state = state } })
  }

  var socket: Socket { client.socket }

  func receive(_ frames: [[UInt8]], nowMs: Int64) { client.receive(frames, nowMs: nowMs) }

  func tick(nowMs: Int64) -> Int64 {
    let nextMs = client.tick(nowMs: nowMs)
    // After a refusal it waits for as long as it would for a silent ingest; otherwise never so long.
    if nextMs - nowMs > Limits.livenessMs - 1_000 { told.change { $0.refusedMs = $0.refusedMs ?? nowMs } }
    return nextMs
  }

  func shutDown() { client.shutDown() }
}

/// An ingest whose lists have a wrong hash.
private final class WrongHashServer: ReactorSocket {
  let socket: Socket
  let endpoint: Endpoint

  init(_ context: Reactor.Context, bind: Endpoint) throws(LinkError) {
    socket = try context.socket(.router, frameBytesMax: 4_096)
    endpoint = try socket.bind(bind)
  }

  func receive(_ frames: [[UInt8]], nowMs: Int64) {
    guard let request = FetchRequest(frames.dropFirst()) else { return }
    let reply = FetchReply(id: request.requestID, epoch: .filled(with: 1), seq: 1, .list(.with { $0.stateHash = 1 }))
    socket.send(frames[0], reply.bytes)
  }

  func tick(nowMs: Int64) -> Int64 { .max }
  func shutDown() {}
}
