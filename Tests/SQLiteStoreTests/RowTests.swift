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

  @Test("The oldest events go when there are more than the limit")
  func bounded() async throws {
    let database = try folder.open()
    let account = try await database.addAccount()
    let id = try await database.accepted(by: account).id
    for ms: Int64 in 1...2 {
      try await database.settled([(id, .retry(attempts: 1, pauseMs: 9, reason: bad))], unixMs: ms)
    }
    // As if as many had come and gone as may be kept, but one.
    try await database.pool.write { db in
      try db.execute(sql: "UPDATE post_event SET id = ? WHERE id = 2", arguments: [Limits.postEventsMax])
    }
    #expect(try await database.history(of: id).map(\.atMs) == [1, 2])
    try await database.settled([(id, .leaseLost)], unixMs: 3)
    #expect(try await database.history(of: id).map(\.atMs) == [2, 3])
  }

  @Test("Commits are counted, and their percentiles rise")
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

  @Test("An account's number is never given again")
  func numbers() async throws {
    let database = try folder.open()
    let first = try await database.addAccount("ada")
    try await database.write { db in try db.execute(sql: "DELETE FROM account") }
    #expect(try await database.addAccount("bob").rawValue > first.rawValue)
  }

  @Test("With an account go its sessions, posts and keys")
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
}
