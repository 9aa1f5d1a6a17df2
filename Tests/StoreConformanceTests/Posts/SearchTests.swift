import Domain
import Store
import StoreTesting
import Testing

@Suite("Searching published posts")
struct PublishedPostsTests {
  @Test(
    "One's own are searched whatever became of them, oldest first, by what is known of each",
    arguments: StoreKind.allCases)
  func own(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
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
