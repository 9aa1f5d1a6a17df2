import Domain
import Foundation
import GRDB
import Logging

/// Traces of deleted rows: their copies in unused parts of the database's file.
///
/// A deletion within `erase` overwrites the row, its entries in indices and the pages that become free. Copies remain
/// that SQLite made before, when it moved rows from a page to another, and in the log until it is written over. A clean
/// stop therefore rewrites the whole file when something was deleted. SQLite's `user_version` is 1 while there is
/// nothing to remove, and 0 in files of versions that overwrote nothing.
enum SecureDeletion {
  /// Marks a new database as free of traces.
  static func markClean(_ db: Database) throws { try db.execute(sql: "PRAGMA user_version = 1") }

  /// Deletes people's data, within a write.
  static func erase<Value>(in db: Database, _ body: () throws -> Value) throws -> Value {
    try db.execute(sql: "PRAGMA secure_delete = ON; PRAGMA user_version = 0")
    // This fails only if no statement can be prepared; ON then costs speed and nothing else.
    defer { try? db.execute(sql: "PRAGMA secure_delete = FAST") }
    return try body()
  }

  /// Rewrites the file if it has traces. Takes about twice its size in the data folder meanwhile. Call this outside of
  /// a transaction. A failure leaves the file as it was, for the next clean stop.
  static func compact(
    from db: Database, path: String, logger: Logger, bytesMax: Int = Limits.databaseCompactBytesMax
  ) {
    do {
      guard try Int.fetchOne(db, sql: "PRAGMA user_version") == 0 else { return }
      let size = try Int.fetchOne(
        db, sql: "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
      guard let size, size <= bytesMax else {
        logger.notice(
          "database has traces of what was deleted, and is too large to be rewritten at each stop",
          metadata: [
            "bytes": "\(size ?? 0)",
            "advice": "while ingest is stopped, run \(command(path))",
          ])
        return
      }
      try db.execute(sql: "VACUUM")
      try markClean(db)
    } catch {
      logger.warning("database not rewritten: traces of what was deleted remain in it", metadata: ["error": "\(error)"])
    }
  }

  /// The command that does the same. SQLITE_TMPDIR keeps people's data on the file system of the database: without it,
  /// VACUUM makes its copy in /var/tmp.
  private static func command(_ path: String) -> String {
    let folder = URL(filePath: path).deletingLastPathComponent().path
    return "SQLITE_TMPDIR='\(folder)' sqlite3 '\(path)' \"VACUUM; PRAGMA user_version = 1\""
  }
}
