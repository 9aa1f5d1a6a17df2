import Foundation
import GRDB
import Store
import StoreTesting
import Testing

@testable import Domain
@testable import SQLiteStore

@Suite("Acceptance of posts in SQLite")
struct AcceptTests {
  private let folder = Folder()
  private let key = Idempotency(key: "key-1", requestHash: [1, 2, 3])

  @Test("Another connection sees the post and its job when the completion runs")
  func visible() async throws {
    let database = try folder.open()
    let account = try await database.addAccount()
    let submission = try Submission(place: "Oslo", link: "example.org", latitude: nil, longitude: nil)
    let outside = try folder.outside()
    let seen: [Int]? = await withCheckedContinuation { continuation in
      database.accept(submission, account: account, unixMs: 1) { result in
        let id = (try? result.get().accepted?.id.rawValue).map(Int64.init) ?? 0
        continuation.resume(
          returning: try? outside.read { db in
            try [
              Int.fetchOne(db, sql: "SELECT count(*) FROM post WHERE id = ?", arguments: [id]) ?? 0,
              Int.fetchOne(db, sql: "SELECT count(*) FROM post WHERE id = ? AND state = 0", arguments: [id]) ?? 0,
            ]
          })
      }
    }
    #expect(seen == [1, 1])
  }

  @Test("A thousand waiting posts take one commit and complete in order")
  func groupCommit() async throws {
    let database = try folder.open()
    let account = try await database.addAccount()
    let count = CommitCount()
    database.pool.add(transactionObserver: count)
    let submission = try Submission(place: "Oslo", link: "example.org", latitude: nil, longitude: nil)
    let gate = await Gate(database)
    let (accepted, completion) = AsyncStream.makeStream(of: PostID?.self)
    for _ in 0..<1_000 {
      database.accept(submission, account: account, unixMs: 1_700_000_000_000) { result in
        completion.yield(try? result.get().accepted?.id)
      }
    }
    gate.open()
    var ids: [PostID] = []
    for await id in accepted.prefix(1_000) { ids += id.map { [$0] } ?? [] }
    #expect(ids.count == 1_000)
    #expect(ids == ids.sorted() && Set(ids).count == 1_000)
    let commits = try await database.pool.writeWithoutTransaction { _ in count.commits }
    #expect(commits == 2, "The gate takes one commit, and all posts another.")
    #expect(try database.number("SELECT count(*) FROM post WHERE state = 0") == 1_000)
  }

  @Test("Posts of concurrent tasks share commits")
  func naturalGroups() async throws {
    let database = try folder.open()
    let account = try await database.addAccount()
    let count = CommitCount()
    database.pool.add(transactionObserver: count)
    let ids = try await withThrowingTaskGroup(of: PostID.self) { group in
      for _ in 0..<1_000 { group.addTask { try await database.accepted(by: account).id } }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(ids.count == 1_000)
    let commits = try await database.pool.writeWithoutTransaction { _ in count.commits }
    #expect(commits < 500)
    try database.expectSound()
  }

  @Test("An idempotency key lasts at least a week, and each new post removes two expired keys")
  func oldKeys() async throws {
    let database = try folder.open()
    let account = try await database.addAccount()
    let dayMs: Int64 = 86_400_000
    let startMs: Int64 = 1_700_000_000_000
    func post(_ key: String, day: Int64) async throws {
      let unixMs = startMs + day * dayMs
      _ = try await database.accepted(by: account, key: .init(key: key, requestHash: [1]), unixMs: unixMs)
    }
    for number in 0..<5 { try await post("old \(number)", day: 0) }
    try await post("a week later", day: Limits.idempotencyDays - 1)
    #expect(try database.number("SELECT count(idempotency_key) FROM post") == 6)
    try await post("the day after", day: Limits.idempotencyDays + 1)
    #expect(try database.number("SELECT count(idempotency_key) FROM post") == 5)
    for number in 0..<3 { try await post("more \(number)", day: Limits.idempotencyDays + 1) }
    #expect(try database.number("SELECT count(*) FROM post WHERE idempotency_key LIKE 'old%'") == 0)
    #expect(try database.number("SELECT count(idempotency_key) FROM post") == 5)
    #expect(try database.number("SELECT count(*) FROM post") == 10, "The posts stay.")
  }

  @Test("The progress of the removal of expired keys survives a restart")
  func oldKeysAfterRestart() async throws {
    let startMs: Int64 = 1_700_000_000_000
    let weekMs = (Limits.idempotencyDays + 1) * 86_400_000
    var database: SQLiteDatabase? = try folder.open()
    let account = try await #require(database).addAccount()
    for number in 0..<3 {
      _ = try await database?.accepted(by: account, key: .init(key: "\(number)", requestHash: [1]), unixMs: startMs)
    }
    _ = try await database?.accepted(by: account, key: key, unixMs: startMs + weekMs)
    let keyedFrom = try #require(database).numbers.keyedFrom
    #expect(try database?.number("SELECT id FROM post WHERE idempotency_key = '2'") == Int(keyedFrom))
    database?.close()
    database = nil
    let again = try folder.open()
    #expect(again.numbers.keyedFrom == keyedFrom)
    let last = try await again.accepted(by: account, unixMs: startMs + 3 * weekMs)
    #expect(try again.number("SELECT count(idempotency_key) FROM post") == 0)
    #expect((keyedFrom...Int64(last.id.rawValue)).contains(again.numbers.keyedFrom))
  }

  @Test("Lookup and removal of idempotency keys use indices")
  func plans() throws {
    let database = try folder.open()
    for sql in [
      "SELECT request_hash, id, created_ms FROM post WHERE account = ? AND idempotency_key = ?",
      "SELECT id FROM post WHERE id >= ? ORDER BY id LIMIT ?",
      "UPDATE post SET idempotency_key = NULL WHERE id BETWEEN ? AND ? AND idempotency_key IS NOT NULL",
    ] {
      let plan = try database.pool.read { db in
        try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql, arguments: [1, 2]).map { $0["detail"] as String }
      }
      #expect(plan.count == 1 && plan[0].hasPrefix("SEARCH post USING "), "\(plan)")
    }
  }
}
