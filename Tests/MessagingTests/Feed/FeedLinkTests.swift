import CZeroMQ
import Fuzzing
import Testing

@testable import Domain
@testable import Messaging

@Suite("Feed link", .serialized)
struct FeedLinkTests {
  @Test(
    "A join's snapshot reaches only subscribers of the complete join topic",
    arguments: ["", "otm.feed/1/main/", "otm.feed/1/main/j/", "otm.feed/1/main/j/abc"])
  func ownJoin(prefix: String) async throws {
    let server = try TestChangeServer(.sample(1...3))
    defer { server.reactor.stop() }
    let feed = try TestFeed(pulling: server.endpoint)
    defer { feed.reactor.stop() }
    let listener = RawSocket(ZMQ_SUB, connect: feed.endpoint, subscribe: [prefix, Topic.heartbeat])
    var topics: [String] = []
    func listen() {
      while let frames = listener.receive() { topics.append(String(decoding: frames[0], as: UTF8.self)) }
    }
    try await eventually("the listener gets heartbeats") {
      listen()
      return topics.contains(Topic.heartbeat)
    }
    let own = Topic.join("abc")
    let joiner = RawSocket(ZMQ_SUB, connect: feed.endpoint, subscribe: [own])
    try await eventually("the joiner gets its snapshot") {
      joiner.receive().map { String(decoding: $0[0], as: UTF8.self) } == own
    }
    // Frames that the feed sends after the snapshot arrive after it.
    let before = topics.count
    try await eventually("the listener gets the next heartbeat") {
      listen()
      return topics.count > before && topics.last == Topic.heartbeat
    }
    #expect(!topics.contains(own))
    let isShared = Topic.shared.contains { $0.hasPrefix(prefix) && $0 != Topic.heartbeat }
    if isShared {
      try await eventually("the listener gets snapshots") {
        listen()
        return topics.contains(Topic.snapshot)
      }
    }
  }

  @Test("A late subscriber gets the list and follows")
  func lateJoiner() async throws {
    let server = try TestChangeServer(.sample(1...150))
    defer { server.reactor.stop() }
    let feed = try TestFeed(pulling: server.endpoint)
    defer { feed.reactor.stop() }
    let early = try TestSubscriber(feed.endpoint)
    defer { early.reactor.stop() }
    try await eventually("the early subscriber has the list") { early.state == .sample(51...150) }

    let late = try TestSubscriber(feed.endpoint)
    defer { late.reactor.stop() }
    try await eventually("the late subscriber has the list") { late.state == .sample(51...150) }
    server.commands.enqueue([.sample(151)])
    try await eventually("both subscribers follow") {
      early.state == .sample(52...151) && late.state == .sample(52...151)
    }
    #expect(early.isUndisturbed && late.isUndisturbed)
  }

  @Test("A join alone brings the list")
  func loneJoin() async throws {
    let (reactor, endpoint) = try Reactor.start("feed", wake: WakeupEvent()) { context in
      // The clock of this feed is stopped, so no periodic snapshot or heartbeat becomes due.
      let feed = try MuteFeed(context, bind: .anyPort(), isClockStopped: true)
      return ([feed], feed.endpoint)
    }
    defer { reactor.stop() }
    let subscriber = try TestSubscriber(endpoint)
    defer { subscriber.reactor.stop() }
    try await eventually("the subscriber has the list") { subscriber.lists >= 1 }
    #expect(subscriber.state == .sample(1...3))
  }

  @Test("Twenty subscribers that join during a thousand changes miss no change and end with the same list")
  func randomJoins() async throws {
    var random = SeededRandom(seed: 1)
    let server = try TestChangeServer(.sample(1...100))
    defer { server.reactor.stop() }
    let feed = try TestFeed(pulling: server.endpoint)
    defer { feed.reactor.stop() }
    let joins = Set((0..<20).map { _ in UInt64.random(in: 101...1_000, using: &random) })
    var subscribers: [TestSubscriber] = []
    defer { for subscriber in subscribers { subscriber.reactor.stop() } }
    for number: UInt64 in 101...1_100 {
      // Every fourth change edits an earlier post.
      server.commands.enqueue([.upsert(.sample(number, id: number % 4 == 0 ? number - 3 : number))])
      if joins.contains(number) { subscribers.append(try TestSubscriber(feed.endpoint)) }
      if number % 5 == 0 { try await Task.sleep(for: .milliseconds(1)) }
    }
    while subscribers.count < 20 { subscribers.append(try TestSubscriber(feed.endpoint)) }
    try await eventually("all subscribers have the last change", within: 120) {
      subscribers.allSatisfy { $0.state?.seq == 1_100 }
    }
    #expect(Set(subscribers.compactMap { $0.state?.hash }).count == 1)
    #expect(subscribers[0].state?.entries.count == 100)
    for subscriber in subscribers {
      let seqs = subscriber.seqs
      #expect(seqs == seqs.sorted() && seqs.last == 1_100)
      #expect(subscriber.isUndisturbed, "\(subscriber.desyncs)")
      // A delta carries only the last version of a post that changed twice within it.
      let followed = subscriber.sinceList
      let missing = Set((followed.first ?? 0)...1_100).subtracting(followed)
      #expect(missing.allSatisfy { $0 % 4 == 1 }, "A subscriber gets every change after its list: \(missing.sorted())")
    }
  }

  @Test("Subscribers follow a feed again after it says goodbye and returns on its port")
  func restart() async throws {
    let server = try TestChangeServer(.sample(1...10))
    defer { server.reactor.stop() }
    var feed = try TestFeed(pulling: server.endpoint)
    let endpoint = feed.endpoint
    let subscribers = try (0..<5).map { _ in try TestSubscriber(endpoint) }
    defer { for subscriber in subscribers { subscriber.reactor.stop() } }
    try await eventually("all subscribers have the list") { subscribers.allSatisfy { $0.state?.seq == 10 } }

    feed.reactor.stop()
    try await eventually("all subscribers know that the feed has shut down") { subscribers.allSatisfy { !$0.isLive } }
    #expect(subscribers.allSatisfy { $0.desyncs.contains(.goodbye("feed shutting down")) })
    server.commands.enqueue([.sample(11)])
    feed = try TestFeed(pulling: server.endpoint, bind: endpoint)
    defer { feed.reactor.stop() }
    try await eventually("all subscribers have the new list") {
      subscribers.allSatisfy { $0.isLive && $0.state == .sample(1...11) }
    }
    for subscriber in subscribers { #expect(subscriber.seqs == subscriber.seqs.sorted()) }
  }

  @Test("A subscriber reconnects to a silent feed, and the reconnection alone brings the list")
  func silence() async throws {
    let isMute = Shared(false)
    let (reactor, endpoint) = try Reactor.start("feed", wake: WakeupEvent()) { context in
      let feed = try MuteFeed(context, bind: .anyPort(), isMute: isMute)
      return ([feed], feed.endpoint)
    }
    defer { reactor.stop() }
    let subscriber = try TestSubscriber(endpoint)
    defer { subscriber.reactor.stop() }
    try await eventually("the subscriber has the list") { subscriber.isLive }
    isMute.change { $0 = true }
    try await eventually("the subscriber knows that the feed is silent") { !subscriber.isLive }
    let lists = subscriber.lists
    isMute.change { $0 = false }
    try await eventually("the subscriber has the list again") { subscriber.lists > lists && subscriber.isLive }
    #expect(subscriber.desyncs.allSatisfy { $0 == .timedOut }, "\(subscriber.desyncs)")
  }

  @Test("Subscribers accept the list of a restored database despite its lower sequence number")
  func newEpoch() async throws {
    var server = try TestChangeServer(.sample(1...50))
    let source = server.endpoint
    let feed = try TestFeed(pulling: source)
    defer { feed.reactor.stop() }
    let subscriber = try TestSubscriber(feed.endpoint)
    defer { subscriber.reactor.stop() }
    try await eventually("the subscriber has the list") { subscriber.state?.seq == 50 }
    server.reactor.stop()
    server = try TestChangeServer(.sample(1...20, epoch: 2), bind: source)
    defer { server.reactor.stop() }
    try await eventually("the subscriber has the restored list") { subscriber.state == .sample(1...20, epoch: 2) }
    server.commands.enqueue([.sample(21)])
    try await eventually("the subscriber follows") { subscriber.state?.seq == 21 }
  }

  @Test("A subscriber of the snapshot topic alone gets every list")
  func levelZero() async throws {
    let server = try TestChangeServer(.sample(1...3))
    defer { server.reactor.stop() }
    let feed = try TestFeed(pulling: server.endpoint)
    defer { feed.reactor.stop() }
    let socket = RawSocket(ZMQ_SUB, connect: feed.endpoint, subscribe: ["otm.feed/1/main/s/"])
    var last: FeedState?
    func drain() {
      while let frames = socket.receive() {
        #expect(frames.count == 2)
        #expect(frames.first == Array(Topic.snapshot.utf8))
        if case .snapshot(let state, _, _)? = frames.last.flatMap(FeedFrame.read) { last = state }
      }
    }
    try await eventually("the subscriber has a periodic list") {
      drain()
      return last == .sample(1...3)
    }
    server.commands.enqueue([.sample(4)])
    try await eventually("the subscriber has a list with the change") {
      drain()
      return last == .sample(1...4)
    }
  }

  @Test("A subscription to a similar topic prefix gets no frames of the feed")
  func prefixTrap() async throws {
    let server = try TestChangeServer(.sample(1...3))
    defer { server.reactor.stop() }
    let feed = try TestFeed(pulling: server.endpoint)
    defer { feed.reactor.stop() }
    let right = RawSocket(ZMQ_SUB, connect: feed.endpoint, subscribe: ["otm.feed/1/main/h/"])
    let wrong = RawSocket(
      ZMQ_SUB, connect: feed.endpoint,
      subscribe: ["otm.feed/1/mai/", "otm.feed/1/main2/", "otm.feed/10/main/", "otm.feed/1/main/h/x"])
    var heartbeats = 0
    try await eventually("three heartbeats have arrived") {
      while right.receive() != nil { heartbeats += 1 }
      return heartbeats >= 3
    }
    #expect(wrong.receive() == nil)
  }

  @Test("A feed answers only well-formed joins, each with the list on its own topic")
  func joins() async throws {
    let server = try TestChangeServer(.sample(1...3))
    defer { server.reactor.stop() }
    let feed = try TestFeed(pulling: server.endpoint)
    defer { feed.reactor.stop() }
    let prefix = "otm.feed/1/main/j/"
    let bad = RawSocket(
      ZMQ_SUB, connect: feed.endpoint,
      subscribe: [prefix + String(repeating: "a", count: 41) + "/", prefix + "a-b/", prefix + "open", prefix + "é/"])
    var good: RawSocket?
    var reply: [[UInt8]]?
    for attempt in 0..<3 where reply == nil {
      good = RawSocket(ZMQ_SUB, connect: feed.endpoint, subscribe: [prefix + "try\(attempt)/"])
      try await eventually("the join gets a snapshot") {
        reply = good?.receive()
        return reply != nil
      }
      #expect(reply?.first.map { String(decoding: $0, as: UTF8.self) } == prefix + "try\(attempt)/")
    }
    #expect(reply?.last.flatMap(FeedFrame.read) == .snapshot(.sample(1...3), hash: FeedState.sample(1...3).hash))
    #expect(good?.receive() == nil, "The joiner gets one snapshot and no shared frames.")
    #expect(bad.receive() == nil)
  }

  @Test("A feed answers a thousand joins once each at 200 a second, and still sends each change")
  func manyJoins() async throws {
    let server = try TestChangeServer(.sample(1...100))
    defer { server.reactor.stop() }
    let feed = try TestFeed(pulling: server.endpoint)
    defer { feed.reactor.stop() }
    let subscriber = try TestSubscriber(feed.endpoint)
    defer { subscriber.reactor.stop() }
    try await eventually("the subscriber has the list") { subscriber.state?.seq == 100 }

    let start = ContinuousClock.now
    // A peer may subscribe to many topics, so a thousand joins do not need a thousand connections.
    func hundredJoins(_ peer: Int) -> RawSocket {
      RawSocket(ZMQ_SUB, connect: feed.endpoint, subscribe: (0..<100).map { Topic.join("peer\(peer)try\($0)") })
    }
    var peers = (0..<10).map(hundredJoins)
    var snapshots: [[UInt8]: Int] = [:]
    var seq: UInt64 = 100
    try await eventually("all joins have a snapshot, and ten changes arrived while joins waited") {
      for peer in peers { while let frames = peer.receive() { snapshots[frames[0], default: 0] += 1 } }
      // Send the next change when the subscriber has the last one.
      if subscriber.state?.seq == seq {
        seq += 1
        server.commands.enqueue([.sample(seq)])
      }
      // Changes take longer on a slow machine, so add joins until ten changes have arrived.
      let isFollowed = seq > 110
      if !isFollowed, 100 * peers.count - snapshots.count < 500 { peers.append(hundredJoins(peers.count)) }
      return isFollowed && snapshots.count == 100 * peers.count
    }
    let elapsed = ContinuousClock.now - start
    // The feed answers the first 200 joins immediately, and then 200 a second.
    let elapsedMin = Duration.seconds(Double(snapshots.count - 200) / 200 - 0.5)
    #expect(elapsed > elapsedMin, "\(snapshots.count) snapshots")
    #expect(snapshots.values.allSatisfy { $0 == 1 })
    #expect(subscriber.isUndisturbed, "\(subscriber.desyncs)")
  }

  @Test("A subscription of 96 bytes is accepted, and a longer one ends only its own connection")
  func longSubscription() async throws {
    let server = try TestChangeServer(.sample(1...3))
    defer { server.reactor.stop() }
    let feed = try TestFeed(pulling: server.endpoint)
    defer { feed.reactor.stop() }
    // ZeroMQ's command name before the topic is ten bytes. Topics go out in alphabetical order.
    let (longest, tooLong) = (String(repeating: "a", count: 96 - 10), String(repeating: "a", count: 97 - 10))
    let accepted = RawSocket(ZMQ_SUB, connect: feed.endpoint, subscribe: [longest, Topic.heartbeat])
    let cutOff = RawSocket(ZMQ_SUB, connect: feed.endpoint, subscribe: [tooLong, Topic.heartbeat])
    let subscriber = try TestSubscriber(feed.endpoint)
    defer { subscriber.reactor.stop() }
    var heartbeats = 0
    try await eventually("three heartbeats have arrived") {
      while accepted.receive() != nil { heartbeats += 1 }
      return heartbeats >= 3
    }
    #expect(cutOff.receive() == nil)
    server.commands.enqueue([.sample(4)])
    try await eventually("the other subscriber follows") { subscriber.state?.seq == 4 }
    #expect(subscriber.isUndisturbed, "\(subscriber.desyncs)")
  }

  @Test("A subscriber that sends messages upstream does not disturb others")
  func upstream() async throws {
    let server = try TestChangeServer(.sample(1...3))
    defer { server.reactor.stop() }
    let feed = try TestFeed(pulling: server.endpoint)
    defer { feed.reactor.stop() }
    // An XSUB may send any message. Subscriptions are messages, too.
    let socket = RawSocket(ZMQ_XSUB, connect: feed.endpoint)
    for bytes in [
      [], [0], [2, 3], [1], [1] + [UInt8](repeating: 65, count: 200), [1] + [UInt8](repeating: 66, count: 9_000),
    ] {
      socket.send([bytes])
    }
    let subscriber = try TestSubscriber(feed.endpoint)
    defer { subscriber.reactor.stop() }
    server.commands.enqueue([.sample(4)])
    try await eventually("the other subscriber follows") { subscriber.state?.seq == 4 }
  }
}

/// A feed that a test can mute while its connections live, or whose clock is stopped.
final class MuteFeed: ReactorSocket {
  private let publisher: FeedPublisher
  private let isMute: Shared<Bool>
  /// Number of received messages.
  private let receivedCount: Shared<Int>
  /// The time at which the feed's clock stopped. Nil if the clock runs.
  private let stoppedAtMs: Int64?

  init(
    _ context: Reactor.Context, bind: Endpoint, isMute: Shared<Bool> = Shared(false),
    isClockStopped: Bool = false, receivedCount: Shared<Int> = Shared(0)
  ) throws(LinkError) {
    publisher = try FeedPublisher(context, bind: bind, instance: "test", logger: quiet, unixMs: { 0 })
    let startMs = Reactor.nowMs
    publisher.replace(.sample(1...3), nowMs: startMs)
    stoppedAtMs = isClockStopped ? startMs : nil
    self.isMute = isMute
    self.receivedCount = receivedCount
  }

  var socket: Socket { publisher.socket }
  var endpoint: Endpoint { publisher.endpoint }

  func receive(_ frames: [[UInt8]], nowMs: Int64) {
    publisher.receive(frames, nowMs: nowMs)
    receivedCount.change { $0 += 1 }
  }

  func tick(nowMs: Int64) -> Int64 {
    if isMute.value { return nowMs + 20 }
    guard let stoppedAtMs else { return publisher.tick(nowMs: nowMs) }
    _ = publisher.tick(nowMs: stoppedAtMs)
    return nowMs + 20
  }

  func shutDown() { publisher.shutDown() }
}
