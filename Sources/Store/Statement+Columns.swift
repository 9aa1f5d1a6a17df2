import GRDB
import GRDBSQLite

/// A value bound to a statement that runs for every post.
enum Column {
  case integer(Int64)
  case text(String)
  case null

  static func integer(_ value: (some BinaryInteger)?) -> Column { value.map { .integer(Int64($0)) } ?? .null }
}

extension Statement {
  /// Runs a statement that returns no rows. GRDB's arguments would box every value and go over all of them several
  /// times; this binds each once.
  ///
  /// - Returns: how many rows it has changed.
  @discardableResult
  func run(_ db: Database, _ columns: Column...) throws -> Int {
    let handle = sqliteStatement
    for (index, column) in columns.enumerated() {
      let position = Int32(index + 1)
      let bound =
        switch column {
        case .integer(let value): sqlite3_bind_int64(handle, position, value)
        case .text(var text):
          text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { chars in
              sqlite3_bind_text(handle, position, chars.baseAddress, Int32(chars.count), copied)
            }
          }
        case .null: sqlite3_bind_null(handle, position)
        }
      guard bound == SQLITE_OK else { throw failure(bound, db) }
    }
    let code = sqlite3_step(handle)
    let error = code == SQLITE_DONE ? nil : failure(code, db)
    sqlite3_reset(handle)
    if let error { throw error }
    return Int(sqlite3_changes(db.sqliteConnection))
  }

  private func failure(_ code: Int32, _ db: Database) -> DatabaseError {
    DatabaseError(
      resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(db.sqliteConnection)), sql: sql)
  }
}

/// SQLITE_TRANSIENT: SQLite makes its own copy.
private let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
