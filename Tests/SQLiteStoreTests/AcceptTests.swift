import Foundation
import GRDB
import Store
import StoreTesting
import Testing

@testable import Domain
@testable import SQLiteStore

@Suite("Accepting posts")
struct AcceptTests {
  private let folder = Folder()
  private let key = Idempotency(key: "key-1", requestHash: [1, 2, 3])

  @Test("What was posted is kept as it was, with a job that is to go out now")
  func content() async throws {
    let database = try folder.open()
    let account = try await database.addAccount()
    let submission = try Submission(
      place: " São Tomé 京 ", link: "Example.org/x", latitude: 47.606_21, longitude: -122.332_07)
    let accepted = try await database.accepted(submission, by: account, unixMs: 1_700_000_000_123)
    let post = try await #require(database.post(accepted.id))
    #expect(
      post
        == Post(
          id: accepted.id, account: account, place: "São Tomé 京", link: "https://example.org/x", state: .queued,
          coordinate: submission.coordinate, outcome: nil, reason: nil, seq: nil, createdMs: 1_700_000_000_123,
          updatedMs: 1_700_000_000_123))
    let jobs = try database.unsettledJobs()
    #expect(jobs.map(\.job) == [accepted.job?.asRead])
    #expect(jobs.map(\.dueMs) == [0])
    #expect(accepted.job?.query == "São Tomé 京")
    #expect(accepted.job?.given == submission.coordinate)
    #expect(accepted.createdMs == 1_700_000_000_123)
    #expect(try await database.post(.following(accepted.id, unixMs: 0)) == nil)
  }

  @Test("At the moment of the answer another connection sees the post and its job")
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

  @Test("A thousand posts that wait for the disk together take one commit, and are answered in their order")
  func groupCommit() async throws {
    let database = try folder.open()
    let account = try await database.addAccount()
    let count = CommitCount()
    database.pool.add(transactionObserver: count)
    let submission = try Submission(place: "Oslo", link: "example.org", latitude: nil, longitude: nil)
    let gate = await Gate(database)
    let (answers, answered) = AsyncStream.makeStream(of: PostID?.self)
    for _ in 0..<1_000 {
      database.accept(submission, account: account, unixMs: 1_700_000_000_000) { result in
        answered.yield(try? result.get().accepted?.id)
      }
    }
    gate.open()
    var ids: [PostID] = []
    for await id in answers.prefix(1_000) { ids += id.map { [$0] } ?? [] }
    #expect(ids.count == 1_000)
    #expect(ids == ids.sorted() && Set(ids).count == 1_000)
    let commits = try await database.pool.writeWithoutTransaction { _ in count.commits }
    #expect(commits == 2, "One of the gate, one of all others.")
    #expect(try database.number("SELECT count(*) FROM post WHERE state = 0") == 1_000)
  }

  @Test("Posts of many tasks at once share commits of themselves")
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

  @Test("The same key with the same request is the same post, also after a restart")
  func idempotent() async throws {
    var database: SQLiteDatabase? = try folder.open()
    let account = try await #require(database).addAccount()
    let first = try await #require(database).accepted(by: account, key: key, unixMs: 1_700_000_000_000)
    let second = try await #require(database).accepted(by: account, key: key, unixMs: 1_700_000_005_000)
    #expect(first.job != nil)
    #expect(second.job == nil)
    #expect(second.id == first.id)
    #expect(second.createdMs == first.createdMs)

    database?.close()

    database = nil
    let again = try folder.open()
    let third = try await again.accepted(by: account, key: key)
    #expect(third.id == first.id && third.job == nil)
    try await again.settled([(first.id, .verdict(.at(1)))])
    #expect(try await again.accepted(by: account, key: key).id == first.id, "Also when it has been settled.")
    #expect(try again.number("SELECT count(*) FROM post") == 1)
  }

  @Test("A key is known for a week at least; of older ones two go with each that comes")
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
    #expect(try database.number("SELECT count(*) FROM post") == 10, "Posts stay.")
  }

  @Test("What has gone of old keys is known after a restart, and no post is looked at twice")
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

  @Test("A write that is rolled back forgets no key, and none is left behind for it")
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

  @Test("Keys of a database of before are still known")
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
    #expect(database.numbers.keyedFrom == 101, "Those before have none.")
    try database.expectSound()
  }

  @Test("A key is found by its index, and so is the next of the oldest")
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

  @Test("The same key with another request is refused, and stores nothing")
  func conflict() async throws {
    let database = try folder.open()
    let account = try await database.addAccount()
    let first = try await database.accepted(by: account, key: key)
    await #expect(throws: IdempotencyConflict.self) {
      try await database.accepted("Rome", by: account, key: .init(key: "key-1", requestHash: [1, 2]))
    }
    #expect(try database.number("SELECT count(*) FROM post") == 1)
    #expect(try await database.post(first.id)?.place == "Oslo")
  }

  @Test("A key is its account's own, and other keys are other posts")
  func keys() async throws {
    let database = try folder.open()
    let (ada, bob) = (try await database.addAccount("ada"), try await database.addAccount("bob"))
    let ids = [
      try await database.accepted(by: ada, key: key).id, try await database.accepted(by: bob, key: key).id,
      try await database.accepted(by: ada, key: .init(key: "key-2", requestHash: [1, 2, 3])).id,
      try await database.accepted(by: ada).id, try await database.accepted(by: ada).id,
    ]
    #expect(Set(ids).count == 5)
  }

  @Test("The same key many times at once, in one commit, is one post")
  func idempotentAtOnce() async throws {
    let database = try folder.open()
    let account = try await database.addAccount()
    let gate = await Gate(database)
    let accepted = try await withThrowingTaskGroup(of: AcceptedPost.self) { group in
      for _ in 0..<50 { group.addTask { try await database.accepted(by: account, key: key) } }
      gate.open()
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(accepted.map(\.id)).count == 1)
    #expect(accepted.count { $0.job != nil } == 1)
    #expect(try database.number("SELECT count(*) FROM post WHERE state = 0") == 1)
  }

  @Test("A write that fails does not take its neighbours in the same commit with it")
  func neighbours() async throws {
    let database = try folder.open()
    let account = try await database.addAccount()
    let submission = try Submission(place: "Oslo", link: "example.org", latitude: nil, longitude: nil)
    let gate = await Gate(database)
    let (answers, answered) = AsyncStream.makeStream(of: Bool.self)
    for number in 0..<9 {
      let author = number % 3 == 1 ? AccountID(rawValue: 404) : account
      database.accept(submission, account: author, unixMs: 1) { result in
        answered.yield((try? result.get()) != nil)
      }
    }
    gate.open()
    var outcomes: [Bool] = []
    for await outcome in answers.prefix(9) { outcomes.append(outcome) }
    #expect(outcomes == (0..<9).map { $0 % 3 != 1 })
    #expect(try database.number("SELECT count(*) FROM post") == 6)
    try database.expectSound()
  }

  @Test("Ids rise over restarts, also when the clock has gone back")
  func clockBack() async throws {
    var database: SQLiteDatabase? = try folder.open()
    let account = try await #require(database).addAccount()
    let first = try await #require(database).accepted(by: account, unixMs: 1_700_000_000_000).id
    database?.close()
    database = nil
    let again = try folder.open()
    let second = try await again.accepted(by: account, unixMs: 1_600_000_000_000).id
    #expect(second > first)
    #expect(try again.unsettledJobs().map(\.job.id) == [JobID(first), JobID(second)])
  }

  @Test("An account's posts come oldest first, in pages, without anybody else's")
  func pages() async throws {
    let database = try folder.open()
    let (ada, bob) = (try await database.addAccount("ada"), try await database.addAccount("bob"))
    var own: [PostID] = []
    for _ in 0..<5 {
      own.append(try await database.accepted(by: ada).id)
      _ = try await database.accepted(by: bob)
    }
    #expect(try await database.posts(of: ada, after: nil, limit: 3).posts.map(\.id) == Array(own[..<3]))
    #expect(try await database.posts(of: ada, after: own[2], limit: 3).posts.map(\.id) == Array(own[3...]))
    #expect(try await database.posts(of: ada, after: own[4], limit: 3).posts.isEmpty)
  }
}
