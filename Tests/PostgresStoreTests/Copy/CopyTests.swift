import Domain
import Foundation
import PostgresServer
import Store
import StoreTesting
import Testing

@testable import PostgresStore
@testable import SQLiteStore

@Suite("Copy of a data folder to PostgreSQL")
struct CopyTests {
  @Test("A copy has the list, the queue, the accounts and the logins of the folder")
  func contents() async throws {
    let fixture = try CopyFixture()
    let contents = try await fixture.fill()
    #expect(contents.list.entries.count == 4 && contents.jobs.count == 3 && contents.users.count == 3)
    let counts = try fixture.copy()
    #expect(counts.map(\.table) == CopyTable.allCases.map(\.rawValue))
    #expect(counts.allSatisfy { $0.rows > 0 }, "The test has rows of every kind.")
    let database = try fixture.openDatabase()
    defer { database.close() }
    let copied = try await StoreContents(of: database)
    #expect(copied.list == contents.list)
    #expect(copied.jobs == contents.jobs && copied.dueMs == contents.dueMs)
    #expect(copied.posts == contents.posts)
    #expect(copied == contents)
    #expect(try fixture.sql("SELECT count(*) FROM outcome WHERE state = 4") == "4")
    #expect(try fixture.sql("SELECT to_regclass('unfinished_copy')") == "")
  }

  @Test("The generation and all ids rise after a copy, and idempotency keys keep their posts")
  func numbers() async throws {
    let fixture = try CopyFixture()
    let contents = try await fixture.fill()
    try fixture.copy()
    let folder = try CopiedFolder(fixture.folder)
    let database = try fixture.openDatabase()
    defer { database.close() }
    #expect(database.generation == folder.source.numbers.generation + 1)
    let first = try #require(contents.posts.joined().min { $0.id < $1.id })
    let repeated = try await database.accepted("Oslo", by: first.account, key: CopyFixture.key)
    #expect(repeated.id == first.id && repeated.job == nil && repeated.createdMs == first.createdMs)
    let other = Idempotency(key: CopyFixture.key.key, requestHash: [7])
    await #expect(throws: IdempotencyConflict.self) {
      try await database.accepted("Oslo", by: first.account, key: other)
    }
    let last = try UInt64(fixture.sql("SELECT max(id) FROM post"))
    let account = try await database.addAccount("zoe")
    #expect(account.rawValue == 6)
    let post = try await database.accepted(by: account).id
    #expect(last.map { post.rawValue > $0 } == true)
    let entries = try await database.settled([(post, .verdict(.at(1)))])
    #expect(entries.map(\.seq) == [contents.list.seq + 1])
    let events = try fixture.sql("SELECT max(id) FROM post_event")
    let dead = try await database.accepted(by: account).id
    try await database.settled([(dead, .dead(.init(code: "a", detail: "b")))])
    #expect(try Int(fixture.sql("SELECT max(id) FROM post_event")) == Int(events).map { $0 + 1 })
  }

  @Test("A dead post of the copy can be retried, with the coordinates of its client")
  func retried() async throws {
    let fixture = try CopyFixture()
    let store = try fixture.openFolder()
    let ada = try await store.addAccount()
    let submission = try Submission(place: "Oslo", link: "example.org", latitude: 59.9, longitude: 10.7)
    let post = try await store.accepted(submission, by: ada).id
    try await store.settled([(post, .dead(.init(code: "down", detail: "")))])
    store.close()
    try fixture.copy()
    let database = try fixture.openDatabase()
    defer { database.close() }
    let retried = try await database.retryDead(.posts([post]), limit: 1, unixMs: 5)
    #expect(retried.jobs.map(\.clientCoordinate) == [submission.coordinate])
    #expect(try database.unsettledJobs().map(\.job.id) == [JobID(post)])
  }

  @Test("An empty folder can be copied")
  func empty() async throws {
    let fixture = try CopyFixture()
    let store = try fixture.openFolder()
    let list = try store.feed()
    store.close()
    #expect(try fixture.copy().allSatisfy { $0.rows == 0 })
    let database = try fixture.openDatabase()
    defer { database.close() }
    #expect(try database.feed() == list)
  }
}

@Suite("Interrupted copies to PostgreSQL")
struct InterruptedCopyTests {
  @Test("A copy continues after the server has ended its session, and ingest does not start before its end")
  func lostConnection() async throws {
    let fixture = try CopyFixture()
    let contents = try await fixture.fill()
    #expect {
      try fixture.copy(after: { if $0.table == "post", $0.tableRows == 4 { try? fixture.endSessions() } })
    } throws: {
      if case .interrupted? = $0 as? CopyError { true } else { false }
    }
    #expect {
      _ = try fixture.openDatabase()
    } throws: {
      "\($0)".contains("its database contains an unfinished copy of a data folder. Run onthemap db copy again")
    }
    #expect(try fixture.sql("SELECT term FROM leader") == "0")
    var (seen, continued): (Set<CopyTable>, Set<CopyTable>) = ([], [])
    try fixture.copy(before: { table, key in
      if seen.insert(table).inserted, key != nil { continued.insert(table) }
    })
    #expect(continued == [.account, .session, .identity, .loginCount, .pause, .post])
    let database = try fixture.openDatabase()
    defer { database.close() }
    #expect(try await StoreContents(of: database) == contents)
  }

  @Test("A copy begins again if ingest has used the folder since the interruption")
  func usedFolder() async throws {
    let fixture = try CopyFixture()
    let before = try await fixture.fill()
    try fixture.copyWithoutEnd()
    let store = try fixture.openFolder()
    _ = try await store.setPaused(sinceMs: nil)
    let job = try #require(before.jobs.first?.id.post)
    try await store.settled([(job, .verdict(.at(2)))])
    let contents = try await StoreContents(of: store)
    store.close()
    try fixture.copy()
    let database = try fixture.openDatabase()
    defer { database.close() }
    #expect(try await StoreContents(of: database) == contents)
  }

  @Test(
    "The comparison finds a row that differs, is missing, or is too many",
    arguments: [
      ("UPDATE account SET last_name = 'Byron' WHERE id = 2", "account", 2),
      ("UPDATE post SET place = normalize(place, NFD) WHERE id = (SELECT min(id) FROM post)", "post", 1),
      ("DELETE FROM post_event WHERE id = 1", "post_event", 1),
      ("UPDATE outcome SET seq = NULL WHERE id = (SELECT min(id) FROM outcome WHERE seq IS NOT NULL)", "outcome", nil),
      ("INSERT INTO identity (issuer, subject, account, created_ms) VALUES ('z', 'z', 1, 1)", "identity", 2),
      ("UPDATE session SET token_hash = '\\x00' WHERE expires_ms = 9000 AND created_ms = 1", "session", 1),
    ] as [(String, String, Int?)])
  func differences(change: String, table: String, row: Int?) async throws {
    let fixture = try CopyFixture()
    _ = try await fixture.fill()
    try fixture.copyWithoutEnd()
    try fixture.sql(change)
    #expect {
      try fixture.copy()
    } throws: {
      guard case .different(_, table, let found)? = $0 as? CopyError else { return false }
      return row == nil || found == row
    }
    #expect(throws: StoreError.self) { _ = try fixture.openDatabase() }
  }
}

@Suite("Refused copies to PostgreSQL")
struct RefusedCopyTests {
  @Test("A database that ingest has used is refused, and stays as it is")
  func usedDatabase() async throws {
    let fixture = try CopyFixture()
    _ = try await fixture.fill()
    var database = try fixture.openDatabase()
    let list = try database.feed()
    database.close()
    let address = try fixture.address
    #expect(throws: CopyError.notEmpty(address: "\(address)")) { try fixture.copy() }
    database = try fixture.openDatabase()
    #expect(try database.feed() == list)
    database.close()
  }

  @Test("An unfinished copy of another folder is refused")
  func anotherFolder() async throws {
    let fixture = try CopyFixture()
    _ = try await fixture.fill()
    try fixture.copyWithoutEnd()
    try FileManager.default.removeItem(atPath: fixture.folder)
    try fixture.openFolder().close()
    let address = try fixture.address
    #expect(throws: CopyError.anotherCopy(address: "\(address)")) { try fixture.copy() }
  }

  @Test("A finished copy is compared again, unless ingest has used it or the folder")
  func finished() async throws {
    let fixture = try CopyFixture()
    _ = try await fixture.fill()
    let counts = try fixture.copy()
    #expect(try fixture.copy() == counts)
    let address = try fixture.address
    let refusal = CopyError.notEmpty(address: "\(address)")
    try fixture.sql("UPDATE pause SET since_ms = 1")
    #expect(throws: refusal) { try fixture.copy() }
    try fixture.sql("UPDATE pause SET since_ms = 8")
    #expect(try fixture.copy() == counts)
    try fixture.openFolder().close()
    #expect(throws: refusal) { try fixture.copy() }
  }

  @Test("A server that cannot be reached is not called an interrupted copy")
  func unreachable() async throws {
    let fixture = try CopyFixture()
    try fixture.openFolder().close()
    let folder = try CopiedFolder(fixture.folder)
    let address = try PostgresAddress("postgresql://onthemap@127.0.0.1:1/map", passwordFile: nil)
    #expect {
      try PostgresCopy(folder.source, to: address).run()
    } throws: {
      if case .unavailable? = $0 as? StoreError { true } else { false }
    }
  }
}
