import Testing

@testable import Domain
@testable import Messaging

@Suite("Several feeds")
struct AlternateTests {
  @Test("A feed that ends sends its subscribers to the others that it names, and they go on with the same numbers")
  func goodbye() async throws {
    let server = try TestChangeServer(.sample(1...10))
    defer { server.reactor.stop() }
    let second = try TestFeed(pulling: server.endpoint)
    defer { second.reactor.stop() }
    let first = try TestFeed(pulling: server.endpoint, alternates: [second.endpoint])
    let subscribers = try (0..<5).map { _ in try TestSubscriber(first.endpoint) }
    defer { for subscriber in subscribers { subscriber.reactor.stop() } }
    try await eventually("all have the list") { subscribers.allSatisfy { $0.state?.seq == 10 } }
    first.reactor.stop()
    server.inbox.enqueue([.sample(11)])
    try await eventually("all follow the other feed") { subscribers.allSatisfy { $0.isLive && $0.state?.seq == 11 } }
    // They lost the first feed by its Bye. A subscriber may find a feed silent too, on a machine that stands still.
    for subscriber in subscribers {
      #expect(subscriber.desyncs.filter { $0 != .timedOut }.count == 1, "\(subscriber.desyncs)")
    }
  }

  @Test("Of two feeds the second is asked when the first is gone without a word")
  func silence() async throws {
    let server = try TestChangeServer(.sample(1...10))
    defer { server.reactor.stop() }
    let feed = try TestFeed(pulling: server.endpoint)
    defer { feed.reactor.stop() }
    let gone = try TestChangeServer(.sample(1...1))
    gone.reactor.stop()
    let subscriber = try TestSubscriber(gone.endpoint, feed.endpoint)
    defer { subscriber.reactor.stop() }
    try await eventually("it has the second one's list") { subscriber.state == .sample(1...10) }
  }

  @Test("Of what a goodbye names the first eight count, and of them only hosts with ports")
  func nonsense() {
    let named = (1...9).map { "tcp://10.0.0.\($0):7710" }
    #expect(FeedSubscriber.endpoints(in: named).map(\.description) == Array(named.prefix(8)))
    let strange = ["nonsense", "ipc:///run/x", "tcp://*:7710", "tcp://h:*", "tcp://h:0", "tcp://h:7710", ""]
    #expect(FeedSubscriber.endpoints(in: strange).map(\.description) == ["tcp://h:7710"])
  }
}
