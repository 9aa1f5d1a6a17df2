import Domain
import Store
import StoreTesting
import Testing

@Suite("Post deletion")
struct DeletionTests {
  @Test(
    "A deleted post is gone everywhere, and the 101st post refills the list",
    arguments: StoreKind.allCases)
  func deleted(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let ids = try await database.published(102, by: account)
    let follower = try #require(try await database.published(PostFilter(), below: 3, limit: 1).entries.first)
    let deletion = try await database.deleted(ids[50], of: account)
    #expect(deletion == .listed(.remove(ids[50], seq: 103, backfill: follower)))
    let list = try database.feed()
    #expect(list.seq == 103 && list.entries.map(\.id) == Array(ids[1...].reversed()).filter { $0 != ids[50] })
    #expect(try await database.post(ids[50]) == nil)
    #expect(try await database.posts([ids[50], ids[51]]).map(\.id) == [ids[51]])
    #expect(
      try await database.posts(of: account, after: ids[49], limit: 1).posts.map(\.id) == [ids[51]],
      "The page is still full.")
    #expect(try await database.queueEntry(ids[50]) == nil)
    #expect(try await database.queueEntries([ids[50]]).isEmpty)
    for again in [ids[50], PostID.following(ids[101], unixMs: 1)] {
      #expect(try await database.deleted(again, of: account) == .notFound)
    }
    #expect(try database.feed() == list)
    try await database.expectSound()
  }

  @Test(
    "Deletions of posts on the list and below it lead to the stored list",
    arguments: StoreKind.allCases)
  func everywhere(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let ids = try await database.published(105, by: account)
    var state = try database.feed()
    // By age: the newest, the 100th, the 101st, the oldest, then all posts beyond the list until none is left.
    for index in [104, 4, 3, 0, 1, 2, 100, 50] {
      let listed = state.entries.contains { $0.id == ids[index] }
      guard case .listed(let change) = try await database.deleted(ids[index], of: account) else {
        Issue.record("the deletion of post \(index) has no change")
        return
      }
      guard case .remove(_, _, let next) = change else { continue }
      #expect(listed || next == nil)
      state.apply([change])
      #expect(try database.feed() == state)
    }
    #expect(state.entries.count == 97 && state.seq == 113)
  }

  @Test(
    "The sequence number of the last deletion survives a restart and rises from there",
    arguments: StoreKind.allCases)
  func restart(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    var database: (any IngestStore)? = try place.open()
    let account = try await #require(database).addAccount()
    let ids = try await #require(database).published(2, by: account)
    for id in ids { _ = try await database?.deleted(id, of: account) }
    let epoch = try #require(database).feed().epoch
    database?.close()
    database = nil
    database = try place.open()
    #expect(try database?.feed() == FeedState(epoch: epoch, seq: 4, entries: []))
    let id = try await #require(database).published(1, by: account)[0]
    #expect(id > ids[1], "An id is never reused.")
    #expect(try database?.feed().entries.map(\.seq) == [5])
  }

  @Test(
    "A thousand concurrent deletions leave the other posts and no gap in sequence numbers",
    arguments: StoreKind.allCases)
  func thousand(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let ids = try await database.published(1_050, by: account)
    var state = try database.feed()
    let changes = try await withThrowingTaskGroup(of: FeedChange?.self) { group in
      for id in ids.shuffled().prefix(1_000) {
        group.addTask {
          guard case .listed(let change) = try await database.deleted(id, of: account) else { return nil }
          return change
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }.compactMap(\.self).sorted { $0.seq < $1.seq }
    }
    #expect(changes.map(\.seq) == Array(1_051...2_050))
    state.apply(changes)
    #expect(state.entries.count == 50)
    #expect(try database.feed() == state)
    try await database.expectSound()
  }

  @Test("Settlements, deletions and edits complete with rising sequence numbers", arguments: StoreKind.allCases)
  func order(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let ids = try await database.published(20, by: account)
    let edited = try Submission(place: "Rome", link: "example.org", latitude: nil, longitude: nil)
    var queued: [PostID] = []
    for _ in 0..<20 { queued.append(try await database.accepted(by: account).id) }
    let (numbers, completed) = AsyncStream.makeStream(of: UInt64?.self)
    let gate = try await Gate(database)
    let completion = CommitCompletion<PostWriteResult> { result in
      switch try? result.get() {
      case .settle(let result): completed.yield(result.entries.first?.seq)
      case .delete(let deletion): completed.yield(deletion.change?.seq)
      case .edit(let edit): completed.yield(edit.entry?.seq)
      default: completed.yield(nil)
      }
    }
    for (index, id) in ids.enumerated() {
      database.submit(
        .settle([SettlementRecord(queued[index], .verdict(.at(1)))], unixMs: 1), completion: completion)
      if index % 2 == 0 {
        database.submit(.delete(id, account: account, unixMs: 1), completion: completion)
      } else {
        database.submit(.edit(id, account: account, edited, published: .rome, unixMs: 1), completion: completion)
      }
    }
    gate.open()
    var seen: [UInt64?] = []
    for await number in numbers.prefix(40) { seen.append(number) }
    #expect(seen == (21...60).map { $0 })
  }

  @Test(
    "A deleted queued post stays deleted, whatever its job's settlement, also after a restart",
    arguments: StoreKind.allCases)
  func queued(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let settlements: [Settlement] = [
      .verdict(.at(1)), .verdict(.rejected(.init(code: "c", detail: "d"))), .dead(.init(code: "c", detail: "d")),
      .retry(attempts: 1, pauseMs: 9, reason: .init(code: "c", detail: "d")), .leaseLost,
    ]
    var database: (any IngestStore)? = try place.open()
    let account = try await #require(database).addAccount()
    for restarts in [false, true] {
      for settlement in settlements {
        let id = try await #require(database).accepted(by: account).id
        let deletion = try await database?.deleted(id, of: account)
        #expect(deletion == .unlisted)
        if restarts {
          database?.close()
          database = nil
          database = try place.open()
        }
        #expect(try database?.unsettledJobs().isEmpty == true)
        let settled = try await #require(database).settledAll([(id, settlement)])
        #expect(settled.entries.isEmpty && settled.notQueued == [id])
        #expect(try await database?.post(id) == nil)
        #expect(try await database?.history(of: id).isEmpty == true)
      }
    }
    #expect(try database?.feed().seq == 0, "The post was never listed.")
    #expect(try await database?.oldestQueuedMs() == nil)
    #expect(try await database?.deadCounts().all == 0)
  }

  @Test(
    "A post that is settled and deleted in one commit ends in the order of the two writes",
    arguments: StoreKind.allCases, [true, false])
  func together(kind: StoreKind, deletesFirst: Bool) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let id = try await database.accepted(by: account).id
    let (ends, ended) = AsyncStream.makeStream(of: (entries: Int?, deletion: PostWriteResult.Deletion?).self)
    @Sendable func delete() {
      database.submit(
        .delete(id, account: account, unixMs: 1),
        completion: CommitCompletion { result in
          if case .delete(let deletion)? = try? result.get() { ended.yield((nil, deletion)) }
        })
    }
    let gate = try await Gate(database)
    if deletesFirst { delete() }
    database.settle([SettlementRecord(id, .verdict(.at(1)))], unixMs: 1) {
      ended.yield((try? $0.get().entries.count, nil))
    }
    if !deletesFirst { delete() }
    gate.open()
    var found: (entries: Int?, deletion: PostWriteResult.Deletion?) = (nil, nil)
    for await end in ends.prefix(2) { found = (found.entries ?? end.entries, found.deletion ?? end.deletion) }
    #expect(found.entries == (deletesFirst ? 0 : 1))
    #expect(found.deletion == (deletesFirst ? .unlisted : .listed(.remove(id, seq: 2, backfill: nil))))
    #expect(try database.feed().entries.isEmpty)
  }

  @Test(
    "A deleted rejected or dead post has no history, and cannot be retried or discarded",
    arguments: StoreKind.allCases)
  func ended(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let reason = Verdict.Reason(code: "bad", detail: "no place found for \"Oslo\"")
    let ids = [try await database.accepted(by: account).id, try await database.accepted(by: account).id]
    try await database.settled([(ids[0], .verdict(.rejected(reason))), (ids[1], .dead(reason))])
    for id in ids {
      #expect(try await database.deleted(id, of: account) == .unlisted)
      #expect(try await database.history(of: id).isEmpty)
    }
    #expect(try await database.deadCounts().all == 0)
    #expect(try await database.deadPosts(reason: nil, after: nil, limit: 9).isEmpty)
    let retried = try await database.retryDead(.posts([ids[1]]), limit: 1, unixMs: 9)
    #expect(retried.jobs.isEmpty && retried.change == QueueChange(unchanged: [.init(id: ids[1], state: nil)]))
    #expect(try await database.retryDead(.all(reason: nil, after: nil), limit: 9, unixMs: 9).jobs.isEmpty)
    #expect(try await database.discard([ids[1]], unixMs: 9) == retried.change)
    #expect(try await database.posts(of: account, after: nil, limit: 9).posts.isEmpty)
    #expect(try database.feed().seq == 0)
  }

  @Test(
    "The key of a deleted post makes no second post until the key expires",
    arguments: StoreKind.allCases)
  func key(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let key = Idempotency(key: "k", requestHash: [1])
    let id = try await database.accepted(by: account, key: key).id
    _ = try await database.deleted(id, of: account)
    let again = try await database.accepted(by: account, key: key)
    #expect(again.id == id && again.job == nil)
    #expect(try database.unsettledJobs().isEmpty)
    let laterMs = 1_700_000_000_000 + Limits.idempotencyDays * 86_400_000 + 10_000
    #expect(try await database.accepted(by: account, key: key, unixMs: laterMs).job != nil)
  }

  @Test("A post of another account is not found", arguments: StoreKind.allCases)
  func foreign(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let (ada, bob) = (try await database.addAccount("ada"), try await database.addAccount("bob"))
    let id = try await database.published(1, by: ada)[0]
    #expect(try await database.deleted(id, of: bob) == .notFound)
    #expect(try await database.edited(id, of: bob) == .notFound)
    #expect(try database.feed().entries.map(\.id) == [id] && database.feed().seq == 1)
  }
}
