import Foundation
import Testing

@Suite("Subscribers", .fixture)
struct SubscriberTests {
  @Test("A late subscriber gets the newest hundred posts, newest first")
  func late() async throws {
    let map = try await SystemFixture.current.up()
    let stream = Stream(try await map.client.signedUp(), count: 101)
    try await stream.run()
    try await stream.expectAll()
    let list = try await stream.client.list()
    #expect(list.entries.map(\.seq) == (2...101).reversed())
    try await eventually("the feed has ingest's list") { try await map.feedClient.list() == list }

    for _ in 0..<3 { #expect(try await SystemFixture.current.watcher(of: map).list == list) }
  }

  @Test("Two subscribers see every change once and in order, and end with the same list")
  func two() async throws {
    let map = try await SystemFixture.current.up()
    let watchers = [try await SystemFixture.current.watcher(of: map), try await SystemFixture.current.watcher(of: map)]
    let stream = Stream(try await map.client.signedUp(), count: 150)
    try await stream.run()
    try await stream.expectAll()
    let list = try await stream.client.list()
    for watcher in watchers {
      try await eventually("the subscriber has ingest's list") { try watcher.list == list }
      let changes = try watcher.lines.filter { $0.kind == "delta" }.flatMap { $0.upsert?.map(\.seq) ?? [] }
      if try watcher.isUndisturbed() { #expect(changes == Array(1...150)) }
    }
  }

  @Test("A subscriber may start before its feed, and notices the loss and the return of the feed")
  func patient() async throws {
    let fixture = SystemFixture.current
    let map = try await fixture.roles()
    let feed = try #require(map.feed)
    let publish = try map.publish
    try await feed.kill()
    let watcher = Watcher(program: try fixture.program(["watch", "--json", "--feed", publish]))
    try watcher.program.start()
    let client = try await map.client.signedUp()
    try await client.expectService()
    try await feed.startAndWait()
    try await eventually("the subscriber has ingest's list") { try await watcher.list == client.list() }

    try await feed.kill()
    try await eventually("the subscriber has lost the feed") { try watcher.lines.last?.kind == "resync" }
    try await client.expectService()
    try await feed.startAndWait()
    try await eventually("the subscriber has ingest's list again") { try await watcher.list == client.list() }
  }

  @Test("A feed without ingest serves its snapshot as stale, and continues when ingest returns")
  func kept() async throws {
    let fixture = SystemFixture.current
    let map = try await fixture.roles()
    let feed = try #require(map.feed)
    let client = try await map.client.signedUp()
    for _ in 0..<3 { try await client.expectService() }
    let list = try await client.list()
    let path = fixture.path("feed/feed.snapshot")
    // The file is written shortly after publication, and an interrupted write does not damage it.
    try await eventually("the snapshot file has the list") {
      (try? Data(contentsOf: URL(fileURLWithPath: path)))?.contains(Data(list.entries[0].id.utf8)) == true
    }
    try await map.ingest.kill()
    try await feed.kill()
    try await feed.startAndWait()
    #expect(try await map.feedClient.list() == list)
    #expect(try await map.feedClient.send("GET", "/v2/feed").object["stale"] as? Bool == true)
    let watcher = Watcher(program: try fixture.program(["watch", "--json", "--feed", try map.publish]))
    try watcher.program.start()
    try await eventually("a subscriber has the stale list") {
      try watcher.list?.entries == list.entries && watcher.lines.first?.stale == true
    }
    try await map.ingest.startAndWait()
    try await client.expectService()
    try await eventually("the subscriber has ingest's list") { try await watcher.list == client.list() }
    #expect(try await map.feedClient.send("GET", "/v2/feed").object["stale"] as? Bool == false)
    #expect(try watcher.lines.last { $0.kind == "stale" }?.stale == false)
    if try watcher.isUndisturbed() {
      #expect(try watcher.lines.count { $0.kind == "snapshot" } == 1, "The subscriber must continue from the snapshot.")
    }
  }

  @Test("A damaged snapshot file is ignored")
  func damaged() async throws {
    let fixture = SystemFixture.current
    try FileManager.default.createDirectory(atPath: fixture.path("feed"), withIntermediateDirectories: true)
    let file = URL(fileURLWithPath: fixture.path("feed/feed.snapshot"))
    try Data("OTMLIST1 and then something else".utf8).write(to: file)
    let map = try await fixture.roles(workers: 0)
    #expect(try await map.feedClient.list().entries.isEmpty)
    #expect(try #require(map.feed).standardError.contains("snapshot file ignored: damaged"))
  }

  @Test("A subscriber follows a new database with another epoch")
  func otherHistory() async throws {
    let fixture = SystemFixture.current
    let map = try await fixture.roles()
    let watcher = try await fixture.watcher(of: map)
    let client = try await map.client.signedUp()
    for _ in 0..<3 { try await client.expectService() }
    try await eventually("the subscriber has three posts") { try watcher.list?.entries.count == 3 }
    try await map.ingest.kill()
    try FileManager.default.removeItem(atPath: fixture.path("data"))
    try await map.ingest.startAndWait()
    let newClient = try await map.client.signedUp()
    try await newClient.expectService()
    try await eventually("the subscriber has the new list") { try await watcher.list == newClient.list() }
    #expect(try watcher.list?.entries.count == 1)
  }
}
