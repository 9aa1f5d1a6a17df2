import Domain
import Store
import StoreTesting
import Testing

/// The accounts and posts for each kind of write, and the writes.
private struct StoreFixture {
  let ada: AccountID
  /// A closed account with posts that are not erased yet.
  let bob: AccountID
  /// Ada's post to settle.
  let queued: PostID
  /// Ada's published posts: the first to delete, the second to edit.
  let published: [PostID]
  /// Ada's dead posts: the first to retry, the second to discard.
  let dead: [PostID]
  /// Bob's queued post. Bob has a published post, too.
  let unlisted: PostID
  /// A write of each kind, in the order of `PostWrite`. Each may be repeated.
  let writes: [PostWrite]

  /// Stores the accounts and the posts, and returns the fixture.
  static func stored(in store: any IngestStore) async throws -> StoreFixture {
    let (ada, bob) = (try await store.addAccount("ada"), try await store.addAccount("bob"))
    _ = try await store.published(1, by: bob)
    let unlisted = try await store.accepted(by: bob).id
    let published = try await store.published(2, by: ada)
    let queued = try await store.accepted(by: ada).id
    let dead = [try await store.accepted(by: ada).id, try await store.accepted(by: ada).id]
    let reason = Verdict.Reason(code: "down", detail: "no worker")
    try await store.settled([(dead[0], .dead(reason)), (dead[1], .dead(reason))])
    #expect(try await store.close(bob, unixMs: 1_700_000_004_000))
    let unixMs: Int64 = 1_700_000_005_000
    let rome = try Submission(place: "Rome", link: "example.org", latitude: nil, longitude: nil)
    let name = try ProfileChange(email: nil, firstName: "Augusta", lastName: nil)
    let writes: [PostWrite] = [
      .accept([try post("a"), try post("b")], account: ada, capacity: 2, unixMs: unixMs),
      .settle([SettlementRecord(queued, .verdict(.at(1)))], unixMs: unixMs),
      .delete(published[0], account: ada, unixMs: unixMs),
      .edit(published[1], account: ada, rome, published: .rome, unixMs: unixMs),
      .changeProfile(ada, name, unixMs: unixMs), .erasePosts(account: bob, after: nil, unixMs: unixMs),
      .retryDead(.posts([dead[0]]), limit: 1, unixMs: unixMs), .discard([dead[1]], unixMs: unixMs), .pause(sinceMs: 7),
    ]
    return StoreFixture(
      ada: ada, bob: bob, queued: queued, published: published, dead: dead, unlisted: unlisted, writes: writes)
  }

  private static func post(_ key: String) throws -> NewPost {
    NewPost(
      try Submission(place: "Lima", link: "example.org", latitude: nil, longitude: nil),
      Idempotency(key: key, requestHash: [1]))
  }
}

@Suite("Crashes")
struct CrashTests {
  private func results(of writes: [PostWrite], in store: any IngestStore) async throws -> [PostWriteResult] {
    var results: [PostWriteResult] = []
    for write in writes { results.append(try await store.execute(write)) }
    return results
  }

  @Test(
    "A crash before a commit loses only the writes of that commit, which can be repeated",
    arguments: StoreKind.allCases)
  func beforeCommit(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let store = try place.open()
    let fixture = try await StoreFixture.stored(in: store)
    let before = try store.start()
    let gate = try await Gate.before(store) {
      for write in fixture.writes { store.submit(write, completion: CommitCompletion { _ in }) }
    }
    let crashed = try place.crashed()
    gate.open()
    let again = try crashed.open()
    let start = try again.start()
    #expect(start.list == before.list && start.pausedMs == nil && start.generation > before.generation)
    #expect(start.jobs.map(\.job) == before.jobs.map(\.job) && start.closedAccounts == [fixture.bob])
    #expect(try await again.count(of: fixture.ada) == 5)
    #expect(try await again.account(fixture.ada)?.firstName == "ada")
    #expect(try await again.deadPosts(reason: nil, after: nil, limit: 9).map(\.id) == fixture.dead)
    let repeated = try await results(of: fixture.writes, in: again)
    guard case .accept(let acceptances) = repeated[0], case .settle(let settled) = repeated[1],
      case .delete(let deletion) = repeated[2], case .edit(let edit) = repeated[3],
      case .changeProfile(.changed(let account, let changes)) = repeated[4],
      case .erasePosts(let erasure) = repeated[5], case .retryDead(let retried) = repeated[6],
      case .discard(let discarded) = repeated[7]
    else {
      Issue.record("\(repeated)")
      return
    }
    #expect(acceptances.compactMap(\.job).count == 2)
    #expect(settled.entries.map(\.seq) == [before.list.seq + 1] && settled.notQueued.isEmpty)
    #expect(deletion.change != nil && edit.entry?.place == "Rome")
    #expect(account.firstName == "Augusta" && changes.count == 2)
    #expect(erasure.changes.count == 1 && erasure.unlisted == [fixture.unlisted] && erasure.next == nil)
    #expect(retried.change == QueueChange(done: [fixture.dead[0]]) && discarded == QueueChange(done: [fixture.dead[1]]))
    #expect(try again.feed().entries.map(\.id) == [fixture.published[1], fixture.queued])
    #expect(try again.closing().isEmpty && again.pausedMs() == 7)
    try await again.expectSound()
  }

  @Test(
    "A commit survives a crash, and repeated writes change only the edited post's sequence number",
    arguments: StoreKind.allCases)
  func afterCommit(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let store = try place.open()
    let fixture = try await StoreFixture.stored(in: store)
    let stored = try await results(of: fixture.writes, in: store)
    guard case .accept(let first) = stored[0] else {
      Issue.record("\(stored)")
      return
    }
    let again = try place.crashed().open()
    let start = try again.start()
    #expect(try start.list == store.feed() && start.pausedMs == 7 && start.closedAccounts.isEmpty)
    #expect(start.jobs.map(\.job.id) == [JobID(fixture.dead[0])] + first.compactMap { $0.job?.id })
    let repeated = try await results(of: fixture.writes, in: again)
    guard case .accept(let acceptances) = repeated[0], case .settle(let settled) = repeated[1],
      case .delete(let deletion) = repeated[2], case .edit(let edit) = repeated[3],
      case .changeProfile(.changed(let account, let changes)) = repeated[4],
      case .erasePosts(let erasure) = repeated[5], case .retryDead(let retried) = repeated[6],
      case .discard(let discarded) = repeated[7], case .pause(let sinceMs) = repeated[8]
    else {
      Issue.record("\(repeated)")
      return
    }
    #expect(acceptances.compactMap(\.accepted?.id) == first.compactMap(\.accepted?.id))
    #expect(acceptances.compactMap(\.job).isEmpty)
    #expect(settled.entries.isEmpty && settled.notQueued == [fixture.queued])
    #expect(deletion == .notFound && sinceMs == 7)
    #expect(account.firstName == "Augusta" && changes.isEmpty)
    #expect(erasure.changes.isEmpty && erasure.unlisted.isEmpty && erasure.next == nil)
    #expect(retried.jobs.isEmpty)
    #expect(retried.change == QueueChange(unchanged: [.init(id: fixture.dead[0], state: .ready)]))
    #expect(discarded == QueueChange(unchanged: [.init(id: fixture.dead[1], state: .rejected)]))
    // The edited post was already on top.
    let (list, entry) = (try again.feed(), try #require(edit.entry))
    #expect(entry.id == fixture.published[1] && entry.seq > start.list.seq && list.seq == entry.seq)
    #expect(list.entries.map(\.id) == start.list.entries.map(\.id))
    #expect(list.entries.first == entry && list.entries.dropFirst() == start.list.entries.dropFirst())
    try await again.expectSound()
  }
}
