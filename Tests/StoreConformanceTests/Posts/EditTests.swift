import Domain
import Store
import StoreTesting
import Testing

@Suite("Post edits")
struct EditTests {
  @Test(
    "An edited post keeps its id, moves to the top and gets a new sequence number",
    arguments: StoreKind.allCases)
  func edited(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    var database: (any IngestStore)? = try place.open()
    let account = try await #require(database).addAccount()
    let ids = try await #require(database).published(3, by: account)
    let trace = try #require(TraceContext("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))
    let edit = try await #require(database).edited(ids[0], of: account, trace: trace, unixMs: 1_700_000_009_000)
    let rome = Verdict.Published.rome
    let entry = FeedEntry(
      id: ids[0], seq: 4, account: account, firstName: "ada", lastName: "Lovelace", place: "rome", label: rome.label,
      countryCode: rome.countryCode, link: "https://example.org/rome", coordinate: rome.coordinate,
      agreement: rome.agreement, createdMs: 1_700_000_000_000, updatedMs: 1_700_000_009_000)
    #expect(edit == .published(entry) && edit.entry?.trace?.traceID == trace.traceID)
    database?.close()
    database = nil
    database = try place.open()
    #expect(try database?.feed().entries.map(\.id) == [ids[0], ids[2], ids[1]])
    #expect(try database?.feed().entries.first == entry && database?.feed().seq == 4)
    let post = try await #require(database?.post(ids[0]))
    #expect(post.outcome == rome && post.reason == nil && post.createdMs == 1_700_000_000_000)
    try await database?.expectSound()
  }

  @Test("An edit returns an old post to the list, and the oldest listed post leaves it", arguments: StoreKind.allCases)
  func behind(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let ids = try await database.published(101, by: account)
    var state = try database.feed()
    let entry = try #require(try await database.edited(ids[0], of: account).entry)
    state.apply([.upsert(entry)])
    #expect(try database.feed() == state)
    #expect(state.entries.first?.id == ids[0] && state.entries.last?.id == ids[2])
  }

  @Test(
    "An edit publishes a rejected or dead post, but not a queued or deleted one",
    arguments: StoreKind.allCases)
  func states(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let reason = Verdict.Reason(code: "bad", detail: "it")
    var ids: [PostID] = []
    for _ in 0..<4 { ids.append(try await database.accepted(by: account).id) }
    try await database.settled([(ids[0], .verdict(.rejected(reason))), (ids[1], .dead(reason))])
    _ = try await database.deleted(ids[3], of: account)
    #expect(try await database.edited(ids[0], of: account).entry?.seq == 1)
    #expect(try await database.edited(ids[1], of: account).entry?.seq == 2)
    #expect(try await database.edited(ids[2], of: account) == .queued)
    #expect(try await database.edited(ids[3], of: account) == .notFound)
    let posts = [try await database.post(ids[0]), try await database.post(ids[1])]
    #expect(posts.allSatisfy { $0?.state == .published && $0?.reason == nil })
    #expect(try await database.post(ids[2])?.place == "Oslo")
    #expect(try await database.deadCounts().all == 0)
    #expect(try database.feed().entries.map(\.id) == [ids[1], ids[0]])
    // The job of the queued post continues unchanged.
    #expect(try await database.settled([(ids[2], .verdict(.at(1)))]).map(\.place) == ["Oslo"])
  }
}
