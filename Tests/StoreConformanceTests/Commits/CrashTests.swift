import Domain
import Store
import StoreTesting
import Testing

@Suite("Crashes")
struct CrashTests {
  private func post(_ key: String) throws -> NewPost {
    NewPost(
      try Submission(place: "Lima", link: "example.org", latitude: nil, longitude: nil),
      Idempotency(key: key, requestHash: [1]))
  }

  /// Writes on a store with a queued post and two published ones. Each may be repeated.
  private func writes(_ account: AccountID, queued: PostID, published: PostID) throws -> [PostWrite] {
    [
      .accept([try post("a"), try post("b")], account: account, room: 2, unixMs: 1_700_000_005_000),
      .settle([SettlementRecord(queued, .verdict(.at(1)))], unixMs: 1_700_000_005_000),
      .delete(published, account: account, unixMs: 1_700_000_005_000), .pause(sinceMs: 7),
    ]
  }

  private func results(of writes: [PostWrite], in store: any IngestStore) async throws -> [PostWriteResult] {
    var results: [PostWriteResult] = []
    for write in writes { results.append(try await store.execute(write)) }
    return results
  }

  @Test(
    "A crash between the statements of a commit and its end loses that commit alone, and its writes can be repeated",
    arguments: StoreKind.allCases)
  func beforeCommit(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let store = try place.open()
    let account = try await store.addAccount()
    let published = try await store.published(2, by: account)
    let queued = try await store.accepted(by: account).id
    let writes = try writes(account, queued: queued, published: published[0])
    let before = try store.start()
    let gate = try await Gate.before(store) {
      for write in writes { store.submit(write, completion: CommitCompletion { _ in }) }
    }
    let crashed = try place.crashed()
    gate.open()
    let again = try crashed.open()
    let start = try again.start()
    #expect(start.list == before.list && start.pausedMs == nil && start.generation > before.generation)
    #expect(start.jobs.map(\.job) == before.jobs.map(\.job))
    #expect(try await again.count(of: account) == 3)
    let results = try await results(of: writes, in: again)
    guard case .accept(let acceptances) = results[0], case .settle(let settled) = results[1] else {
      Issue.record("\(results)")
      return
    }
    #expect(acceptances.compactMap(\.job).count == 2)
    #expect(settled.entries.map(\.seq) == [3] && settled.void.isEmpty)
    #expect(try again.feed().entries.map(\.id) == [queued, published[1]] && again.feed().seq == 4)
    try again.expectSound()
  }

  @Test(
    "A crash behind a commit keeps it, and the same writes have the same results and change nothing",
    arguments: StoreKind.allCases)
  func afterCommit(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let store = try place.open()
    let account = try await store.addAccount()
    let published = try await store.published(2, by: account)
    let queued = try await store.accepted(by: account).id
    let writes = try writes(account, queued: queued, published: published[0])
    guard case .accept(let first) = try await results(of: writes, in: store)[0] else { return }
    let again = try place.crashed().open()
    let start = try again.start()
    #expect(try start.list == store.feed() && start.pausedMs == 7)
    #expect(start.jobs.map(\.job.id) == first.compactMap { $0.job?.id })
    let results = try await results(of: writes, in: again)
    guard case .accept(let acceptances) = results[0], case .settle(let settled) = results[1],
      case .delete(let deletion) = results[2], case .pause(let sinceMs) = results[3]
    else {
      Issue.record("\(results)")
      return
    }
    #expect(acceptances.compactMap(\.accepted?.id) == first.compactMap(\.accepted?.id))
    #expect(acceptances.compactMap(\.job).isEmpty)
    #expect(settled.entries.isEmpty && settled.void == [queued])
    #expect(deletion == .notFound && sinceMs == 7)
    #expect(try again.feed() == start.list)
    try again.expectSound()
  }
}
