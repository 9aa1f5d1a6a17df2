import Foundation
import Glibc
import Testing

@Suite("Several addresses", .fixture, .serialized)
struct AddressTests {
  /// The two ingests of a deployment, of which at most one runs on the data, and their clients.
  private struct Deployment {
    let first: Program
    let second: Program
    let worker: Program
    let feed: Program
    let watcher: Watcher

    /// Starts the first ingest, and a worker, a feed and a subscriber that know both.
    ///
    /// - Parameter secondData: Data folder of the second ingest. By default that of the first one.
    init(secondData: String = "data") async throws {
      let fixture = SystemFixture.current
      let ports = try (0..<6).map { _ in try Port.free() }
      func ingest(_ data: String, _ ports: ArraySlice<UInt16>) throws -> Program {
        let ports = Array(ports)
        return try fixture.program([
          "ingest", "--data", fixture.path(data), "--http", "127.0.0.1:\(ports[0])", "--jobs",
          "tcp://127.0.0.1:\(ports[1])", "--changes", "tcp://127.0.0.1:\(ports[2])", "--submit", "tcp://127.0.0.1:*",
          "--operations", "none",
        ])
      }
      func both(_ index: Int) -> String {
        "tcp://127.0.0.1:\(ports[index]),tcp://127.0.0.1:\(ports[index + 3])"
      }
      first = try ingest("data", ports[..<3])
      second = try ingest(secondData, ports[3...])
      worker = try fixture.program(["worker", "--ingest", both(1), "--operations", "127.0.0.1:0"])
      let publish = "tcp://127.0.0.1:\(try Port.free())"
      feed = try fixture.program(
        [
          "feed", "--publish", publish, "--query", "tcp://127.0.0.1:*", "--http", "127.0.0.1:0", "--operations",
          "127.0.0.1:0", "--data", "none",
        ], environment: ["ONTHEMAP_FEED_INGEST": both(2)])
      watcher = Watcher(program: try fixture.program(["watch", "--json", "--feed", publish]))
      try await first.startAndWait()
      try await worker.startAndWait()
      try await feed.startAndWait()
      try watcher.program.start()
    }

    /// Returns a client of an ingest with the token of another client.
    func client(of ingest: Program, as other: Client? = nil) throws -> Client {
      var client = Client(try #require(ingest.ready["http"]))
      client.token = other?.token
      return client
    }
  }

  @Test("Posts go on when ingest ends and another starts at the second address", arguments: [SIGTERM, SIGKILL])
  func changeover(signal: Int32) async throws {
    let deployment = try await Deployment()
    let client = try await deployment.client(of: deployment.first).signedUp()
    try await client.expectService()
    // Some of these posts are queued or at the worker when ingest ends.
    var ids: [String] = []
    for _ in 0..<30 { ids.append(try #require(try await client.post("Oslo")["id"])) }
    deployment.first.signal(signal)
    _ = try await deployment.first.exit()
    try await deployment.second.startAndWait()
    let later = try deployment.client(of: deployment.second, as: client)
    for _ in 0..<30 { ids.append(try #require(try await later.post("Lima")["id"])) }
    try await eventually("all posts are published") { try await later.posts().allSatisfy { $0.state == "published" } }
    let posts = try await later.posts()
    #expect(Set(posts.map(\.id)).isSuperset(of: ids) && posts.count == 61)
    #expect(Set(posts.map(\.seq)).count == 61)
    try await eventually("the subscriber has the second ingest's list") {
      try await deployment.watcher.list == later.list()
    }
    #expect(deployment.worker.standardError.contains("address changed"))
    #expect(deployment.feed.standardError.contains("address changed"))
    // The feed kept its list, and its subscriber saw one epoch.
    #expect(try Set(deployment.watcher.lines.compactMap(\.epoch)).count == 1)
  }

  @Test("A worker and a feed refuse an ingest on an older copy of the data, until the later one starts again")
  func olderCopy() async throws {
    let fixture = SystemFixture.current
    let deployment = try await Deployment(secondData: "copy")
    let client = try await deployment.client(of: deployment.first).signedUp()
    try await client.expectService()
    func stop() async throws {
      deployment.first.signal(SIGTERM)
      #expect(try await deployment.first.exit() == 0)
    }
    try await stop()
    try FileManager.default.createDirectory(atPath: fixture.path("copy"), withIntermediateDirectories: true)
    for name in ["onthemap.sqlite", "onthemap.highwater"] {
      try FileManager.default.copyItem(atPath: fixture.path("data/\(name)"), toPath: fixture.path("copy/\(name)"))
    }
    // Two more starts: the copy's next start has a lower generation.
    for _ in 0..<2 {
      try await deployment.first.startAndWait()
      try await client.expectService()
      try await eventually("the subscriber has the list") { try await deployment.watcher.list == client.list() }
      try await stop()
    }
    let list = try #require(try deployment.watcher.list)
    try await deployment.second.startAndWait()
    for program in [deployment.worker, deployment.feed] {
      try await eventually("\(program) refuses the copy") {
        program.standardError.contains("ingest refused: a later start of ingest is known")
      }
    }
    let other = try deployment.client(of: deployment.second, as: client)
    #expect(try await other.post("Quito").status == 202)
    #expect(try await other.list().seq < list.seq)
    try await deployment.first.startAndWait()
    try await client.expectService()
    try await eventually("the subscriber has the later ingest's list") {
      try await deployment.watcher.list == client.list()
    }
    // No worker has served the copy, and the subscriber saw nothing of it.
    #expect(try await other.posts().filter { $0.place == "Quito" }.map(\.state) == ["queued"])
    #expect(try deployment.watcher.lines.compactMap(\.seq) == deployment.watcher.lines.compactMap(\.seq).sorted())
    for (program, link) in [(deployment.worker, "jobs"), (deployment.feed, "changes")] {
      #expect(program.standardError.components(separatedBy: "ingest refused").count == 2)
      let scrape = try await Scrape(Client(try #require(program.ready["operations"])))
      #expect(scrape["onthemap_link_starts_refused_total{link=\"\(link)\"}"] > 0)
      #expect(scrape["onthemap_link_address_changes_total{link=\"\(link)\",reason=\"lower_generation\"}"] > 0)
    }
  }

  @Test("A subscriber with two feeds follows the list when either is killed")
  func feeds() async throws {
    let fixture = SystemFixture.current
    let map = try await fixture.roles(workers: 1)
    let publish = "tcp://127.0.0.1:\(try Port.free())"
    let other = try fixture.program([
      "feed", "--ingest", try map.changes, "--publish", publish, "--query", "tcp://127.0.0.1:*", "--http",
      "127.0.0.1:0", "--operations", "none", "--data", "none",
    ])
    try await other.startAndWait()
    let watcher = Watcher(program: try fixture.program(["watch", "--json", "--feed", "\(try map.publish),\(publish)"]))
    try watcher.program.start()
    try await eventually("the subscriber has a list") { try watcher.list != nil }
    let client = try await map.client.signedUp()
    // The subscriber uses one of the feeds, so one of the kills ends its connection.
    for feed in [try #require(map.feed), other] {
      try await feed.kill()
      try await client.expectService()
      try await eventually("the subscriber has ingest's list") { try await watcher.list == client.list() }
      try await feed.startAndWait()
    }
    #expect(try watcher.lines.contains { $0.kind == "resync" })
  }
}
