import CZeroMQ
import Testing

@testable import Domain
@testable import Messaging

@Suite("Join queue", .serialized)
struct JoinQueueTests {
  /// A muted feed that queues joins, and a peer that sends any subscription.
  private struct Crowd {
    private let isMute = Shared(true)
    private let heard: Shared<Int>
    let reactor: Reactor
    let endpoint: Endpoint
    let peer: RawSocket

    init() throws {
      let (isMute, heard) = (isMute, Shared(0))
      self.heard = heard
      (reactor, endpoint) = try Reactor.start("feed", wake: WakeupEvent()) { context in
        let feed = try MuteFeed(context, bind: .anyPort(), isMute: isMute, heard: heard)
        return ([feed], feed.endpoint)
      }
      peer = RawSocket(ZMQ_XSUB, connect: endpoint)
    }

    /// Sends messages from the peer in parts, because libzmq drops messages that do not fit its queue.
    func send(_ messages: [[UInt8]]) async throws {
      for start in stride(from: 0, to: messages.count, by: 500) {
        let part = messages[start..<min(start + 500, messages.count)]
        let before = heard.value
        for message in part { peer.send([message]) }
        try await eventually("the feed has all messages") { heard.value >= before + part.count }
      }
    }

    /// Subscribes to one join topic. Returns when the feed has the subscription.
    func joiner(_ topic: String) async throws -> RawSocket {
      let before = heard.value
      let socket = RawSocket(ZMQ_SUB, connect: endpoint, subscribe: [topic])
      try await eventually("the feed has the join") { heard.value > before }
      return socket
    }

    func speak() { isMute.change { $0 = false } }

    /// Topics of the snapshots that the peer got since the last call.
    func answers() -> [String] {
      var topics: [String] = []
      while let frames = peer.receive() { topics.append(String(decoding: frames[0], as: UTF8.self)) }
      return topics
    }
  }

  private static func subscribe(_ topic: String) -> [UInt8] { [1] + Array(topic.utf8) }
  private static func giveUp(_ topic: String) -> [UInt8] { [0] + Array(topic.utf8) }

  @Test("A join that is repeated two thousand times gets one snapshot")
  func repeated() async throws {
    let crowd = try Crowd()
    defer { crowd.reactor.stop() }
    try await crowd.send(Array(repeating: Self.subscribe(Topic.join("again")), count: 2_000))
    let joiner = try await crowd.joiner(Topic.join("honest"))
    crowd.speak()
    try await eventually("the next join gets a snapshot") { joiner.receive() != nil }
    var answers: [String] = []
    try await eventually("the repeated join gets a snapshot") {
      answers += crowd.answers()
      return !answers.isEmpty
    }
    #expect(answers == [Topic.join("again")])
  }

  @Test("The newest join goes first when more wait than the feed can answer in time")
  func newestFirst() async throws {
    let crowd = try Crowd()
    defer { crowd.reactor.stop() }
    try await crowd.send((0..<1_200).map { Self.subscribe(Topic.join("old\($0)")) })
    let newest = Topic.join("new")
    try await crowd.send([Self.subscribe(newest)])
    crowd.speak()
    var answers: [String] = []
    try await eventually("the newest join gets a snapshot") {
      answers += crowd.answers()
      return answers.contains(newest)
    }
    // The first 200 snapshots go out together.
    #expect(try #require(answers.firstIndex(of: newest)) < 200)
  }

  @Test("The oldest of 4,097 waiting joins is dropped, and a cancelled join gets no snapshot")
  func edge() async throws {
    let crowd = try Crowd()
    defer { crowd.reactor.stop() }
    let topics = (0...Limits.joinsWaitingMax).map { Topic.join("t\($0)") }
    try await crowd.send(topics.map(Self.subscribe))
    try await crowd.send(topics.dropFirst(2).map(Self.giveUp))
    crowd.speak()
    var answers: [String] = []
    try await eventually("a join gets a snapshot") {
      answers += crowd.answers()
      return !answers.isEmpty
    }
    // Snapshots for waiting joins go out together, so another one would have arrived, too.
    _ = try await crowd.joiner(Topic.join("last"))
    #expect(answers + crowd.answers() == [topics[1]])
  }

  @Test("The queue is first-in first-out up to 600 joins, and newest-first above")
  func order() {
    var joins = JoinQueue()
    func add(_ numbers: ClosedRange<UInt16>) -> Bool { numbers.allSatisfy { joins.add(Self.topic($0)) } }
    func take(_ count: Int) -> [[UInt8]] { joins.dequeue(count) }
    #expect(add(1...600) && add(1...1) && joins.count == 600)
    #expect(take(2) == [Self.topic(1), Self.topic(2)])
    #expect(add(601...603) && joins.count == 601)
    #expect(take(1) == [Self.topic(603)])
    #expect(take(1) == [Self.topic(3)])
    joins.remove(Self.topic(4))
    #expect(take(1) == [Self.topic(5)] && take(0).isEmpty && joins.count == 597)
  }

  @Test("A full queue of 4,096 joins drops its oldest join for a new one")
  func full() {
    var joins = JoinQueue()
    func add(_ number: UInt16) -> Bool { joins.add(Self.topic(number)) }
    #expect((1...4_096).allSatisfy(add))
    #expect(add(1), "The join waits already.")
    #expect(!add(4_097) && joins.count == 4_096)
    let taken = joins.dequeue(4_096)
    #expect(taken.first == Self.topic(4_097) && taken.last == Self.topic(2) && joins.count == 0)
  }

  private static func topic(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
}
