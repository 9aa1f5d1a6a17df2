import Foundation
import GRDB
import Logging
import Store
import StoreTesting
import Synchronization
import Testing

@testable import Domain
@testable import SQLiteStore

/// A temporary folder for a database, deleted with this object.
final class Folder: Sendable {
  let path: String

  init() {
    path = FileManager.default.temporaryDirectory.appending(path: "onthemap-store-\(UUID().uuidString)").path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var database: String { path + "/onthemap.sqlite" }

  private static let hourMs: Int64 = 3_600_000

  /// Opens the database. By default scans have an hour, so that none times out on a busy machine.
  func open(
    scanMs: Int64 = Folder.hourMs, scanWaitMs: Int64 = Folder.hourMs, scanBusyMaxMs: Int64 = Folder.hourMs
  ) throws -> SQLiteDatabase {
    var times = ScanTimes()
    (times.limitMs, times.waitMs, times.busyMaxMs) = (scanMs, scanWaitMs, scanBusyMaxMs)
    return try SQLiteDatabase(
      folder: path, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, scanTimes: times)
  }

  /// Opens a connection without the instance lock, as another process might.
  func outside(readonly: Bool = true) throws -> DatabaseQueue {
    var configuration = GRDB.Configuration()
    configuration.readonly = readonly
    // The previous connection may still be closing.
    configuration.busyMode = .timeout(120)
    return try DatabaseQueue(path: database, configuration: configuration)
  }

  /// Changes the closed database from outside.
  func damage(_ sql: String) throws {
    try outside(readonly: false).writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
      try db.execute(sql: sql)
    }
  }
}

/// A gate that blocks a database's writer until the test opens the gate, so that later writes form one group.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  /// Returns when the writer waits at the gate. Later writes form a group.
  init(_ database: SQLiteDatabase) async {
    let semaphore = semaphore
    await withCheckedContinuation { reached in
      database.submit(
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

extension SQLiteDatabase {
  var numbers: SequenceAllocator { committer.engine.numbers }

  func number(_ sql: String) throws -> Int {
    try pool.read { db in try Int.fetchOne(db, sql: sql) ?? 0 }
  }

  func entry(_ post: PostID) throws -> FeedEntry? {
    try pool.read { db in
      try Row.fetchOne(db, sql: "\(FeedEntry.select) WHERE post.id = ?", arguments: [Int64(post.rawValue)])
        .flatMap(FeedEntry.init)
    }
  }

  /// Checks the integrity of rows and indices, and the number of queued posts.
  func expectSound(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let faults = try pool.read { db in try String.fetchAll(db, sql: "PRAGMA integrity_check") }
    #expect(faults == ["ok"], sourceLocation: sourceLocation)
    #expect(
      try number("SELECT count(*) FROM post INDEXED BY post_queued WHERE state = 0") == unsettledJobs().count,
      sourceLocation: sourceLocation)
  }
}
