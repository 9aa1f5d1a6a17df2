import Domain
import Store
import StoreTesting
import Testing

@Suite("Post search")
struct PublishedPostsTests {
  @Test(
    "A search of own posts covers all states, oldest first, by the known fields of each",
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
      try await found(PostFilter(feed: FeedFilter(country: "NO", box: ""))) == [oslo], "The other posts have no place.")
    #expect(try await found(PostFilter(feed: FeedFilter(country: "", box: "-1,-1,1,1"))) == [oslo])
    #expect(try await found(PostFilter(sinceMs: 1_700_000_009_000)) == [lima])
    #expect(try await found(PostFilter(text: "ada")).isEmpty, "A search of own posts does not match the author's name.")
    let page = try await database.posts(of: ada, PostFilter(text: "oslo"), after: nil, limit: 1)
    #expect(page.posts.map(\.id) == [oslo] && page.next == oslo)
    let last = try await database.posts(of: ada, after: queued, limit: 1)
    #expect(last.posts.map(\.id) == [lima] && last.next == nil)
    let newest = try await database.posts(of: ada, isNewestFirst: true, after: nil, limit: 2)
    #expect(newest.posts.map(\.id) == [lima, queued] && newest.next == queued)
    let oldest = try await database.posts(of: ada, isNewestFirst: true, after: queued, limit: 2)
    #expect(oldest.posts.map(\.id) == [oslo] && oldest.next == nil)
  }

  @Test(
    "A public search has only published posts, newest first, by text, country, box and time",
    arguments: StoreKind.allCases)
  func everyones(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let (ada, bob) = (try await database.addAccount("ada"), try await database.addAccount("bob"))
    let oslo = try await database.published(1, by: ada)[0]
    let rome = try await database.published(1, by: bob)[0]
    let bergen = try await database.accepted("Bergen", by: ada).id
    let rejected = try await database.accepted("Oslo", by: bob).id
    let reason = Verdict.Reason(code: "place_not_found", detail: "no place found for it")
    try await database.settled(
      [
        (bergen, .verdict(.at(603_900_000, label: "Bergen, Norway"))), (rejected, .verdict(.rejected(reason))),
      ], unixMs: 1_700_000_002_000)
    // The edit changes the post at 1_700_000_003_000.
    #expect(try await database.edited(rome, of: bob).entry != nil)
    let deleted = try await database.published(1, by: ada)[0]
    _ = try await database.deleted(deleted, of: ada)
    _ = try await database.accepted("Oslo", by: ada)
    func found(_ filter: PostFilter) async throws -> [PostID] {
      let page = try await database.published(filter, below: nil, limit: 9)
      #expect(page.next == nil)
      return page.entries.map(\.id)
    }
    #expect(try await found(PostFilter()) == [rome, bergen, oslo])
    #expect(try await found(PostFilter(text: "OSLO")) == [oslo])
    #expect(try await found(PostFilter(text: "norway")) == [bergen, oslo], "The label of the located place matches.")
    #expect(try await found(PostFilter(text: "bob love")) == [rome], "The author's name matches.")
    #expect(try await found(PostFilter(text: "example.org/rome")) == [rome], "The link matches.")
    #expect(try await found(PostFilter(text: "lima")).isEmpty)
    #expect(try await found(PostFilter(feed: FeedFilter(country: "IT", box: ""))) == [rome])
    #expect(try await found(PostFilter(feed: FeedFilter(country: "NO,IT", box: ""))) == [rome, bergen, oslo])
    #expect(try await found(PostFilter(feed: FeedFilter(country: "", box: "-1,-1,1,1"))) == [oslo])
    #expect(try await found(PostFilter(feed: FeedFilter(country: "NO", box: "-1,50,1,70"))) == [bergen])
    #expect(try await found(PostFilter(sinceMs: 1_700_000_002_000)) == [rome, bergen])
    #expect(try await found(PostFilter(untilMs: 1_700_000_002_000)) == [oslo])
    #expect(try await found(PostFilter(text: "norway", sinceMs: 1_700_000_002_000)) == [bergen])
    for (text, pages) in [("", [[rome], [bergen], [oslo]]), ("norway", [[bergen], [oslo]])] {
      var (next, seen): (UInt64?, [[PostID]]) = (nil, [])
      repeat {
        let page = try await database.published(PostFilter(text: text), below: next, limit: 1)
        seen.append(page.entries.map(\.id))
        next = page.next
      } while next != nil && seen.count < 9
      #expect(seen == pages, "\(text)")
    }
  }
}
