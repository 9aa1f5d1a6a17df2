import Foundation
import Testing

@Suite("Restored older database", .fixture)
struct RestoreTests {
  private static var data: String { SystemFixture.current.path("data") }

  /// A copy of the database and its high-water file.
  private struct Copy {
    let database: Data
    let mark: Data

    init() throws {
      database = try Data(contentsOf: URL(filePath: data + "/onthemap.sqlite"))
      mark = try Data(contentsOf: URL(filePath: data + "/onthemap.highwater"))
    }

    func putBack(withMark: Bool) throws {
      for name in ["onthemap.sqlite-wal", "onthemap.sqlite-shm"] {
        try? FileManager.default.removeItem(atPath: data + "/" + name)
      }
      try database.write(to: URL(filePath: data + "/onthemap.sqlite"))
      if withMark { try mark.write(to: URL(filePath: data + "/onthemap.highwater")) }
    }
  }

  private func stop(_ ingest: Program) async throws {
    ingest.signal(SIGTERM)
    #expect(try await ingest.exit() == 0)
  }

  /// Creates two posts, copies the database, creates a third post and deletes the first. Ingest is stopped on return.
  private func history(_ map: Services, _ client: Client, _ watcher: Watcher) async throws -> (Copy, FeedList) {
    var ids: [String] = []
    for place in ["Oslo", "Lima"] { ids.append(try #require(try await client.post(place, wait: 30)["id"])) }
    try await stop(map.ingest)
    let copy = try Copy()
    try await map.ingest.startAndWait()
    try await eventually("a worker is connected") { try await client.get("/v2/geocode?q=Oslo").status == 200 }
    #expect(try await client.post("Quito", wait: 30)["state"] == "published")
    #expect(try await client.delete(ids[0]).status == 204)
    let list = try await client.list()
    #expect(list.seq == 4 && list.entries.map(\.place) == ["Quito", "Lima"])
    try await eventually("the subscriber has ingest's list") { try watcher.list == list }
    try await stop(map.ingest)
    return (copy, list)
  }

  @Test("A restored database starts only without the high-water file, and with a new epoch")
  func restored() async throws {
    let map = try await SystemFixture.current.roles()
    let client = try await map.client.signedUp()
    let watcher = try await SystemFixture.current.watcher(of: map)
    let (copy, list) = try await history(map, client, watcher)
    try copy.putBack(withMark: false)
    try map.ingest.start()
    #expect(try await map.ingest.exit() == 1)
    #expect(map.ingest.standardError.contains("remove \(Self.data)/onthemap.highwater and start again"))
    #expect(try watcher.list == list)

    try FileManager.default.removeItem(atPath: Self.data + "/onthemap.highwater")
    try await map.ingest.startAndWait()
    #expect(map.ingest.standardError.contains("reason=highwater_missing"))
    let restored = try await client.list()
    #expect(restored.epoch != list.epoch && restored.seq == 2 && restored.entries.map(\.place) == ["Lima", "Oslo"])
    try await eventually("the subscriber has the restored list") { try watcher.list == restored }
    try await eventually("the feed has the restored list") { try await map.feedClient.list() == restored }
    try await client.expectService()
    try await eventually("the subscriber has the new post") { try await watcher.list == client.list() }
  }

  @Test("A feed refuses a database that regressed under the same epoch, and serves its list as stale")
  func sameEpoch() async throws {
    let map = try await SystemFixture.current.roles()
    let client = try await map.client.signedUp()
    let watcher = try await SystemFixture.current.watcher(of: map)
    let (copy, list) = try await history(map, client, watcher)
    try copy.putBack(withMark: true)
    try await map.ingest.startAndWait()
    let restored = try await client.list()
    #expect(restored.epoch == list.epoch && restored.seq == 2)
    let feed = try #require(map.feed)
    try await eventually("the feed refuses the list") { feed.standardError.contains("ingest's list is older") }
    try await eventually("the feed's list is stale") {
      try await map.feedClient.get("/v2/feed").object["stale"] as? Bool == true
    }
    try await eventually("the subscriber's list is stale") {
      try watcher.lines.last { $0.kind == "stale" }?.stale == true
    }
    // Wait for one more request of the feed: the list stays stale.
    let refusals = feed.standardError.components(separatedBy: "list is older").count
    try await eventually("the feed requests and refuses the list again") {
      feed.standardError.components(separatedBy: "list is older").count > refusals
    }
    #expect(try await map.feedClient.list() == list)
    #expect(try watcher.list == list)
    #expect(try watcher.lines.last { $0.stale != nil }?.stale == true)
    // The feed keeps its list over a restart.
    try await feed.restart()
    #expect(try await map.feedClient.list() == list)
    // Ingest reuses the old sequence numbers for other posts, then exceeds them. The feed MUST NOT publish a mixture.
    for (place, seq) in [("Rome", 3), ("Paris", 4), ("Cairo", 5)] as [(String, UInt64)] {
      #expect(try await client.post(place, wait: 30)["state"] == "published")
      #expect(try await client.list().seq == seq)
      let refusals = feed.standardError.components(separatedBy: "list is older").count
      try await eventually("the feed refuses the list at \(seq)") {
        feed.standardError.components(separatedBy: "list is older").count > refusals
      }
      #expect(try await map.feedClient.list() == list)
      #expect(try await map.feedClient.get("/v2/feed").object["stale"] as? Bool == true)
    }
    #expect(try watcher.list == list && watcher.lines.allSatisfy { ($0.seq ?? 0) <= list.seq })
  }
}
