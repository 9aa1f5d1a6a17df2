import Foundation
import Testing

@Suite("Restarts after kill -9", .fixture, .serialized)
struct RestartTests {
  enum Victim: String, CaseIterable, Sendable {
    case worker, feed, ingest

    func program(of map: Services) throws -> Program {
      switch self {
      case .worker: map.workers[0]
      case .feed: try #require(map.feed)
      case .ingest: map.ingest
      }
    }
  }

  /// Sends a stream of posts and restarts roles during it. At the end the store, the feed and a subscriber have every
  /// post.
  private func survive(_ victims: [Victim]) async throws {
    let map = try await SystemFixture.current.roles()
    let watcher = try await SystemFixture.current.watcher(of: map)
    let stream = Stream(try await map.client.signedUp(), count: 300 * victims.count)
    stream.allow(0)
    async let sent: Void = stream.run()
    for (index, victim) in victims.enumerated() {
      let due = (index + 1) * stream.count / (victims.count + 2)
      let program = try victim.program(of: map)
      // Allow some more posts, so that the role has work when it dies, and the next victim gets posts too.
      stream.allow(due + 40)
      try await stream.reached(due) { program.signal(SIGSTOP) }
      if victim == .ingest {
        try await program.waitUntilStopped()
        #expect(stream.accepted.count < due + 40, "Ingest must stop before it has responded to every post.")
      } else {
        try await stream.reached(due + 20)
      }
      try await program.restart()
    }
    stream.allow(stream.count)
    try await sent
    try await stream.expectAll()
    let list = try await stream.client.list()
    #expect(list.entries.count == 100 && list.stateHash == list.computedHash)
    try await eventually("the feed has ingest's list") { try await map.feedClient.list() == list }
    try await eventually("the subscriber has ingest's list") { try watcher.list == list }
  }

  @Test("Killing and restarting one role loses and duplicates no accepted post", arguments: Victim.allCases)
  func one(victim: Victim) async throws { try await survive([victim]) }

  @Test("Killing and restarting each role in turn loses and duplicates no accepted post")
  func all() async throws { try await survive([.worker, .feed, .ingest]) }

  @Test("A stopped worker's jobs go to the other worker, and count once")
  func standstill() async throws {
    let map = try await SystemFixture.current.roles()
    let worker = map.workers[0]
    let stream = Stream(try await map.client.signedUp(), count: 100)
    worker.signal(SIGSTOP)
    try await stream.run()
    try await stream.expectAll()
    try await eventually("ingest reports the worker lost") { map.ingest.standardError.contains("worker lost") }
    worker.signal(SIGCONT)
    // The worker's old jobs do not count again, and it works again once the other worker is killed.
    try await map.workers[1].kill()
    try await stream.client.expectService()
    let posts = try await stream.client.posts()
    #expect(Set(posts.map(\.id)).count == 101 && Set(posts.map(\.seq)).count == 101)
  }

  @Test("Every accepted post survives a kill -9 right after its response")
  func rightBehind() async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    let client = try await map.client.signedUp()
    for round in 1...20 {
      let response = try await client.post("Oslo")
      #expect(response.status == 202)
      try await map.ingest.restart()
      let posts = try await client.posts()
      #expect(posts.count == round && posts.last?.id == response["id"])
    }
    _ = try await SystemFixture.current.worker(of: map)
    try await eventually("all posts are published") { try await client.posts().allSatisfy { $0.state == "published" } }
    #expect(try await client.list().seq == 20)
  }
}
