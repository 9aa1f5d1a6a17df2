import Domain
import Foundation
import Logging
import PostgresServer
import PostgresStore
import Store

/// Benchmark of the time in which the PostgreSQL store accepts a post, with one post at a time. Without a standby, and
/// with a quorum.
///
/// The bench calls the store in its own process, so that the figure has the store's cost only, without a link. The
/// baseline is a prepared INSERT of the same values with an implicit commit, over libpq on the same server. The two
/// take turns.
struct PostgresLatency {
  let seconds: Int
  let local: PostgresServer
  let quorum: PostgresServer

  /// Number of posts of one turn.
  private static let turn = 50

  func measure(into table: inout Table) async throws {
    for (name, server) in [("local", local), ("quorum", quorum)] {
      let (store, bare) = try await measure(server)
      table.add("postgres: accept p50, \(name) ms", store.p50)
      table.add("postgres: accept p99, \(name) ms", store.p99)
      table.add("postgres: bare INSERT p50, \(name) ms", bare.p50)
      table.add("postgres: bare INSERT p99, \(name) ms", bare.p99)
      // Only the quorum protects posts, so only its latency has a limit.
      let limit: ClosedRange<Double>? = name == "quorum" ? 0...1.5 : nil
      table.add("postgres: accept p50 / bare INSERT, \(name)", store.p50 / bare.p50, within: limit)
      table.add("postgres: accept p99 / bare INSERT, \(name)", store.p99 / bare.p99)
    }
  }

  private func measure(_ server: PostgresServer) async throws -> (store: Durations, bare: Durations) {
    let database = try PostgresBenchDatabase(on: server)
    let accepting = try await AcceptingStore(database)
    defer { accepting.close() }
    let inserting = try BareInsert(database)
    var (store, bare): ([UInt64], [UInt64]) = ([], [])
    let end = ContinuousClock.now + .seconds(seconds)
    var number = 0
    // The first turn prepares statements and fills caches, and does not count.
    while ContinuousClock.now < end || store.isEmpty {
      let counts = number > 0
      for _ in 0..<Self.turn {
        number += 1
        let startNs = Waves.nowNs
        try await accepting.accept(number)
        if counts { store.append(Waves.nowNs - startNs) }
      }
      for offset in 1...Self.turn {
        let startNs = Waves.nowNs
        try inserting.insert(number - Self.turn + offset)
        if counts { bare.append(Waves.nowNs - startNs) }
      }
    }
    return (Durations(ns: store), Durations(ns: bare))
  }
}

/// Values of the posts that both sides store.
private enum LatencyPost {
  static let place = "Seattle, WA"
  static let link = "https://example.org/me"
  static let requestHash = [UInt8](repeating: 0xA5, count: 32)
  /// The hash as a literal of SQL.
  static let requestHashText = "\\x" + String(repeating: "a5", count: 32)
  static func key(_ number: Int) -> String { "bench-\(number)" }
  static var nowMs: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }
}

/// The store with one account, as ingest uses it.
private struct AcceptingStore {
  /// Keeps the database from being dropped.
  private let database: PostgresBenchDatabase
  private let store: PostgresDatabase
  private let account: AccountID

  init(_ database: PostgresBenchDatabase) async throws {
    self.database = database
    var logger = Logger(label: "bench")
    logger.logLevel = .critical
    store = try await .lead(PostgresAddress(database.url, passwordFile: nil), logger: logger)
    let registration = try Registration(
      email: "bench@example.org", password: "correct-horse", firstName: "Bench", lastName: "")
    account = try await store.addAccount(registration, passwordHash: "none", unixMs: LatencyPost.nowMs).id
  }

  /// Accepts a post. Durable on return.
  func accept(_ number: Int) async throws {
    let submission = try Submission(
      place: LatencyPost.place, link: LatencyPost.link, latitude: nil, longitude: nil)
    let key = Idempotency(key: LatencyPost.key(number), requestHash: LatencyPost.requestHash)
    let acceptances: [Acceptance] = try await withCheckedThrowingContinuation { continuation in
      store.accept(
        [NewPost(submission, key)], account: account, capacity: 1, unixMs: LatencyPost.nowMs,
        completion: CommitCompletion { continuation.resume(with: $0) })
    }
    guard case .accepted? = acceptances.first else { throw BenchError("the store did not accept a post") }
  }

  func close() { store.close() }
}

/// A table with one row for a post, its key included.
private struct BareInsert {
  private let session: PostgresSession

  init(_ database: PostgresBenchDatabase) throws {
    session = try PostgresSession(database.url)
    try session.execute(
      """
      CREATE TABLE bare (
        id bigint PRIMARY KEY, account bigint NOT NULL, place text NOT NULL, link text NOT NULL, key text NOT NULL,
        request_hash bytea NOT NULL, created_ms bigint NOT NULL
      )
      """)
    try session.prepare("bare", "INSERT INTO bare VALUES ($1, $2, $3, $4, $5, $6, $7)")
  }

  /// Inserts a row. Durable on return.
  func insert(_ number: Int) throws {
    try session.execute(
      prepared: "bare",
      [
        "\(number)", "1", LatencyPost.place, LatencyPost.link, LatencyPost.key(number), LatencyPost.requestHashText,
        "\(LatencyPost.nowMs)",
      ])
  }
}
