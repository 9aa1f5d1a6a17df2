import CZeroMQ
import Testing

@testable import Domain
@testable import Messaging

@Suite("Joins that wait", .serialized)
struct JoinQueueTests {
  /// A feed that says nothing while joins come to it, and a peer that subscribes what it likes.
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

    /// Lets the peer say that, a part at a time: libzmq drops what does not fit into its queue.
    func send(_ messages: [[UInt8]]) async throws {
      for start in stride(from: 0, to: messages.count, by: 500) {
        let part = messages[start..<min(start + 500, messages.count)]
        let before = heard.value
        for message in part { peer.send([message]) }
        try await eventually("all are heard") { heard.value >= before + part.count }
      }
    }

    /// Somebody who subscribes to one join; returns once the feed has heard that.
    func joiner(_ topic: String) async throws -> RawSocket {
      let before = heard.value
      let socket = RawSocket(ZMQ_SUB, connect: endpoint, subscribe: [topic])
      try await eventually("it is heard") { heard.value > before }
      return socket
    }

    func speak() { isMute.change { $0 = false } }

    /// The topics of answers that the peer has had.
    func answers() -> [String] {
      var topics: [String] = []
      while let frames = peer.receive() { topics.append(String(decoding: frames[0], as: UTF8.self)) }
      return topics
    }
  }

  private static func subscribe(_ topic: String) -> [UInt8] { [1] + Array(topic.utf8) }
  private static func giveUp(_ topic: String) -> [UInt8] { [0] + Array(topic.utf8) }

  @Test("A join that is repeated two thousand times waits once and is answered once")
  func repeated() async throws {
    let crowd = try Crowd()
    defer { crowd.reactor.stop() }
    try await crowd.send(Array(repeating: Self.subscribe(Topic.join("again")), count: 2_000))
    let joiner = try await crowd.joiner(Topic.join("honest"))
    crowd.speak()
    try await eventually("the next one is answered") { joiner.receive() != nil }
    var answers: [String] = []
    try await eventually("the repeated one is answered") {
      answers += crowd.answers()
      return !answers.isEmpty
    }
    #expect(answers == [Topic.join("again")])
  }

  @Test("When more wait than can be answered in time, the newest is answered first")
  func newestFirst() async throws {
    let crowd = try Crowd()
    defer { crowd.reactor.stop() }
    try await crowd.send((0..<1_200).map { Self.subscribe(Topic.join("old\($0)")) })
    let newest = Topic.join("new")
    try await crowd.send([Self.subscribe(newest)])
    crowd.speak()
    var answers: [String] = []
    try await eventually("the newest is answered") {
      answers += crowd.answers()
      return answers.contains(newest)
    }
    // Among the first 200, which go together.
    #expect(try #require(answers.firstIndex(of: newest)) < 200)
  }

  @Test("Of 4,097 joins that wait the oldest is dropped; who gives a join up is not answered")
  func edge() async throws {
    let crowd = try Crowd()
    defer { crowd.reactor.stop() }
    let topics = (0...Limits.joinsWaitingMax).map { Topic.join("t\($0)") }
    try await crowd.send(topics.map(Self.subscribe))
    try await crowd.send(topics.dropFirst(2).map(Self.giveUp))
    crowd.speak()
    var answers: [String] = []
    try await eventually("one is answered") {
      answers += crowd.answers()
      return !answers.isEmpty
    }
    // They are answered together, so the other one would be there too.
    _ = try await crowd.joiner(Topic.join("last"))
    #expect(answers + crowd.answers() == [topics[1]])
  }

  @Test("Up to 600 are taken in the order in which they came, more from the newest on; a repeated one keeps its place")
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

  @Test("4,096 wait; one more is told as too many, and takes the oldest one's place")
  func full() {
    var joins = JoinQueue()
    func add(_ number: UInt16) -> Bool { joins.add(Self.topic(number)) }
    #expect((1...4_096).allSatisfy(add))
    #expect(add(1), "It waits already.")
    #expect(!add(4_097) && joins.count == 4_096)
    let taken = joins.dequeue(4_096)
    #expect(taken.first == Self.topic(4_097) && taken.last == Self.topic(2) && joins.count == 0)
  }

  private static func topic(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
}
