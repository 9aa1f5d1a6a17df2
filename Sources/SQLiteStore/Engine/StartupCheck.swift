import Domain
import Foundation
import GRDB
import Store

/// Check of the files before anything writes to them. Missing or damaged files, and files that have gone back to an
/// earlier state, are refused. They are left untouched, so that they can be repaired.
struct StartupCheck {
  /// Path of `onthemap.sqlite`.
  let path: String
  let highWaterPath: String
  /// Maximum size of a database that is checked from end to end, in bytes.
  var checkBytesMax = Limits.databaseCheckBytesMax

  /// Returns the numbers of the database. Nil if there is no database yet.
  ///
  /// - Throws: `StoreError.unusable`, with its remedy.
  func run() throws -> HighWater.Record? {
    let recorded = try HighWater.read(highWaterPath)
    let size = StartupCheck.size(path)
    guard let size, size > 0 else {
      // SQLite would create a new database, and delete the log of the old database.
      guard recorded == nil, (StartupCheck.size(path + "-wal") ?? 0) == 0 else {
        throw refusal("it is \(size == nil ? "missing" : "empty"), but there was a database here before")
      }
      return nil
    }
    var configuration = GRDB.Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(Double(Limits.databaseBusyMs) / 1_000)
    // Read-only, so that closing it checkpoints nothing, which would destroy evidence.
    let database = try DatabaseQueue(path: path, configuration: configuration)
    return try database.read { db in
      guard try db.tableExists("meta") else {
        if recorded != nil { throw refusal("its tables are missing") }
        return nil
      }
      let found = try StartupCheck.record(db)
      if let recorded { try compare(found, recorded) }
      if size <= checkBytesMax {
        let verdict = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? "no result"
        guard verdict == "ok" else { throw refusal("it is damaged (\(verdict))") }
      }
      return found
    }
  }

  private func compare(_ found: HighWater.Record?, _ recorded: HighWater.Record) throws(StoreError) {
    guard let found else { throw refusal("its meta row is missing or damaged") }
    guard found.epoch == recorded.epoch else { throw refusal("it is not the database that was here before") }
    guard found.mark.isAtLeast(recorded.mark) else {
      throw refusal("it lacks the latest accepted data: its log, \(path)-wal, is missing or damaged")
    }
  }

  /// Returns nil if the meta row is missing or damaged.
  private static func record(_ db: Database) throws -> HighWater.Record? {
    guard let row = try Row.fetchOne(db, sql: "SELECT epoch, boot FROM meta"), let epoch = Epoch(row[0] as Data),
      let generation = UInt32(exactly: row[1] as Int64)
    else { return nil }
    func highest(_ sql: String) throws -> Int64 { max(0, try Int64.fetchOne(db, sql: sql) ?? 0) }
    let mark = HighWater.Mark(
      generation: generation, account: try highest("SELECT max(id) FROM account"),
      post: UInt64(try highest("SELECT max(id) FROM post")),
      seq: try SequenceAllocator.lastSeq(db, hasDeletions: db.columns(in: "meta").contains { $0.name == "deleted_seq" })
    )
    return HighWater.Record(epoch: epoch, mark: mark)
  }

  private func refusal(_ problem: String) -> StoreError {
    .unusable(
      path: path,
      reason: """
        \(problem). Nothing was changed. Keep a copy of the folder, then put a backup back, or what sqlite3 can \
        .recover; to continue with the present files, remove \(highWaterPath) and start again
        """)
  }

  /// Returns the size of a file in bytes. Nil if it does not exist.
  private static func size(_ path: String) -> Int? {
    (try? FileManager.default.attributesOfItem(atPath: path)[.size]) as? Int
  }
}
