import Domain
import Foundation
import Store
import StoreTesting
import Testing

@Suite("Listed posts")
struct ListedPostsTests {

  private func condition(_ text: String) throws -> ListCondition {
    try ListCondition(try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)))
  }

  /// Posts of two accounts, a second apart. The fourth is queued, the fifth rejected, the sixth deleted.
  private func posts(in database: any IngestStore) async throws -> [PostID] {
    let accounts = [try await database.addAccount("ada"), try await database.addAccount("bob")]
    var ids: [PostID] = []
    for index in 0..<6 {
      let time = 1_700_000_000_000 + Int64(index) * 1_000
      let id = try await database.accepted("place \(index)", by: accounts[index % 2], unixMs: time).id
      ids.append(id)
      let verdict = index == 4 ? Verdict.rejected(.init(code: "a", detail: "b")) : .at(Int32(index) * 10_000_000)
      if index != 3 { try await database.settled([(id, .verdict(verdict))], unixMs: time + 100) }
    }
    _ = try await database.deleted(ids[5], of: accounts[1])
    return ids
  }

  @Test("A listing has only published posts, newest first, in pages", arguments: StoreKind.allCases)
  func pages(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let ids = try await posts(in: database)
    #expect(try await database.listed(ListQuery()).map(\.entry.id) == [ids[2], ids[1], ids[0]])
    #expect(try await database.listed(ListQuery(limit: 2)).map(\.entry.id) == [ids[2], ids[1]])
    #expect(try await database.listed(ListQuery(limit: 2, skip: 2)).map(\.entry.id) == [ids[0]])
    #expect(try await database.listed(ListQuery(limit: 2, skip: 3)).isEmpty)
    #expect(try await database.listed(ListQuery(limit: 0)).isEmpty)
    for order in [ListQuery.Order.updatedAt, .createdAt] {
      let query = ListQuery(order: order, isDescending: false)
      #expect(try await database.listed(query).map(\.entry.id) == Array(ids[..<3]))
    }
    #expect(try await database.listed(ListQuery()).map(\.entry) == database.feed().entries)
  }

  @Test(
    "A listing with a condition has exactly the posts that meet it",
    arguments: [
      ("{}", [0, 1, 2]), ("{\"uniqueKey\":\"1\"}", [0, 2]), ("{\"uniqueKey\":{\"$ne\":\"1\"}}", [1]),
      ("{\"firstName\":\"bob\"}", [1]), ("{\"mapString\":{\"$in\":[\"place 0\",\"place 3\",\"place 2\"]}}", [0, 2]),
      ("{\"latitude\":{\"$gt\":0,\"$lte\":2}}", [1, 2]), ("{\"latitude\":1}", [1]),
      ("{\"longitude\":-1e-7}", [0, 1, 2]),
      ("{\"createdAt\":\"2023-11-14T22:13:21.000Z\"}", [1]),
      ("{\"updatedAt\":{\"$lt\":\"2023-11-14T22:13:21.100Z\"}}", [0]),
      ("{\"$or\":[{\"mapString\":\"place 0\"},{\"latitude\":{\"$gte\":2}}]}", [0, 2]),
      ("{\"$nor\":[{\"mapString\":\"place 0\"},{\"latitude\":{\"$gte\":2}}]}", [1]),
      ("{\"mediaURL\":\"https://example.org\",\"uniqueKey\":\"2\"}", [1]), ("{\"mapString\":\"' OR 1 --\"}", []),
    ])
  func conditions(text: String, found: [Int]) async throws {
    for kind in StoreKind.allCases { try await expect(found, of: text, in: StorePlace(kind)) }
  }

  private func expect(_ found: [Int], of text: String, in place: StorePlace) async throws {
    let database = try place.open()
    let ids = try await posts(in: database)
    let query = ListQuery(condition: try condition(text), isDescending: false)
    #expect(try await database.listed(query).map(\.entry.id) == found.map { ids[$0] })
    let account = try condition("{\"$and\":[{\"uniqueKey\":\"1\"},\(text)]}")
    let own = try await database.listed(ListQuery(condition: account, isDescending: false))
    #expect(
      own.map(\.entry.id) == found.filter { $0 != 1 }.map { ids[$0] }, "The index by account finds the same posts.")
  }
}
