import Foundation
import GRDB
import Logging
import Synchronization
import Testing

@testable import Domain
@testable import SQLiteStore

/// A database in a folder of its own, which goes with it.
final class Folder: Sendable {
  let path: String

  init() {
    path = FileManager.default.temporaryDirectory.appending(path: "onthemap-store-\(UUID().uuidString)").path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var database: String { path + "/onthemap.sqlite" }

  func open(
    scanMs: Int64 = Limits.scanMs, scanWaitMs: Int64 = Limits.scanWaitMs, scanStretchMs: Int64 = Limits.scanStretchMs
  ) throws -> IngestDatabase {
    var times = ScanTimes()
    (times.limitMs, times.waitMs, times.stretchMs) = (scanMs, scanWaitMs, scanStretchMs)
    return try IngestDatabase(
      folder: path, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, scanTimes: times)
  }

  /// A connection as another process would have it, past our lock.
  func outside(readonly: Bool = true) throws -> DatabaseQueue {
    var configuration = GRDB.Configuration()
    configuration.readonly = readonly
    // Whoever closes it may still be at it.
    configuration.busyMode = .timeout(5)
    return try DatabaseQueue(path: database, configuration: configuration)
  }

  /// Changes the closed database behind our back.
  func damage(_ sql: String) throws {
    try outside(readonly: false).writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
      try db.execute(sql: sql)
    }
  }
}

/// Holds up a database's writer until it is opened, so that a group of writes can gather.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  /// Returns when the writer stands at the gate: what is submitted from now on gathers behind it.
  init(_ database: IngestDatabase) async {
    let semaphore = semaphore
    await withCheckedContinuation { reached in
      database.writer.submit(
        { _ in
          reached.resume()
          semaphore.wait()
        }, then: { _ in })
    }
  }

  func open() { semaphore.signal() }
}

/// Counts the commits of a connection.
final class CommitCount: TransactionObserver, Sendable {
  private let count = Atomic(0)
  var commits: Int { count.load(ordering: .relaxed) }
  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
  func databaseDidChange(with event: DatabaseEvent) {}
  func databaseDidCommit(_ db: Database) { count.add(1, ordering: .relaxed) }
  func databaseDidRollback(_ db: Database) {}
}

typealias AcceptResult = Result<Result<IngestDatabase.Accepted, IngestDatabase.IdempotencyConflict>, StoreError>

extension IngestDatabase {
  func addAccount(_ name: String = "ada") async throws -> AccountID {
    let registration = try Registration(
      email: "\(name)@example.org", password: "a password", firstName: name, lastName: "Lovelace")
    return try await addAccount(registration, passwordHash: "hash of \(name)", unixMs: 1).id
  }

  /// A session from nowhere.
  @discardableResult
  func addSession(tokenHash: [UInt8], account: AccountID, unixMs: Int64, expiresMs: Int64) async throws -> Bool {
    try await addSession(
      tokenHash: tokenHash, account: account, passwordHash: nil, source: LoginSource(address: nil, agent: ""),
      unixMs: unixMs, expiresMs: expiresMs)
  }

  /// `accept`, for tests that wait.
  func accepted(
    _ place: String = "Oslo", by account: AccountID, key: Idempotency? = nil, unixMs: Int64 = 1_700_000_000_000
  ) async throws -> Accepted {
    let submission = try Submission(place: place, link: "example.org", latitude: nil, longitude: nil)
    let result: AcceptResult = await withCheckedContinuation { continuation in
      accept(submission, account: account, idempotency: key, unixMs: unixMs) { continuation.resume(returning: $0) }
    }
    return try result.get().get()
  }

  /// `settle`, for tests that wait.
  func settledAll(
    _ settlements: [(post: PostID, settlement: Settlement)], unixMs: Int64 = 1_700_000_001_000
  ) async throws -> SettlementResult {
    try await settledAll(settlements.map { SettlementRecord($0.post, $0.settlement) }, unixMs: unixMs)
  }

  /// `settle`, for tests that wait.
  func settledAll(
    _ records: [SettlementRecord], unixMs: Int64 = 1_700_000_001_000
  ) async throws -> SettlementResult {
    let result: Result<SettlementResult, StoreError> = await withCheckedContinuation { continuation in
      settle(records, unixMs: unixMs) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  /// The entries of it.
  @discardableResult
  func settled(
    _ settlements: [(post: PostID, settlement: Settlement)], unixMs: Int64 = 1_700_000_001_000
  ) async throws -> [FeedEntry] {
    try await settledAll(settlements, unixMs: unixMs).entries
  }

  func number(_ sql: String) throws -> Int {
    try pool.read { db in try Int.fetchOne(db, sql: sql) ?? 0 }
  }

  /// The rows and their indices agree: what is queued, published, and whose it is.
  func expectSound(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let verdict = try pool.read { db in try String.fetchAll(db, sql: "PRAGMA integrity_check") }
    #expect(verdict == ["ok"], sourceLocation: sourceLocation)
    #expect(
      try number("SELECT count(*) FROM post INDEXED BY post_queued WHERE state = 0") == unsettledJobs().count,
      sourceLocation: sourceLocation)
  }
}

extension Job {
  /// As the disk gives it back.
  var asRead: Job {
    var job = self
    job.draft = nil
    return job
  }
}

extension Verdict {
  static func at(_ latitudeE7: Int32, label: String = "Oslo, Norway") -> Verdict {
    guard let point = Coordinate(latitudeE7: latitudeE7, longitudeE7: -1) else {
      preconditionFailure("A test names a point that is not on the earth.")
    }
    return .published(.init(coordinate: point, label: label, countryCode: "NO", agreement: .verified, match: .fallback))
  }
}
