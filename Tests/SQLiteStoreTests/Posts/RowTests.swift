import Foundation
import GRDB
import Store
import StoreTesting
import Testing

@testable import Domain
@testable import SQLiteStore

@Suite("Rows of posts and accounts")
struct RowTests {
  private let folder = Folder()
  private let bad = Verdict.Reason(code: "bad_place", detail: "no worker likes it")

  @Test("The oldest events are deleted above the limit")
  func bounded() async throws {
    let database = try folder.open()
    let account = try await database.addAccount()
    let id = try await database.accepted(by: account).id
    for ms: Int64 in 1...2 {
      try await database.settled([(id, .retry(attempts: 1, pauseMs: 9, reason: bad))], unixMs: ms)
    }
    // Set the latest event's id to the limit, so that the next event exceeds it.
    try await database.pool.write { db in
      try db.execute(sql: "UPDATE post_event SET id = ? WHERE id = 2", arguments: [Limits.postEventsMax])
    }
    #expect(try await database.history(of: id).map(\.atMs) == [1, 2])
    try await database.settled([(id, .leaseLost)], unixMs: 3)
    #expect(try await database.history(of: id).map(\.atMs) == [2, 3])
  }

  @Test("Commits are counted with percentiles of their duration")
  func commits() async throws {
    let times = CommitTimes()
    #expect(times.commits == .init())
    for ms in 1...200 { times.add(.milliseconds(ms)) }
    #expect(times.commits == .init(count: 200, p50Us: 100_000, p99Us: 198_000))
    for _ in 0..<Limits.commitTimesKept { times.add(.microseconds(7)) }
    #expect(times.commits == .init(count: UInt64(200 + Limits.commitTimesKept), p50Us: 7, p99Us: 7))
    let database = try folder.open()
    _ = try await database.addAccount()
    #expect(database.commits.count > 0 && database.commits.p99Us >= database.commits.p50Us)
  }

  @Test("An account id is never reused")
  func numbers() async throws {
    let database = try folder.open()
    let first = try await database.addAccount("ada")
    try await database.write { db in try db.execute(sql: "DELETE FROM account") }
    #expect(try await database.addAccount("bob").rawValue > first.rawValue)
  }

  @Test("Deleting an account's row deletes its sessions, posts and keys")
  func cascade() async throws {
    let database = try folder.open()
    let ada = try await database.addAccount("ada")
    let bob = try await database.addAccount("bob")
    for account in [ada, bob] {
      try await database.addSession(tokenHash: [UInt8(account.rawValue)], account: account, unixMs: 0, expiresMs: 9)
      _ = try await database.accepted(by: account, key: .init(key: "k", requestHash: [1]))
    }
    try await database.write { db in
      try db.execute(sql: "DELETE FROM account WHERE id = ?", arguments: [ada.rawValue])
    }
    for table in ["account", "session", "post"] {
      #expect(try database.number("SELECT count(*) FROM \(table)") == 1, "\(table)")
    }
  }

  @Test("A batch of posts takes one commit")
  func oneCommit() async throws {
    let database = try folder.open()
    let account = try await database.addAccount()
    let count = CommitCount()
    database.pool.add(transactionObserver: count)
    let submission = try Submission(place: "Oslo", link: "example.org", latitude: nil, longitude: nil)
    let posts = (0..<64).map { NewPost(submission, Idempotency(key: "\($0)", requestHash: [1])) }
    #expect(try await database.accept(posts, account: account, capacity: 64).compactMap(\.job).count == 64)
    #expect(try await database.pool.writeWithoutTransaction { _ in count.commits } == 1)
  }

  @Test("A deleted post's row has no content, and meta keeps its sequence number")
  func deleted() async throws {
    var database: SQLiteDatabase? = try folder.open()
    let account = try await #require(database).addAccount()
    let id = try await #require(database).published(1, by: account)[0]
    _ = try await database?.deleted(id, of: account)
    let row = try database?.pool.read { db in
      try Row.fetchOne(
        db,
        sql: """
          SELECT place || link, coalesce(lat_e7, lon_e7, label, country, agreement, place_match, reason_code, reason,
            seq, traceparent) FROM post WHERE id = ?
          """, arguments: [Int64(id.rawValue)])
    }
    #expect(row?[0] == "" && row?.hasNull(atIndex: 1) == true)
    database?.close()
    database = nil
    #expect(try HighWater.read(folder.path + "/onthemap.highwater")?.mark.seq == 2)
    try folder.damage("UPDATE meta SET deleted_seq = 1")
    let error = #expect(throws: StoreError.self) { try folder.open() }
    #expect(error?.description.contains("missing or damaged") == true)
  }

  @Test("The rows of a closed account contain nothing but its id")
  func closed() async throws {
    let database = try folder.open()
    let (ada, bob) = (try await database.addAccount(), try await database.addAccount("bob"))
    _ = try await database.published(1, by: ada)
    let key = Idempotency(key: "secret-key", requestHash: [1])
    _ = try await database.accepted("Secret place", by: ada, key: key)
    _ = try await database.published(1, by: bob)
    #expect(try await database.close(ada, unixMs: 8))
    #expect(try await database.erasePosts(of: ada, after: nil, unixMs: 9).next == nil)
    for text in ["ada", "Lovelace", "Secret", "secret", "hash of ada"] {
      let rows = try database.number(
        """
        SELECT (SELECT count(*) FROM account WHERE instr(email || password || first_name || last_name, '\(text)'))
          + (SELECT count(*) FROM post WHERE account = 1
              AND instr(place || link || coalesce(label, '') || coalesce(idempotency_key, ''), '\(text)'))
        """)
      #expect(rows == (text == "Lovelace" ? 1 : 0), "Only Bob's name is left: \(text)")
    }
  }
}
