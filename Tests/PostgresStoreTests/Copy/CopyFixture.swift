import Domain
import Foundation
import Logging
import PostgresServer
import Store
import StoreTesting
import Testing

@testable import PostgresStore
@testable import SQLiteStore

/// A data folder with rows of every kind, and an empty database. Both are removed with this object.
final class CopyFixture: Sendable {
  let folder = FileManager.default.temporaryDirectory.appending(path: "onthemap-copy-\(UUID().uuidString)").path
  let database: String
  private let server: PostgresServer

  /// Key of ada's queued post.
  static let key = Idempotency(key: "key of ada", requestHash: [0, 1, 255])

  init() throws {
    server = try PostgresServer.shared()
    database = try server.createDatabase()
  }

  deinit {
    server.dropDatabase(database)
    try? FileManager.default.removeItem(atPath: folder)
  }

  private static var logger: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }

  var address: PostgresAddress { get throws { try PostgresAddress(server.url(database), passwordFile: nil) } }

  func openFolder() throws -> SQLiteDatabase { try SQLiteDatabase(folder: folder, logger: CopyFixture.logger) }

  func openDatabase() throws -> PostgresDatabase { try PostgresDatabase(address, logger: CopyFixture.logger) }

  @discardableResult
  func sql(_ text: String) throws -> String { try server.sql(text, in: database) }

  /// Ends all sessions in the database.
  func endSessions() throws {
    try sql(
      """
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = '\(database)' AND pid <> pg_backend_pid()
      """)
  }

  /// Copies the folder in batches of two rows.
  ///
  /// - Parameters:
  ///   - before: Called before each read of the folder, with the table and the key.
  ///   - after: Called after each batch.
  @discardableResult
  func copy(
    before: @escaping (CopyTable, [CopyValue]?) throws -> Void = { _, _ in },
    after: (PostgresCopy.Progress) -> Void = { _ in }
  ) throws -> [PostgresCopy.Count] {
    let folder = try CopiedFolder(folder)
    let source = CopySource(numbers: folder.source.numbers) { table, key, limit in
      try before(table, key)
      return try folder.source.rows(table, key, limit)
    }
    var copy = PostgresCopy(source, to: try address)
    copy.batchRows = 2
    return try copy.run(after)
  }

  struct Stop: Error {}

  /// Copies all rows, and stops before the comparison.
  func copyWithoutEnd() throws {
    var starts = 0
    #expect(throws: Stop.self) {
      try copy(before: { table, key in
        if table == .account, key == nil { starts += 1 }
        if starts == 2 { throw Stop() }
      })
    }
  }
}

extension CopyFixture {
  /// Fills the folder, and closes it.
  ///
  /// - Returns: the contents that the copy must have.
  func fill() async throws -> StoreContents {
    let store = try openFolder()
    defer { store.close() }
    let ada = try await store.addAccount("ada")
    let bob = try await store.addAccount("bob")
    try await fillPosts(of: ada, store)
    let published = try await store.published(3, by: bob)
    _ = try await store.edited(published[0], of: bob)
    _ = try await store.deleted(published[2], of: bob)
    _ = try await store.change(
      bob, try ProfileChange(email: nil, firstName: "Łukasz", lastName: nil), unixMs: 1_700_000_004_000)
    try await closeAccounts(store)
    try await fillLogins(of: ada, store)
    try await store.set(ada, .isOperator(true))
    try await store.set(bob, .disabled(sinceMs: 7))
    _ = try await store.setPaused(sinceMs: 8)
    return try await StoreContents(of: store)
  }

  /// Adds posts in every state but deleted, with failures.
  private func fillPosts(of account: AccountID, _ store: SQLiteDatabase) async throws {
    var submission = try Submission(place: "Café 東京", link: "example.org/cafe", latitude: 51.7, longitude: 19.4)
    submission.trace = TraceContext("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
    _ = try await store.accepted(submission, by: account, key: CopyFixture.key)
    var ids: [PostID] = []
    for _ in 0..<5 { ids.append(try await store.accepted(by: account).id) }
    let reason = Verdict.Reason(code: "down", detail: "the provider is down — \"try\" again")
    try await store.settled([
      (ids[0], .verdict(.rejected(reason))), (ids[1], .retry(attempts: 2, pauseMs: 5_000, reason: reason)),
      (ids[1], .leaseLost), (ids[2], .retry(attempts: 1, pauseMs: 9)), (ids[2], .dead(reason, attempts: 3)),
      (ids[3], .dead(reason)), (ids[4], .dead(reason)),
    ])
    _ = try await store.retryDead(.posts([ids[3]]), limit: 1, unixMs: 1_700_000_009_000)
    _ = try await store.discard([ids[4]], unixMs: 1_700_000_009_500)
    let queued = try await store.accepted(by: account, key: Idempotency(key: "deleted", requestHash: [9]))
    _ = try await store.deleted(queued.id, of: account)
  }

  /// Closes one account and erases its posts, and closes another one without that.
  private func closeAccounts(_ store: SQLiteDatabase) async throws {
    for name in ["eve", "mallory"] {
      let account = try await store.addAccount(name)
      _ = try await store.published(2, by: account)
      _ = try await store.close(account, unixMs: 1_700_000_005_000)
      guard name == "eve" else { continue }
      var after: PostID?
      repeat {
        after = try await store.erasePosts(of: account, after: after, unixMs: 1_700_000_006_000).next
      } while after != nil
    }
  }

  private func fillLogins(of account: AccountID, _ store: SQLiteDatabase) async throws {
    for token in UInt8(1)...3 {
      _ = try await store.addSession(
        tokenHash: Array(repeating: token, count: 32), account: account, passwordHash: nil,
        source: LoginSource(address: IPAddress("2001:db8::1"), agent: "curl/8"), unixMs: Int64(token), expiresMs: 9_000)
    }
    let identity = try #require(
      ProvidedIdentity(
        issuer: "https://login.example", subject: "1", email: nil, givenName: "Iris", familyName: "I", name: nil))
    _ = try await store.account(of: identity, newEmail: "iris@example.org", unixMs: 5)
    store.storeLoginCounts(
      [LoginThrottle.Key(scope: .accountAndNetwork, digest: [1, 2]): .init(attempts: 6, lastMs: 1_000)], removing: [],
      unixMs: 1_000)
  }
}

/// Everything that a store returns.
struct StoreContents: Equatable {
  let list: FeedState
  let jobs: [Job]
  let dueMs: [Int64]
  let pausedMs: Int64?
  let closedAccounts: [AccountID]
  let users: [User]
  let hashes: [String?]
  let posts: [[Post]]
  let queue: [QueueEntry]
  let history: [[PostEvent]]
  let dead: [QueueEntry]
  let sessions: [[Session]]
  let identities: [[LinkedIdentity]]
  let counts: [LoginThrottle.Key: LoginThrottle.Count]

  init(of store: any IngestStore) async throws {
    let start = try store.start()
    (list, jobs, dueMs) = (start.list, start.jobs.map(\.job), start.jobs.map(\.dueMs))
    (pausedMs, closedAccounts) = (start.pausedMs, start.closedAccounts)
    users = try await store.users(email: nil, after: nil, limit: 100, unixMs: 10)
    var (hashes, posts, sessions): ([String?], [[Post]], [[Session]]) = ([], [], [])
    var (history, identities): ([[PostEvent]], [[LinkedIdentity]]) = ([], [])
    for user in users {
      let account = user.account
      hashes.append(try await store.credentials(email: account.email)?.passwordHash)
      posts.append(try await store.posts(of: account.id, after: nil, limit: 100).posts)
      sessions.append(try await store.sessions(of: account.id, unixMs: 10))
      identities.append(try await store.identities(of: account.id))
    }
    let ids = posts.joined().map(\.id)
    for id in ids { history.append(try await store.history(of: id)) }
    queue = try await store.queueEntries(ids)
    dead = try await store.deadPosts(reason: "down", after: nil, limit: 100)
    counts = try store.loginCounts(unixMs: 2_000)
    (self.hashes, self.posts, self.sessions) = (hashes, posts, sessions)
    (self.history, self.identities) = (history, identities)
  }
}
