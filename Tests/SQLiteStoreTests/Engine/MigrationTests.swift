import Foundation
import GRDB
import Store
import StoreTesting
import Testing

@testable import Domain
@testable import SQLiteStore

@Suite("Migration of earlier databases")
struct MigrationTests {
  private let folder = Folder()
  private let key = Idempotency(key: "key-1", requestHash: [1, 2, 3])

  @Test("A database of a version without deletions keeps its list and high-water mark")
  func migrated() async throws {
    do {
      try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
      let before = try folder.outside(readonly: false)
      try Schema.migrator.migrate(before, upTo: "5 a post's key is its own")
      try await before.write { db in
        try db.execute(
          sql: """
            INSERT INTO account (id, email, password, first_name, last_name, created_ms)
              VALUES (1, 'a', 'p', 'A', 'B', 1);
            INSERT INTO post (id, account, place, link, state, lat_e7, lon_e7, seq, created_ms, updated_ms)
              VALUES (100, 1, 'Oslo', 'https://a.org/', 1, 1, 1, 7, 1, 1);
            """)
        let bytes = try #require(try Data.fetchOne(db, sql: "SELECT epoch FROM meta"))
        let epoch = try #require(Epoch(bytes))
        let record = HighWater.Record(epoch: epoch, mark: .init(generation: 0, account: 1, post: 100, seq: 7))
        try Data(record.bytes).write(to: URL(filePath: folder.path + "/onthemap.highwater"))
      }
      try before.close()
    }
    let database = try folder.open()
    #expect(try database.feed().seq == 7 && database.feed().entries.map(\.seq) == [7])
    let account = AccountID(rawValue: 1)
    let id = try #require(try database.feed().entries.first?.id)
    #expect(try await database.deleted(id, of: account) == .listed(.remove(id, seq: 8, backfill: nil)))
  }

  @Test("A database of a version without post events is migrated, and its dead posts can be retried")
  func deadPosts() async throws {
    var database: SQLiteDatabase? = try folder.open()
    let account = try await #require(database).addAccount()
    let id = try await #require(database).accepted(by: account).id
    try await database?.settled([(id, .dead(Verdict.Reason(code: "bad_place", detail: "")))])
    database?.close()
    database = nil
    try folder.damage(
      """
      DROP TABLE post_event; DROP INDEX post_dead; DROP INDEX post_dead_reason; DROP TABLE pause;
      DELETE FROM grdb_migrations WHERE identifier LIKE '3 %'
      """)
    let again = try folder.open()
    #expect(try again.pausedMs() == nil)
    #expect(try await again.retryDead(.all(reason: nil, after: nil), limit: 9, unixMs: 9).change.done == [id])
    #expect(try await again.history(of: id).map(\.kind) == [.retried])
  }

  @Test("Idempotency keys of an earlier version's database are still recognised")
  func migratedKeys() async throws {
    do {
      try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
      let before = try folder.outside(readonly: false)
      try Schema.migrator.migrate(before, upTo: "4 the trace that a post belongs to")
      try await before.write { db in
        try db.execute(
          sql: """
            INSERT INTO account (id, email, password, first_name, last_name, created_ms)
              VALUES (1, 'a', 'p', 'A', 'B', 1);
            INSERT INTO post (id, account, place, link, state, created_ms, updated_ms)
              VALUES (100, 1, 'Oslo', 'https://a.org/', 0, 1, 1), (101, 1, 'Rome', 'https://a.org/', 0, 1, 1);
            INSERT INTO idempotency (account, key, request_hash, post) VALUES (1, 'key-1', x'010203', 101);
            """)
      }
      try before.close()
    }
    let database = try folder.open()
    let account = AccountID(rawValue: 1)
    #expect(try await database.accepted(by: account, key: key, unixMs: 2).id.rawValue == 101)
    await #expect(throws: IdempotencyConflict.self) {
      try await database.accepted(by: account, key: .init(key: "key-1", requestHash: [9]), unixMs: 2)
    }
    #expect(try database.number("SELECT count(*) FROM post") == 2)
    #expect(database.numbers.keyedFrom == 101, "Earlier posts have no key.")
    try database.expectSound()
  }
}
