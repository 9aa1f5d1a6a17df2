import GRDB
import GRDBSQLite

/// A value to bind to a statement that runs for every post.
enum BoundValue {
  case integer(Int64)
  case text(String)
  case blob([UInt8])
  case null

  static func integer(_ value: (some BinaryInteger)?) -> BoundValue { value.map { .integer(Int64($0)) } ?? .null }
}

/// The current row of a running statement.
struct ResultRow {
  fileprivate let handle: SQLiteStatement

  /// Returns an integer. 0 if the column is null.
  func integer(_ index: Int32) -> Int64 { sqlite3_column_int64(handle, index) }

  func isNull(_ index: Int32) -> Bool { sqlite3_column_type(handle, index) == SQLITE_NULL }

  /// Returns a text, or the bytes of one, with all of its zero bytes.
  func bytes(_ index: Int32) -> [UInt8] {
    // Ask for the value before its size, which may depend on the type that was asked for.
    guard let start = sqlite3_column_blob(handle, index) else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index))))
  }

  /// Returns true if a column's bytes equal `bytes`.
  func isBlob(_ index: Int32, _ bytes: [UInt8]) -> Bool {
    let count = Int(sqlite3_column_bytes(handle, index))
    return UnsafeRawBufferPointer(start: sqlite3_column_blob(handle, index), count: count).elementsEqual(bytes)
  }
}

extension Statement {
  /// Runs a statement that returns no rows, and binds each value once. GRDB's arguments would box every value and
  /// traverse all of them several times.
  ///
  /// - Returns: the number of changed rows.
  @discardableResult
  func run(_ db: Database, _ columns: BoundValue...) throws -> Int { try run(db, columns) }

  /// Runs a statement that returns no rows, with an array of values to bind.
  @discardableResult
  func run(_ db: Database, _ columns: [BoundValue]) throws -> Int {
    try bind(columns, db)
    let code = sqlite3_step(sqliteStatement)
    let error = code == SQLITE_DONE ? nil : failure(code, db)
    sqlite3_reset(sqliteStatement)
    if let error { throw error }
    return Int(sqlite3_changes(db.sqliteConnection))
  }

  /// Runs a statement, and reads its first row in place. Returns nil if there is no row.
  ///
  /// - Parameter read: Function that reads the row's columns, which are invalid afterwards.
  func first<Value>(_ db: Database, _ columns: BoundValue..., read: (ResultRow) -> Value) throws -> Value? {
    try bind(columns, db)
    let code = sqlite3_step(sqliteStatement)
    let error = code == SQLITE_ROW || code == SQLITE_DONE ? nil : failure(code, db)
    let value = code == SQLITE_ROW ? read(ResultRow(handle: sqliteStatement)) : nil
    sqlite3_reset(sqliteStatement)
    if let error { throw error }
    return value
  }

  /// Runs a statement, and reads each of its rows in place.
  ///
  /// - Parameter read: Function that reads a row's columns, which are invalid afterwards.
  func all<Value>(_ db: Database, _ columns: [BoundValue], read: (ResultRow) -> Value) throws -> [Value] {
    try bind(columns, db)
    var values: [Value] = []
    var code = sqlite3_step(sqliteStatement)
    while code == SQLITE_ROW {
      values.append(read(ResultRow(handle: sqliteStatement)))
      code = sqlite3_step(sqliteStatement)
    }
    let error = code == SQLITE_DONE ? nil : failure(code, db)
    sqlite3_reset(sqliteStatement)
    if let error { throw error }
    return values
  }

  private func bind(_ columns: [BoundValue], _ db: Database) throws {
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
        case .blob(let bytes): sqlite3_bind_blob(handle, position, bytes, Int32(bytes.count), copied)
        case .null: sqlite3_bind_null(handle, position)
        }
      guard bound == SQLITE_OK else { throw failure(bound, db) }
    }
  }

  private func failure(_ code: Int32, _ db: Database) -> DatabaseError {
    DatabaseError(
      resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(db.sqliteConnection)), sql: sql)
  }
}

/// SQLITE_TRANSIENT: SQLite makes its own copy.
private let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
