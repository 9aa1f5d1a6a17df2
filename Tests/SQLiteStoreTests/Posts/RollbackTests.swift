import Foundation
import GRDB
import Store
import StoreTesting
import Testing

@testable import Domain
@testable import SQLiteStore

@Suite("Rollback")
struct RollbackTests {
  private let folder = Folder()
  private let key = Idempotency(key: "key-1", requestHash: [1, 2, 3])

  @Test("A failed edit leaves the post unchanged")
  func atomic() async throws {
    let database = try folder.open()
    let account = try await database.addAccount()
    let ids = try await database.published(2, by: account)
    let (post, list) = (try await database.post(ids[0]), try database.feed())
    try await database.pool.write { db in
      try db.execute(sql: "CREATE TRIGGER bad AFTER UPDATE ON post BEGIN SELECT raise(ABORT, 'no'); END")
    }
    await #expect(throws: StoreError.self) { try await database.edited(ids[0], of: account) }
    #expect(try await database.post(ids[0]) == post)
    #expect(try database.feed() == list)
  }

  @Test("A rolled-back name does not stay in the name cache")
  func rolledBack() async throws {
    let database = try folder.open()
    let ada = try await database.addAccount()
    let post = try await database.accepted(by: ada).id
    struct Trouble: Error {}
    let gate = await Gate(database)
    async let renamed = try database.change(
      ada, ProfileChange(email: nil, firstName: "Augusta", lastName: nil), unixMs: 9)
    async let failed: Void = database.write { _ in throw Trouble() }
    async let settled = database.settled([(post, .verdict(.at(5)))])
    gate.open()
    _ = try? await failed
    _ = try await renamed
    _ = try await settled
    #expect(try database.feed().entries.map(\.firstName) == [try await database.account(ada)?.firstName])
  }

  @Test("A rolled-back deletion changes nothing and uses no sequence number")
  func deletion() async throws {
    var database: SQLiteDatabase? = try folder.open()
    let account = try await #require(database).addAccount()
    let ids = try await #require(database).published(3, by: account)
    let list = try database?.feed()
    try await database?.pool.write { db in
      try db.execute(sql: "CREATE TRIGGER bad BEFORE UPDATE ON meta BEGIN SELECT raise(ABORT, 'no'); END")
    }
    await #expect(throws: StoreError.self) { try await database?.deleted(ids[1], of: account) }
    #expect(try database?.feed() == list)
    #expect(try await database?.post(ids[1])?.place == "Oslo")
    try await database?.pool.write { db in try db.execute(sql: "DROP TRIGGER bad") }
    #expect(try await database?.deleted(ids[1], of: account) == .listed(.remove(ids[1], seq: 4, backfill: nil)))
    database?.close()
    database = nil
    #expect(try folder.open().feed().seq == 4)
  }

  @Test("A settlement is atomic, and a failed one leaves other settlements unharmed")
  func settlement() async throws {
    let database = try folder.open()
    let account = try await database.addAccount()
    try await database.pool.write { db in
      try db.execute(
        sql: """
          CREATE TRIGGER bad BEFORE UPDATE ON post WHEN new.label = 'bad' BEGIN SELECT raise(ABORT, 'no'); END
          """)
    }
    var ids: [PostID] = []
    for _ in 0..<4 { ids.append(try await database.accepted(by: account).id) }
    let groups: [[(post: PostID, settlement: Settlement)]] = [
      [(ids[0], .verdict(.at(1)))], [(ids[1], .verdict(.at(1))), (ids[2], .verdict(.at(1, label: "bad")))],
      [(ids[3], .verdict(.at(1)))],
    ]
    let gate = await Gate(database)
    let (completions, completion) = AsyncStream.makeStream(of: Int?.self)
    for group in groups {
      let records = group.map { SettlementRecord($0.post, $0.settlement) }
      database.settle(records, unixMs: 1) { completion.yield(try? $0.get().entries.count) }
    }
    gate.open()
    var counts: [Int?] = []
    for await count in completions.prefix(3) { counts.append(count) }
    #expect(counts == [1, nil, 1])
    #expect(Set(try database.unsettledJobs().map(\.job.id)) == [JobID(ids[1]), JobID(ids[2])])
    #expect(try await database.settled([(ids[1], .verdict(.at(1)))]).count == 1, "The settlement can be repeated.")
    try database.expectSound()
  }

  @Test("A rolled-back write removes no expired key, and the next writes remove all of them")
  func forgettingRolledBack() async throws {
    let startMs: Int64 = 1_700_000_000_000
    let weekMs = (Limits.idempotencyDays + 1) * 86_400_000
    let database = try folder.open()
    let account = try await database.addAccount()
    for number in 0..<3 {
      _ = try await database.accepted(by: account, key: .init(key: "\(number)", requestHash: [1]), unixMs: startMs)
    }
    await #expect(throws: StoreError.self) {
      try await database.accepted(by: AccountID(rawValue: 404), key: key, unixMs: startMs + weekMs)
    }
    #expect(try database.number("SELECT count(idempotency_key) FROM post") == 3)
    for day in 1...2 {
      _ = try await database.accepted(by: account, unixMs: startMs + weekMs + Int64(day) * 86_400_000)
    }
    #expect(try database.number("SELECT count(idempotency_key) FROM post") == 0)
  }
}
