import Foundation
import Testing

@Suite("A database of before is put back", .stage)
struct RestoreTests {
  private static var data: String { SystemFixture.current.path("data") }

  /// A database as it was, and the mark beside it.
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

  /// Two posts, a copy, and then one more and a deletion. Ingest is stopped.
  private func history(_ map: Services, _ client: Client, _ watcher: Watcher) async throws -> (Copy, FeedList) {
    var ids: [String] = []
    for place in ["Oslo", "Lima"] { ids.append(try #require(try await client.post(place, wait: 30)["id"])) }
    try await stop(map.ingest)
    let copy = try Copy()
    try await map.ingest.startAndWait()
    try await eventually("a worker is back") { try await client.get("/v2/geocode?q=Oslo").status == 200 }
    #expect(try await client.post("Quito", wait: 30)["state"] == "published")
    #expect(try await client.delete(ids[0]).status == 204)
    let list = try await client.list()
    #expect(list.seq == 4 && list.entries.map(\.place) == ["Quito", "Lima"])
    try await eventually("the subscriber has ingest's list") { try watcher.list == list }
    try await stop(map.ingest)
    return (copy, list)
  }

  @Test("It is refused until the mark is removed, and then it is another history, which subscribers take")
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
    let restored = try await client.list()
    #expect(restored.epoch != list.epoch && restored.seq == 2 && restored.entries.map(\.place) == ["Lima", "Oslo"])
    try await eventually("the subscriber has the new history") { try watcher.list == restored }
    try await eventually("the feed has it too") { try await map.feedClient.list() == restored }
    try await client.expectService()
    try await eventually("the subscriber follows it") { try await watcher.list == client.list() }
  }

  @Test("Under the old epoch a running feed refuses it, says so, and keeps its list, which it says is stale")
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
    try await eventually("the feed refuses it") { feed.standardError.contains("ingest's store has gone backwards") }
    try await eventually("the feed says that its list is stale") {
      try await map.feedClient.get("/v2/feed").object["stale"] as? Bool == true
    }
    try await eventually("the subscriber is told") { try watcher.lines.last { $0.kind == "stale" }?.stale == true }
    // Longer than it waits between two questions: it stays so.
    let asked = feed.standardError.components(separatedBy: "gone backwards").count
    try await eventually("it asks again, and refuses again") {
      feed.standardError.components(separatedBy: "gone backwards").count > asked
    }
    #expect(try await map.feedClient.list() == list)
    #expect(try watcher.list == list)
    #expect(try watcher.lines.last { $0.stale != nil }?.stale == true)
    // Nor does the list of before get lost when the feed starts again.
    try await feed.restart()
    #expect(try await map.feedClient.list() == list)
    // Ingest comes to the numbers of before with other posts, and past them: nobody is told what neither has.
    for (place, seq) in [("Rome", 3), ("Paris", 4), ("Cairo", 5)] as [(String, UInt64)] {
      #expect(try await client.post(place, wait: 30)["state"] == "published")
      #expect(try await client.list().seq == seq)
      let asked = feed.standardError.components(separatedBy: "gone backwards").count
      try await eventually("it is refused at \(seq)") {
        feed.standardError.components(separatedBy: "gone backwards").count > asked
      }
      #expect(try await map.feedClient.list() == list)
      #expect(try await map.feedClient.get("/v2/feed").object["stale"] as? Bool == true)
    }
    #expect(try watcher.list == list && watcher.lines.allSatisfy { ($0.seq ?? 0) <= list.seq })
  }
}
