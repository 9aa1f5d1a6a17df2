import Domain
import Foundation
import GRDB
import Store

/// Check of the files before anything writes to them. The check refuses missing, empty, damaged and regressed files,
/// and leaves them untouched, so that an operator can repair them.
struct StartupCheck {
  /// Remedy for a damaged database.
  static let repairAdvice =
    "Keep a copy of the folder, then restore a backup, or the rows that sqlite3 can .dump (deploy/Restore.md)"

  /// Path of `onthemap.sqlite`.
  let path: String
  let highWaterPath: String
  /// Path or URI with which SQLite opens the database. Nil for `path`.
  var connection: String?
  /// Maximum size of a database that is checked from end to end, in bytes.
  var checkBytesMax = Limits.databaseCheckBytesMax

  /// Returns the epoch and the highest numbers of the database. Nil if there is no database yet.
  ///
  /// - Throws: `StoreError.unusable`, with its remedy.
  func run() throws -> HighWater.Record? {
    let recorded = try HighWater.read(highWaterPath)
    guard let size = StartupCheck.size(path) else {
      // SQLite would create a new database, and delete the WAL of the old database.
      guard recorded == nil, (StartupCheck.size(path + "-wal") ?? 0) == 0 else {
        throw lost("it is missing, but there was a database here before")
      }
      return nil
    }
    // `NewDatabase` names the file after it has created the tables, so an empty file comes from a failed copy.
    guard size > 0 else { throw lost("it is empty") }
    var configuration = GRDB.Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(Double(Limits.databaseBusyMs) / 1_000)
    // A read-only connection does not checkpoint the WAL when it closes. A checkpoint would destroy evidence.
    let database = try DatabaseQueue(path: connection ?? path, configuration: configuration)
    return try database.read { db in
      let missing = try ["account", "meta", "post"].filter { try !db.tableExists($0) }
      guard missing.count < 3 else { throw lost("it has no tables") }
      guard missing.isEmpty else { throw damaged("it lacks tables (\(missing.joined(separator: ", ")))") }
      guard let found = try StartupCheck.record(db) else { throw damaged("its meta row is missing or damaged") }
      // Check for damage before the comparison. A damaged page may hide the latest numbers, and needs another remedy.
      if size <= checkBytesMax {
        let damage = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? "no result"
        guard damage == "ok" else { throw damaged("it is damaged (\(damage.replacing("\n", with: " ")))") }
      }
      if let recorded { try compare(found, recorded) }
      return found
    }
  }

  private func compare(_ found: HighWater.Record, _ recorded: HighWater.Record) throws(StoreError) {
    guard found.epoch == recorded.epoch else { throw replaced("it is not the database that was here before") }
    guard found.mark.isAtLeast(recorded.mark) else {
      throw replaced("it lacks the latest accepted data: its log, \(path)-wal, is missing or damaged")
    }
  }

  /// Returns the epoch and the highest numbers in the tables. Nil if the meta row is missing or damaged.
  static func record(_ db: Database) throws -> HighWater.Record? {
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

  /// Returns the error for a damaged database. Some of its rows may still be readable.
  private func damaged(_ problem: String) -> StoreError {
    .unusable(path: path, reason: "\(problem). Nothing was changed. \(StartupCheck.repairAdvice)")
  }

  /// Returns the error for an intact database that is not the latest one. Without the high-water file, the next start
  /// accepts such a database.
  private func replaced(_ problem: String) -> StoreError {
    .unusable(
      path: path,
      reason: """
        \(problem). Nothing was changed. Keep a copy of the folder, then restore the latest files, or a backup \
        (deploy/Restore.md); to continue with the present files, remove \(highWaterPath) and start again
        """)
  }

  /// Returns the error for a folder without a database that ingest can use. After the operator has removed the files
  /// that are left, the next start creates a new database.
  private func lost(_ problem: String) -> StoreError {
    let files = [path, path + "-wal", highWaterPath].filter { StartupCheck.size($0) != nil }
    return .unusable(
      path: path,
      reason: """
        \(problem). Nothing was changed. Keep a copy of the folder, then restore the latest files, or a backup \
        (deploy/Restore.md); to begin with an empty database, remove \(files.joined(separator: " and ")) and start again
        """)
  }

  /// Returns the size of a file in bytes. Nil if it does not exist.
  private static func size(_ path: String) -> Int? {
    (try? FileManager.default.attributesOfItem(atPath: path)[.size]) as? Int
  }
}
