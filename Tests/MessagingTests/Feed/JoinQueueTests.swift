import CZeroMQ
import Testing

@testable import Domain
@testable import Messaging

@Suite("Join queue", .serialized)
struct JoinQueueTests {
  /// A muted feed that queues joins, and a peer that can send any subscription.
  private struct JoinFixture {
    private let isMute = Shared(true)
    private let receivedCount: Shared<Int>
    let reactor: Reactor
    let endpoint: Endpoint
    let peer: RawSocket

    init() throws {
      let (isMute, receivedCount) = (isMute, Shared(0))
      self.receivedCount = receivedCount
      (reactor, endpoint) = try Reactor.start("feed", wake: WakeupEvent()) { context in
        let feed = try MuteFeed(context, bind: .anyPort(), isMute: isMute, receivedCount: receivedCount)
        return ([feed], feed.endpoint)
      }
      peer = RawSocket(ZMQ_XSUB, connect: endpoint)
    }

    /// Sends messages from the peer in parts, because libzmq drops messages that do not fit its queue.
    func send(_ messages: [[UInt8]]) async throws {
      for start in stride(from: 0, to: messages.count, by: 500) {
        let part = messages[start..<min(start + 500, messages.count)]
        let before = receivedCount.value
        for message in part { peer.send([message]) }
        try await eventually("the feed has all messages") { receivedCount.value >= before + part.count }
      }
    }

    /// Subscribes to one join topic. Returns when the feed has the subscription.
    func joiner(_ topic: String) async throws -> RawSocket {
      let before = receivedCount.value
      let socket = RawSocket(ZMQ_SUB, connect: endpoint, subscribe: [topic])
      try await eventually("the feed has the join") { receivedCount.value > before }
      return socket
    }

    func unmute() { isMute.change { $0 = false } }

    /// Returns the topics of the snapshots that the peer got since the last call.
    func snapshotTopics() -> [String] {
      var topics: [String] = []
      while let frames = peer.receive() { topics.append(String(decoding: frames[0], as: UTF8.self)) }
      return topics
    }
  }

  private static func subscribe(_ topic: String) -> [UInt8] { [1] + Array(topic.utf8) }
  private static func unsubscribe(_ topic: String) -> [UInt8] { [0] + Array(topic.utf8) }

  @Test("A join that is repeated two thousand times gets one snapshot")
  func repeated() async throws {
    let fixture = try JoinFixture()
    defer { fixture.reactor.stop() }
    try await fixture.send(Array(repeating: Self.subscribe(Topic.join("again")), count: 2_000))
    let joiner = try await fixture.joiner(Topic.join("honest"))
    fixture.unmute()
    try await eventually("the next join gets a snapshot") { joiner.receive() != nil }
    var snapshots: [String] = []
    try await eventually("the repeated join gets a snapshot") {
      snapshots += fixture.snapshotTopics()
      return !snapshots.isEmpty
    }
    #expect(snapshots == [Topic.join("again")])
  }

  @Test("The newest join goes first if more joins wait than the feed can answer in time")
  func newestFirst() async throws {
    let fixture = try JoinFixture()
    defer { fixture.reactor.stop() }
    try await fixture.send((0..<1_200).map { Self.subscribe(Topic.join("old\($0)")) })
    let newest = Topic.join("new")
    try await fixture.send([Self.subscribe(newest)])
    fixture.unmute()
    var snapshots: [String] = []
    try await eventually("the newest join gets a snapshot") {
      snapshots += fixture.snapshotTopics()
      return snapshots.contains(newest)
    }
    // The first 200 snapshots go out together.
    #expect(try #require(snapshots.firstIndex(of: newest)) < 200)
  }

  @Test("The oldest of 4,097 waiting joins is dropped, and a cancelled join gets no snapshot")
  func edge() async throws {
    let fixture = try JoinFixture()
    defer { fixture.reactor.stop() }
    let topics = (0...Limits.joinsWaitingMax).map { Topic.join("t\($0)") }
    try await fixture.send(topics.map(Self.subscribe))
    try await fixture.send(topics.dropFirst(2).map(Self.unsubscribe))
    fixture.unmute()
    var snapshots: [String] = []
    try await eventually("a join gets a snapshot") {
      snapshots += fixture.snapshotTopics()
      return !snapshots.isEmpty
    }
    // Snapshots for waiting joins go out together, so another snapshot would have arrived, too.
    _ = try await fixture.joiner(Topic.join("last"))
    #expect(snapshots + fixture.snapshotTopics() == [topics[1]])
  }

  @Test("The queue is first-in first-out up to 600 joins, and newest-first above")
  func order() {
    var joins = JoinQueue()
    func add(_ numbers: ClosedRange<UInt16>) -> Bool { numbers.allSatisfy { joins.add(Self.topic($0)) } }
    func dequeue(_ count: Int) -> [[UInt8]] { joins.dequeue(count) }
    #expect(add(1...600) && add(1...1) && joins.count == 600)
    #expect(dequeue(2) == [Self.topic(1), Self.topic(2)])
    #expect(add(601...603) && joins.count == 601)
    #expect(dequeue(1) == [Self.topic(603)])
    #expect(dequeue(1) == [Self.topic(3)])
    joins.remove(Self.topic(4))
    #expect(dequeue(1) == [Self.topic(5)] && dequeue(0).isEmpty && joins.count == 597)
  }

  @Test("A full queue of 4,096 joins drops its oldest join for a new one")
  func full() {
    var joins = JoinQueue()
    func add(_ number: UInt16) -> Bool { joins.add(Self.topic(number)) }
    #expect((1...4_096).allSatisfy(add))
    #expect(add(1), "The join waits already.")
    #expect(!add(4_097) && joins.count == 4_096)
    let dequeued = joins.dequeue(4_096)
    #expect(dequeued.first == Self.topic(4_097) && dequeued.last == Self.topic(2) && joins.count == 0)
  }

  private static func topic(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
}
