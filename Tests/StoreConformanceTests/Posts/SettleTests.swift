import Domain
import Store
import StoreTesting
import Testing

@Suite("Settlement of posts")
struct SettleTests {
  @Test(
    "A published post is listed with place, sequence number and author", arguments: StoreKind.allCases)
  func published(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let id = try await database.accepted("oslo", by: account, unixMs: 1_700_000_000_000).id
    let entries = try await database.settled([(id, .verdict(.at(599_139_000)))], unixMs: 1_700_000_002_000)
    let entry = try #require(entries.first)
    let coordinate = try #require(Coordinate(latitudeE7: 599_139_000, longitudeE7: -1))
    #expect(
      entry
        == FeedEntry(
          id: id, seq: 1, account: account, firstName: "ada", lastName: "Lovelace", place: "oslo",
          label: "Oslo, Norway", countryCode: "NO", link: "https://example.org", coordinate: coordinate,
          agreement: .verified, createdMs: 1_700_000_000_000, updatedMs: 1_700_000_002_000))
    #expect(try database.feed() == FeedState(epoch: try database.epoch, seq: 1, entries: [entry]))
    let post = try await #require(database.post(id))
    #expect(post.state == .published)
    #expect(post.seq == 1)
    #expect(post.outcome?.agreement == .verified && post.outcome?.match == .fallback)
    #expect(post.coordinate == coordinate)
    #expect(try database.unsettledJobs().isEmpty)
  }

  @Test(
    "A post is published with the same content, from its job or from the database",
    arguments: StoreKind.allCases)
  func fromJob(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let jobs = [
      try await #require(database.accepted("Oslo", by: account, unixMs: 1_700_000_000_000).job),
      try await #require(database.accepted("Oslo", by: account, unixMs: 1_700_000_000_000).job),
    ]
    #expect(jobs[0].content == Job.PostContent(link: "https://example.org", createdMs: 1_700_000_000_000))
    let ids = jobs.compactMap(\.id.post)
    let records = [
      SettlementRecord(ids[0], .verdict(.at(7)), of: jobs[0]), SettlementRecord(ids[1], .verdict(.at(7))),
    ]
    let entries = try await database.settledAll(records).entries
    try #require(entries.map(\.id) == ids && entries.map(\.seq) == [1, 2])
    #expect(try database.feed().entries == entries.reversed())
    let (carried, read) = (entries[0], entries[1])
    #expect(carried.place == read.place && carried.link == read.link && carried.createdMs == read.createdMs)
    #expect(carried.account == read.account && carried.firstName == read.firstName)
    // A post that is deleted while its job is leased is not settled.
    let deleted = try await #require(database.accepted("Rome", by: account).job)
    let id = try #require(deleted.id.post)
    #expect(try await database.deleted(id, of: account) == .unlisted)
    #expect(try await database.settledAll([SettlementRecord(id, .verdict(.at(7)), of: deleted)]).entries.isEmpty)
  }

  @Test("Rejected and dead posts have their reason and are not listed", arguments: StoreKind.allCases)
  func ended(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let rejected = try await database.accepted(by: account).id
    let dead = try await database.accepted(by: account).id
    let reason = Verdict.Reason(code: "place_not_found", detail: "no place found for it")
    let deathReason = Verdict.Reason(code: "poison", detail: "three workers were lost")
    let entries = try await database.settled([(rejected, .verdict(.rejected(reason))), (dead, .dead(deathReason))])
    #expect(entries.isEmpty)
    let posts = [try await database.post(rejected), try await database.post(dead)]
    #expect(posts.map { $0?.state } == [.rejected, .dead])
    #expect(posts.map { $0?.reason } == [reason, deathReason])
    #expect(posts.allSatisfy { $0?.seq == nil && $0?.updatedMs == 1_700_000_001_000 })
    #expect(try database.feed().entries.isEmpty)
    try await database.expectSound()
  }

  @Test("A second settlement of any kind changes nothing and uses no sequence number", arguments: StoreKind.allCases)
  func twice(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let reason = Verdict.Reason(code: "c", detail: "d")
    let kinds: [Settlement] = [
      .verdict(.at(1)), .verdict(.rejected(reason)), .dead(reason), .retry(attempts: 3, pauseMs: 9), .leaseLost,
    ]
    for first in kinds[..<3] {
      let id = try await database.accepted(by: account).id
      try await database.settled([(id, first)])
      let (post, feed) = (try await database.post(id), try database.feed())
      for second in kinds { #expect(try await database.settled([(id, second)], unixMs: 9).isEmpty) }
      #expect(try await database.post(id) == post)
      #expect(try database.feed() == feed)
    }
    let unknown = PostID.following(nil, unixMs: 1)
    for kind in kinds { #expect(try await database.settled([(unknown, kind)]).isEmpty) }
    let next = try await database.accepted(by: account).id
    #expect(try await database.settled([(next, .verdict(.at(2))), (next, .verdict(.at(3)))]).map(\.seq) == [2])
    try await database.expectSound()
  }

  @Test(
    "Counts of retries and lost leases, and the retry time, survive a restart",
    arguments: StoreKind.allCases)
  func counted(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    var database: (any IngestStore)? = try place.open()
    let account = try await #require(database).addAccount()
    let ids = try await [
      #require(database).accepted(by: account).id, #require(database).accepted(by: account).id,
    ]
    try await database?.settled([(ids[0], .retry(attempts: 2, pauseMs: 4_000)), (ids[1], .leaseLost)], unixMs: 1_000)
    try await database?.settled([(ids[1], .leaseLost)])
    database?.close()
    database = nil
    let jobs = try place.open().unsettledJobs()
    #expect(jobs.map(\.job.attempts) == [2, 0])
    #expect(jobs.map(\.job.leaseLosses) == [0, 2])
    #expect(jobs.map(\.dueMs) == [5_000, 0])
  }

  @Test("The counts of a dead post include its last attempt or lost lease", arguments: StoreKind.allCases)
  func countedAtTheEnd(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let ids = try await [database.accepted(by: account).id, database.accepted(by: account).id]
    let reason = Verdict.Reason(code: "down", detail: "try again")
    try await database.settled([(ids[0], .dead(reason, attempts: 8))])
    try await database.settled([(ids[1], .leaseLost), (ids[1], .leaseLost)])
    try await database.settled([(ids[1], .leaseLost), (ids[1], .dead(reason))])
    let dead = try await database.deadPosts(reason: nil, after: nil, limit: 2)
    #expect(dead.map(\.attempts) == [8, 0])
    #expect(dead.map(\.leaseLosses) == [0, 3])
    try await database.settled([(ids[1], .dead(reason, attempts: 5))])
    #expect(try await database.deadPosts(reason: nil, after: nil, limit: 2).map(\.attempts) == [8, 0])
  }

  @Test(
    "The list is the latest hundred in commit order, over restarts",
    arguments: StoreKind.allCases)
  func feed(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    var database: (any IngestStore)? = try place.open()
    let epoch = try #require(database).feed().epoch
    let account = try await #require(database).addAccount()
    var state = FeedState(epoch: epoch, seq: 0, entries: [])
    #expect(try database?.feed() == state)
    var last: UInt64 = 0
    for round in 0..<4 {
      var ids: [PostID] = []
      for _ in 0..<40 { ids.append(try await #require(database).accepted(by: account).id) }
      // Settle in reverse order, because the list has the order of the settlements.
      for pair in stride(from: ids.count - 2, through: 0, by: -2) {
        let entries = try await #require(database).settled([
          (ids[pair], .verdict(.at(Int32(pair)))), (ids[pair + 1], .verdict(.at(Int32(round)))),
        ])
        #expect(entries.map(\.seq) == [last + 1, last + 2])
        last += 2
        state.apply(entries.map { .upsert($0) })
      }
      #expect(try database?.feed() == state)
      database?.close()
      database = nil
      database = try place.open()
      #expect(try database?.feed() == state)
      #expect(try database?.feed().hash == state.hash)
    }
    #expect(state.entries.count == 100)
    #expect(state.seq == 160)
  }

  @Test(
    "Concurrent accepts and settlements lead to the stored list",
    arguments: StoreKind.allCases)
  func concurrent(kind: StoreKind) async throws {
    let place = StorePlace(kind)
    let database = try place.open()
    let account = try await database.addAccount()
    let entries = try await withThrowingTaskGroup(of: [FeedEntry].self) { group in
      for number in 0..<200 {
        group.addTask {
          let id = try await database.accepted("place \(number)", by: account).id
          return try await database.settled([(id, .verdict(.at(Int32(number))))])
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    var state = FeedState(epoch: try database.epoch, seq: 0, entries: [])
    for entry in entries.sorted(by: { $0.seq < $1.seq }) { state.apply([.upsert(entry)]) }
    #expect(entries.map(\.seq).sorted() == Array(1...200))
    #expect(try database.feed() == state)
    try await database.expectSound()
  }
}
