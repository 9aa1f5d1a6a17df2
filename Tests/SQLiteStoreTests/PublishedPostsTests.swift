import GRDB
import Store
import StoreTesting
import Testing

@testable import Domain
@testable import SQLiteStore

@Suite("Searching published posts")
struct PublishedPostsTests {
  private let folder = Folder()

  @Test("A page looks at five thousand posts, and says where the next goes on, also where it found none")
  func scan() async throws {
    let database = try folder.open()
    let account = try await database.addAccount()
    let first = try await database.accepted("needle", by: account).id
    try await database.settled([(first, .verdict(.at(1)))])
    let hay = Limits.searchScanMax
    try await folder.outside(readonly: false).write { db in
      try db.execute(
        sql: """
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
          INSERT INTO post
            (id, account, place, link, state, lat_e7, lon_e7, label, country, seq, created_ms, updated_ms)
            SELECT ? + i, ?, 'hay', '', 1, 1, 1, '', '', 1 + i, 1, 1 FROM n
          """, arguments: [hay, Int64(first.rawValue), account.rawValue])
    }
    let needle = PostFilter(text: "NEEDLE")
    let page = try await database.published(needle, below: nil, limit: 10)
    #expect(page.entries.isEmpty && page.next == 2)
    let next = try await database.published(needle, below: page.next, limit: 10)
    #expect(next.entries.map(\.id) == [first] && next.next == nil)
    let all = try await database.published(PostFilter(), below: nil, limit: hay)
    #expect(all.entries.count == hay && all.next == 2)
    #expect(try await database.published(PostFilter(), below: 1, limit: 1).entries.isEmpty)
  }

  @Test("One's own are searched whatever became of them, oldest first, by what is known of each")
  func own() async throws {
    let database = try folder.open()
    let (ada, bob) = (try await database.addAccount(), try await database.addAccount("bob"))
    let oslo = try await database.published(1, by: ada)[0]
    _ = try await database.published(1, by: bob)
    let queued = try await database.accepted("Oslo harbour", by: ada).id
    let lima = try await database.accepted("Lima", by: ada).id
    try await database.settled([(lima, .dead(Verdict.Reason(code: "down", detail: "down")))], unixMs: 1_700_000_009_000)
    func found(_ filter: PostFilter, after: PostID? = nil, limit: Int = 9) async throws -> [PostID] {
      try await database.posts(of: ada, filter, after: after, limit: limit).posts.map(\.id)
    }
    #expect(try await found(PostFilter()) == [oslo, queued, lima])
    #expect(try await found(PostFilter(text: "oslo")) == [oslo, queued])
    #expect(try await found(PostFilter(text: "oslo"), after: oslo) == [queued])
    #expect(
      try await found(PostFilter(feed: FeedFilter(country: "NO", box: ""))) == [oslo], "The others have no place.")
    #expect(try await found(PostFilter(feed: FeedFilter(country: "", box: "-1,-1,1,1"))) == [oslo])
    #expect(try await found(PostFilter(sinceMs: 1_700_000_009_000)) == [lima])
    #expect(try await found(PostFilter(text: "ada")).isEmpty, "One's own name is in none of them.")
    let page = try await database.posts(of: ada, PostFilter(text: "oslo"), after: nil, limit: 1)
    #expect(page.posts.map(\.id) == [oslo] && page.next == oslo)
    let last = try await database.posts(of: ada, after: queued, limit: 1)
    #expect(last.posts.map(\.id) == [lima] && last.next == nil)
    let newest = try await database.posts(of: ada, isNewestFirst: true, after: nil, limit: 2)
    #expect(newest.posts.map(\.id) == [lima, queued] && newest.next == queued)
    let oldest = try await database.posts(of: ada, isNewestFirst: true, after: queued, limit: 2)
    #expect(oldest.posts.map(\.id) == [oslo] && oldest.next == nil)
  }
}
