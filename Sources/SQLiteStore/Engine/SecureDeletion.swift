import Domain
import Foundation
import GRDB
import Logging

/// Removal of traces of deleted rows: copies in unused parts of the database's file.
///
/// A deletion within `erase` overwrites the row, its entries in indices and the pages that become free. Older copies
/// remain where SQLite moved rows between pages, and in the WAL until it is overwritten. A graceful shutdown therefore
/// rewrites the whole file after deletions. SQLite's `user_version` is 1 while the file has no traces. The version is 0
/// after a deletion, and in files of program versions that overwrote nothing.
enum SecureDeletion {
  /// Marks a new database as free of traces.
  static func markClean(_ db: Database) throws { try db.execute(sql: "PRAGMA user_version = 1") }

  /// Runs a deletion of people's data within a write, and records that the file has traces.
  static func erase<Value>(in db: Database, _ body: () throws -> Value) throws -> Value {
    try db.execute(sql: "PRAGMA secure_delete = ON; PRAGMA user_version = 0")
    // This fails only if no statement can be prepared. ON then costs only speed.
    defer { try? db.execute(sql: "PRAGMA secure_delete = FAST") }
    return try body()
  }

  /// Rewrites the file if it has traces. The rewrite needs about twice the file's size in the data folder. Call this
  /// outside a transaction. A failure leaves the file as it was, for the next graceful shutdown.
  static func compact(
    from db: Database, path: String, logger: Logger, bytesMax: Int = Limits.databaseCompactBytesMax
  ) {
    do {
      guard try Int.fetchOne(db, sql: "PRAGMA user_version") == 0 else { return }
      let size = try Int.fetchOne(
        db, sql: "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
      guard let size, size <= bytesMax else {
        logger.notice(
          "database rewrite skipped: deleted data remains on disk",
          metadata: [
            "size_bytes": "\(size ?? 0)",
            "advice": "while ingest is stopped, run \(command(path))",
          ])
        return
      }
      try db.execute(sql: "VACUUM")
      try markClean(db)
    } catch {
      logger.warning("database rewrite failed: deleted data remains on disk", metadata: ["error": "\(error)"])
    }
  }

  /// Returns the shell command that rewrites the file. SQLITE_TMPDIR keeps people's data on the database's file system.
  /// Without SQLITE_TMPDIR, VACUUM makes its copy in /var/tmp.
  private static func command(_ path: String) -> String {
    let folder = URL(filePath: path).deletingLastPathComponent().path
    return "SQLITE_TMPDIR='\(folder)' sqlite3 '\(path)' \"VACUUM; PRAGMA user_version = 1\""
  }
}
