import Domain
import PostgresServer
import Store
import StoreTesting
import Testing

@testable import PostgresStore

/// Commits whose outcome the server does not report.
@Suite("Commits of unknown outcome", .serialized, .timeLimit(.minutes(4)))
struct CommitOutcomeTests {
  /// A server whose commits wait for its standby.
  private final class WaitingServer: Sendable {
    let database: TestDatabase
    private let standby: PostgresServer

    init() throws {
      let primary = try PostgresServer(settings: ["synchronous_standby_names": "ANY 1 (a,b)"])
      standby = try primary.makeStandby(name: "b")
      // Operators may set this default. A repetition must see what was committed while it waited for the lock.
      database = try TestDatabase(on: primary, options: ["default_transaction_isolation": "serializable"])
    }

    deinit {
      standby.stop()
      database.server.stop()
    }

    /// Freezes the standby, so that commits wait, or lets it continue.
    func setWaits(_ waits: Bool) { if waits { standby.pause() } else { standby.resume() } }

    /// Ends the writer's wait for a standby with `function`.
    func interrupt(with function: String) async throws {
      let waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND datname = current_database()"
      try await database.wait(until: "SELECT count(*) > 0 \(waiting)")
      try database.sql("SELECT \(function)(pid) \(waiting)")
    }
  }

  private func keyed(_ number: Int) throws -> NewPost {
    NewPost(
      try Submission(place: "Lima \(number)", link: "example.org", latitude: nil, longitude: nil),
      Idempotency(key: "key \(number)", requestHash: [UInt8(number)]))
  }

  @Test(
    "Writes of every kind whose wait for a standby is interrupted are repeated, and stored once",
    arguments: ["pg_cancel_backend", "pg_terminate_backend"])
  func interrupted(function: String) async throws {
    let server = try WaitingServer()
    let store = try server.database.open()
    let account = try await store.addAccount()
    let queued = try await store.accepted("Oslo", by: account).id
    let published = try await store.published(1, by: account)[0]
    server.setWaits(true)
    async let accepted = store.accept([keyed(1), keyed(2)], account: account, capacity: 2)
    try await server.interrupt(with: function)
    // The repetition waits too.
    try await server.interrupt(with: function)
    server.setWaits(false)
    let ids = try await accepted.compactMap { $0.job?.id.post }
    #expect(ids.count == 2, "Both posts are new: an earlier attempt of the same commit stored them.")

    server.setWaits(true)
    async let settled = store.settledAll([
      (queued, .verdict(.at(1))), (ids[0], .verdict(.rejected(.init(code: "c", detail: "d")))),
    ])
    try await server.interrupt(with: function)
    server.setWaits(false)
    #expect(try await settled.entries.map(\.id) == [queued])
    #expect(try await settled.notQueued.isEmpty)

    server.setWaits(true)
    async let deleted = store.deleted(published, of: account)
    try await server.interrupt(with: function)
    server.setWaits(false)
    #expect(try await deleted.change != nil, "The result of the first attempt, and not that of its repetition.")

    server.setWaits(true)
    async let added = store.addAccount("grace")
    try await server.interrupt(with: function)
    server.setWaits(false)
    let grace = try await added
    #expect(try await store.accountID(email: "grace@example.org") == grace)
    #expect(try server.database.sql("SELECT count(*) FROM post") == "4")
    #expect(try server.database.sql("SELECT count(*) FROM account") == "2")
    #expect(store.stopReason == nil && store.unavailableSinceMs == nil)
    store.close()
  }

  @Test("Acknowledged posts survive kills of the server, and each is stored once")
  func kills() async throws {
    let server = try PostgresServer(settings: ["fsync": "on"])
    defer { server.stop() }
    let database = try TestDatabase(on: server)
    let store = try database.open()
    let account = try await store.addAccount()
    let ids = try await withThrowingTaskGroup(of: [PostID].self) { group in
      for client in 0..<8 {
        group.addTask {
          var ids: [PostID] = []
          for number in 0..<25 {
            let id = try await store.accepted(
              "Lima", by: account, key: Idempotency(key: "\(client) \(number)", requestHash: [1])
            ).id
            ids.append(id)
            try await store.settled([(id, .verdict(.at(Int32(number))))])
          }
          return ids
        }
      }
      for _ in 0..<3 {
        try await database.wait(until: "SELECT count(*) >= \(Int.random(in: 1...50)) FROM outcome")
        server.kill()
        try server.start()
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(Set(ids).count == 200)
    #expect(
      try database.sql("SELECT count(*), count(DISTINCT key) FROM post JOIN post_key ON post.id = post") == "200|200")
    let list = try store.feed()
    #expect(
      list.seq >= 200 && list.entries.count == Limits.feedEntriesMax && Set(list.entries.map(\.id)).isSubset(of: ids))
    #expect(try database.sql("SELECT count(*) FROM outcome WHERE seq IS NOT NULL") == "200")
    store.close()
  }

  @Test("A database without the latest confirmed commits gets a new epoch, and the leader stops")
  func lostTail() async throws {
    let database = try TestDatabase()
    let store = try database.open()
    defer { store.close() }
    let account = try await store.addAccount()
    let posts = try await store.published(3, by: account)
    let epoch = try store.feed().epoch
    // A promoted standby that lacked the last commits would look like this.
    try database.sql(
      """
      DELETE FROM outcome WHERE id = \(posts[2].rawValue); DELETE FROM post WHERE id = \(posts[2].rawValue);
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid();
      """)
    await #expect(throws: StoreError.self) { try await store.accepted(by: account) }
    let failure = await store.failure()
    #expect("\(try #require(failure))".contains("the database has lost commits"))
    store.close()
    let next = try database.open()
    defer { next.close() }
    let list = try next.feed()
    #expect(list.epoch != epoch && list.entries.map(\.id) == [posts[1], posts[0]])
  }

  /// Changes that a database lacks after it has lost its tail, and that neither ids nor sequence numbers show.
  @Test(
    "A database that lacks a rejection, a removal of a session or the takeover itself gets a new epoch",
    arguments: [
      "DELETE FROM outcome WHERE state = 2", "DELETE FROM commit_marker", "UPDATE leader SET term = term - 1",
    ])
  func lostDetail(loss: String) async throws {
    let database = try TestDatabase()
    let store = try database.open()
    defer { store.close() }
    let account = try await store.addAccount()
    let id = try await store.accepted(by: account).id
    try await store.settled([(id, .verdict(.rejected(.init(code: "c", detail: "d"))))])
    let epoch = try store.feed().epoch
    try database.sql(
      """
      \(loss);
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid();
      """)
    await #expect(throws: StoreError.self) { try await store.accepted(by: account) }
    #expect("\(try #require(await store.failure()))".contains("the database has lost commits"))
    store.close()
    let next = try database.open()
    defer { next.close() }
    #expect(try next.feed().epoch != epoch && next.generation > store.generation)
  }

  @Test("A loss of the connection without a loss of commits keeps the epoch")
  func reconnected() async throws {
    let database = try TestDatabase()
    let store = try database.open()
    defer { store.close() }
    let account = try await store.addAccount()
    let epoch = try store.feed().epoch
    for number in 0..<3 {
      _ = try await store.published(2, by: account)
      if number == 1 { #expect(try await store.deleted(try store.feed().entries[0].id, of: account).change != nil) }
      try database.sql(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
        """)
    }
    _ = try await store.published(1, by: account)
    let list = try store.feed()
    #expect(list.epoch == epoch && list.entries.count == 6 && store.stopReason == nil)
  }
}
