import Domain
import Store
import StoreTesting
import Testing

@Suite("Latest posts")
struct LatestPostsTests {
  @Test(
    "The latest posts are the newest hundred at the last sequence number, also after a restart",
    arguments: StoreKind.allCases)
  func latest(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let empty = FeedState(epoch: try database.epoch, seq: 0, entries: [])
    #expect(try await database.latest() == empty)
    let ids = try await database.published(Limits.feedEntriesMax + 2, by: account)
    _ = try await database.accepted(by: account)
    let full = try await database.latest()
    #expect(full.entries.map(\.id) == Array(ids.suffix(Limits.feedEntriesMax).reversed()))
    #expect(full.epoch == empty.epoch && full.seq == full.entries.first?.seq)
    #expect(try database.feed() == full)
    _ = try await database.deleted(ids[50], of: account)
    let updated = try await database.latest()
    #expect(updated.seq > full.seq && updated.entries.count == Limits.feedEntriesMax)
    #expect(updated.entries.last?.id == ids[1] && !updated.entries.contains { $0.id == ids[50] })
    #expect(try database.feed() == updated)
    database.close()
    #expect(try await place.open().latest() == updated)
  }
}
