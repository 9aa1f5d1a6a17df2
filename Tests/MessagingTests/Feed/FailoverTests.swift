import Testing

@testable import Domain
@testable import Messaging

@Suite("Failover between feeds")
struct FailoverTests {
  @Test("Subscribers of a feed that says goodbye continue with the feed that it names")
  func goodbye() async throws {
    let server = try TestChangeServer(.sample(1...10))
    defer { server.reactor.stop() }
    let second = try TestFeed(pulling: server.endpoint)
    defer { second.reactor.stop() }
    let first = try TestFeed(pulling: server.endpoint, failoverEndpoints: [second.endpoint])
    let subscribers = try (0..<5).map { _ in try TestSubscriber(first.endpoint) }
    defer { for subscriber in subscribers { subscriber.reactor.stop() } }
    try await eventually("all subscribers have the list") { subscribers.allSatisfy { $0.state?.seq == 10 } }
    first.reactor.stop()
    server.commands.enqueue([.sample(11)])
    try await eventually("all subscribers follow the other feed") {
      subscribers.allSatisfy { $0.isLive && $0.state?.seq == 11 }
    }
    // The goodbye is one desync. On a machine that stalls, a subscriber may also time out.
    for subscriber in subscribers {
      #expect(subscriber.desyncs.filter { $0 != .timedOut }.count == 1, "\(subscriber.desyncs)")
    }
  }

  @Test("A subscriber moves to the second feed when the first is silent")
  func silence() async throws {
    let server = try TestChangeServer(.sample(1...10))
    defer { server.reactor.stop() }
    let feed = try TestFeed(pulling: server.endpoint)
    defer { feed.reactor.stop() }
    let silent = try TestChangeServer(.sample(1...1))
    silent.reactor.stop()
    let subscriber = try TestSubscriber(silent.endpoint, feed.endpoint)
    defer { subscriber.reactor.stop() }
    try await eventually("the subscriber has the list of the second feed") { subscriber.state == .sample(1...10) }
  }

  @Test("Subscribers that begin at a random feed spread over all feeds")
  func spread() async throws {
    let server = try TestChangeServer(.sample(1...10))
    defer { server.reactor.stop() }
    let feeds = try (0..<2).map { _ in try TestFeed(pulling: server.endpoint) }
    defer { for feed in feeds { feed.reactor.stop() } }
    let subscribers = try (0..<20).map { _ in
      try TestSubscriber(feeds[0].endpoint, feeds[1].endpoint, startsAnywhere: true)
    }
    defer { for subscriber in subscribers { subscriber.reactor.stop() } }
    // All 20 begin at the same feed once in 500,000 runs.
    try await eventually("each feed has subscribers") {
      feeds.allSatisfy { $0.subscribers > 0 }
        && feeds.reduce(0) { $0 + $1.subscribers } == 20
    }
  }

  @Test("A subscriber uses the first eight endpoints of a goodbye, and only hosts with ports")
  func usableEndpoints() {
    let named = (1...9).map { "tcp://10.0.0.\($0):7710" }
    #expect(FeedSubscriber.endpoints(in: named).map(\.description) == Array(named.prefix(8)))
    let mixed = ["nonsense", "ipc:///run/x", "tcp://*:7710", "tcp://h:*", "tcp://h:0", "tcp://h:7710", ""]
    #expect(FeedSubscriber.endpoints(in: mixed).map(\.description) == ["tcp://h:7710"])
  }
}
