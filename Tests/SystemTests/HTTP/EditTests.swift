import Foundation
import Testing

@Suite("Edits and deletions", .fixture)
struct EditTests {
  @Test("A deletion brings the 101st post back and an edit moves a post up, both as deltas")
  func subscriber() async throws {
    let map = try await SystemFixture.current.up()
    let stream = Stream(try await map.client.signedUp(), count: 101)
    try await stream.run()
    try await stream.expectAll()
    let client = stream.client
    let before = try await client.list()
    let first = try #require(try await client.posts().first { $0.seq == 1 })
    let watcher = try await SystemFixture.current.watcher(of: map)

    #expect(try await client.delete(before.entries[40].id).status == 204)
    let deleted = try await client.list()
    #expect(deleted.seq == 102 && deleted.entries.count == 100 && deleted.entries.last?.id == first.id)
    try await eventually("the subscriber has ingest's list") { try watcher.list == deleted }
    if try watcher.isUndisturbed() {
      let delta = try #require(try watcher.lines.last)
      #expect(delta.kind == "delta" && delta.remove == [before.entries[40].id] && delta.upsert?.map(\.seq) == [1])
    }

    let edited = try await client.edit(first.id, "Wellington, NZ")
    #expect(edited.status == 200)
    let list = try await client.list()
    #expect(list.seq == 103 && list.entries.first?.id == first.id && list.entries.first?.place == "Wellington, NZ")
    #expect(list.entries.count == 100 && list.stateHash == list.computedHash)
    try await eventually("the subscriber has ingest's list") { try watcher.list == list }
    if try watcher.isUndisturbed() { #expect(try watcher.lines.map(\.kind) == ["snapshot", "delta", "delta"]) }
    let ours = try await client.get("/v2/feed").body
    try await eventually("the feed has the same bytes") { try await map.feedClient.get("/v2/feed").body == ours }
  }

  @Test("A kill of ingest after a deletion brings no post back, and the feed continues")
  func killed() async throws {
    let map = try await SystemFixture.current.roles()
    let client = try await map.client.signedUp()
    let watcher = try await SystemFixture.current.watcher(of: map)
    var ids: [String] = []
    for place in ["Oslo", "Lima", "Quito"] { ids.append(try #require(try await client.post(place, wait: 30)["id"])) }
    for (round, id) in ids.reversed().enumerated() {
      #expect(try await client.delete(id).status == 204)
      try await map.ingest.restart()
      let list = try await client.list()
      #expect(list.seq == UInt64(4 + round) && list.entries.map(\.id) == Array(ids.dropLast(round + 1).reversed()))
      try await eventually("the feed has ingest's list") { try await map.feedClient.list() == list }
      try await eventually("the subscriber has ingest's list") { try watcher.list == list }
    }
    try await client.expectService()
    let list = try await client.list()
    #expect(list.seq == 7 && list.entries.count == 1)
    try await eventually("the subscriber has ingest's list") { try watcher.list == list }
    #expect(try #require(map.feed).standardError.contains("ingest's list is older") == false)
    #expect(try await client.posts().count == 1)
  }
}
