import Domain
import Store
import StoreTesting
import Testing

@Suite("Dead posts, post history and the pause")
struct DeadPostTests {
  private let poison = Verdict.Reason(code: "workers_lost", detail: "three workers were lost")
  private let bad = Verdict.Reason(code: "bad_place", detail: "no worker likes it")

  private func makeDead(_ reason: Verdict.Reason, _ count: Int, in database: any IngestStore, by account: AccountID)
    async throws -> [PostID]
  {
    var ids: [PostID] = []
    for _ in 0..<count { ids.append(try await database.accepted(by: account).id) }
    try await database.settled(ids.map { ($0, .dead(reason)) })
    return ids
  }

  @Test("Dead posts are counted by reason and listed in pages, all or by reason", arguments: StoreKind.allCases)
  func listed(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    #expect(try await database.deadCounts() == (0, []))
    let first = try await makeDead(poison, 3, in: database, by: account)
    let second = try await makeDead(bad, 5, in: database, by: account)
    _ = try await database.accepted(by: account)
    let counts = try await database.deadCounts()
    #expect(counts.all == 8)
    #expect(counts.byReason == [.init(reason: "bad_place", count: 5), .init(reason: "workers_lost", count: 3)])
    let page = try await database.deadPosts(reason: nil, after: nil, limit: 4)
    #expect(page.map(\.id) == first + second.prefix(1))
    #expect(page.first?.reason == poison && page.first?.state == .dead)
    #expect(try await database.deadPosts(reason: nil, after: page.last?.id, limit: 9).map(\.id) == second.suffix(4))
    #expect(
      try await database.deadPosts(reason: "workers_lost", after: first[0], limit: 9).map(\.id) == first.suffix(2))
    #expect(try await database.deadPosts(reason: "nothing", after: nil, limit: 9).isEmpty)
  }

  @Test(
    "A post's history has failures, lost leases, its death and operator actions, over a restart",
    arguments: StoreKind.allCases)
  func history(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    var database: (any IngestStore)? = try place.open()
    let account = try await #require(database).addAccount()
    let id = try await #require(database).accepted(by: account).id
    let down = Verdict.Reason(code: "down", detail: "try again")
    for (settlement, ms) in [
      (Settlement.retry(attempts: 1, pauseMs: 9, reason: down), Int64(10)), (.leaseLost, 20),
      (.dead(poison), 30), (.dead(bad), 40), (.leaseLost, 50), (.retry(attempts: 1, pauseMs: 9, reason: down), 60),
    ] { try await database?.settled([(id, settlement)], unixMs: ms) }
    _ = try await database?.retryDead(.posts([id]), limit: 1, unixMs: 70)
    try await database?.settled([(id, .dead(bad))], unixMs: 80)
    _ = try await database?.discard([id], unixMs: 90)
    database?.close()
    database = nil
    let events = try await place.open().history(of: id)
    #expect(events.map(\.kind) == [.failed, .leaseLost, .died, .retried, .died, .discarded])
    #expect(events.map(\.atMs) == [10, 20, 30, 70, 80, 90], "A settlement without effect is no event.")
    #expect(events.map(\.reason.code) == ["down", "", "workers_lost", "", "bad_place", ""])
  }

  @Test(
    "A retried dead post is durably queued with fresh counts and a complete job",
    arguments: StoreKind.allCases)
  func retried(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    var database: (any IngestStore)? = try place.open()
    let account = try await #require(database).addAccount()
    let id = try await #require(database).accepted("Lima", by: account).id
    try await database?.settled([(id, .retry(attempts: 7, pauseMs: 5))])
    try await database?.settled([(id, .leaseLost)])
    try await database?.settled([(id, .dead(bad))])
    let retried = try await #require(database).retryDead(.posts([id, id]), limit: 2, unixMs: 9)
    #expect(retried.change == QueueChange(done: [id]))
    #expect(retried.jobs == [Job(id: JobID(id), account: account, query: "Lima")])
    #expect(try await database?.deadCounts().all == 0)
    database?.close()
    database = nil
    let again = try place.open()
    let unsettled = try again.unsettledJobs()
    #expect(unsettled.map(\.job) == retried.jobs && unsettled.map(\.dueMs) == [0])
    #expect(try await again.post(id)?.reason == nil)
    #expect(try await again.settled([(id, .verdict(.at(1)))]).map(\.id) == [id])
    try await again.expectSound()
  }

  @Test(
    "A retry or discard changes only dead posts, and reports the state of others", arguments: StoreKind.allCases)
  func others(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let dead = try await makeDead(bad, 2, in: database, by: account)
    let queued = try await database.accepted(by: account).id
    let published = try await database.accepted(by: account).id
    try await database.settled([(published, .verdict(.at(1)))])
    let unknown = PostID.following(nil, unixMs: 1)
    let unchanged: [QueueChange.Unchanged] = [
      .init(id: queued, state: .ready), .init(id: published, state: .published), .init(id: unknown, state: nil),
    ]
    let ids = [queued, published, unknown]
    let retried = try await database.retryDead(.posts([dead[0]] + ids), limit: 4, unixMs: 9)
    #expect(retried.change == QueueChange(done: [dead[0]], unchanged: unchanged) && retried.jobs.count == 1)
    let discarded = try await database.discard(ids + [dead[1]], unixMs: 9)
    #expect(discarded == QueueChange(done: [dead[1]], unchanged: unchanged))
    #expect(try await database.post(queued)?.state == .queued)
    #expect(try await database.post(published)?.state == .published)
  }

  @Test(
    "A discarded post is rejected permanently, with the reason of its death",
    arguments: StoreKind.allCases)
  func discarded(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let id = try await makeDead(poison, 1, in: database, by: account)[0]
    #expect(try await database.discard([id], unixMs: 1_800_000_000_000).done == [id])
    let post = try await database.post(id)
    #expect(post?.state == .rejected && post?.updatedMs == 1_800_000_000_000)
    #expect(post?.reason?.code == "discarded")
    #expect(post?.reason?.detail == "discarded by the operator: three workers were lost")
    #expect(try await database.discard([id], unixMs: 9).unchanged == [.init(id: id, state: .rejected)])
    #expect(try await database.settled([(id, .verdict(.at(1)))]).isEmpty)
    try await database.expectSound()
  }

  @Test("A retry by reason covers each dead post once, in pages", arguments: StoreKind.allCases)
  func pages(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let dead = try await makeDead(bad, 10, in: database, by: account)
    let others = try await makeDead(poison, 2, in: database, by: account)
    var (done, next): ([PostID], PostID?) = ([], nil)
    repeat {
      let retried = try await database.retryDead(.all(reason: "bad_place", after: next), limit: 4, unixMs: 9)
      let change = retried.change
      #expect(retried.jobs.count == change.done.count)
      (done, next) = (done + change.done, change.next)
      // The retried posts die again immediately, and later pages do not contain them.
      try await database.settled(change.done.map { ($0, .dead(bad)) })
    } while next != nil
    #expect(done == dead)
    #expect(
      try await database.retryDead(.all(reason: nil, after: nil), limit: 100, unixMs: 9).change.done == dead + others)
  }

  @Test("A pause survives a restart with its start time", arguments: StoreKind.allCases)
  func pause(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    var database: (any IngestStore)? = try place.open()
    #expect(try database?.pausedMs() == nil)
    #expect(try await database?.setPaused(sinceMs: 100) == 100)
    #expect(try await database?.setPaused(sinceMs: 200) == 100)
    database?.close()
    database = nil
    database = try place.open()
    #expect(try database?.pausedMs() == 100)
    #expect(try await database?.setPaused(sinceMs: nil) == nil)
    database?.close()
    database = nil
    #expect(try place.open().pausedMs() == nil)
  }

  @Test("The store reports the time of the oldest queued post", arguments: StoreKind.allCases)
  func oldest(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    #expect(try await database.oldestQueuedMs() == nil)
    let first = try await database.accepted(by: account, unixMs: 1_700_000_000_100).id
    _ = try await database.accepted(by: account, unixMs: 1_700_000_000_200)
    #expect(try await database.oldestQueuedMs() == 1_700_000_000_100)
    try await database.settled([(first, .verdict(.at(1)))])
    #expect(try await database.oldestQueuedMs() == 1_700_000_000_200)
  }

  @Test(
    "A history shows the latest events up to a limit, and counts by reason omit the rarest",
    arguments: StoreKind.allCases)
  func shown(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let id = try await database.accepted(by: account).id
    for ms in 1...Int64(Limits.postEventsShownMax) + 1 { try await database.settled([(id, .leaseLost)], unixMs: ms) }
    let events = try await database.history(of: id)
    #expect(events.map(\.atMs) == Array(2...Int64(Limits.postEventsShownMax) + 1))
    for number in 0...Limits.deadReasonsMax {
      let count = number == 7 ? 1 : 2
      _ = try await makeDead(.init(code: "r\(number)", detail: ""), count, in: database, by: account)
    }
    let counts = try await database.deadCounts()
    #expect(counts.all == 2 * Limits.deadReasonsMax + 1)
    #expect(counts.byReason.count == Limits.deadReasonsMax && !counts.byReason.contains { $0.reason == "r7" })
  }
}
