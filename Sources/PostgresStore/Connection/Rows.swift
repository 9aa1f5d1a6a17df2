import CPostgreSQL

/// The rows of a statement's result, in binary format. One thread at a time.
final class Rows {
  private let result: OpaquePointer

  /// Takes ownership of a result.
  init(_ result: OpaquePointer) { self.result = result }

  deinit { PQclear(result) }

  /// Number of rows.
  var count: Int { Int(PQntuples(result)) }

  /// Number of rows that the statement has inserted, updated or deleted.
  var changedCount: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

  var first: Row? { count > 0 ? self[0] : nil }

  subscript(index: Int) -> Row { Row(rows: self, result: result, index: Int32(index)) }

  func map<Value>(_ transform: (Row) throws -> Value) rethrows -> [Value] {
    try (0..<count).map { try transform(self[$0]) }
  }

  func compactMap<Value>(_ transform: (Row) throws -> Value?) rethrows -> [Value] {
    try (0..<count).compactMap { try transform(self[$0]) }
  }
}

/// A row of a result. Columns count from 0.
struct Row {
  private let rows: Rows
  private let result: OpaquePointer
  private let index: Int32

  fileprivate init(rows: Rows, result: OpaquePointer, index: Int32) {
    (self.rows, self.result, self.index) = (rows, result, index)
  }

  /// Returns an integer of two, four or eight bytes. Nil for NULL.
  func integer(_ column: Int32) -> Int64? {
    guard let bytes = bytes(column), bytes.count <= 8, let top = bytes.first else { return nil }
    return bytes.reduce(top < 0x80 ? 0 : -1) { $0 << 8 | Int64($1) }
  }

  /// Returns an integer of a column that is never NULL.
  func int(_ column: Int32) -> Int64 { integer(column) ?? 0 }

  /// Returns an integer of a smaller type. Nil for NULL, and for a number that the type cannot have.
  func integer<Number: FixedWidthInteger>(_ column: Int32, as type: Number.Type) -> Number? {
    integer(column).flatMap { Number(exactly: $0) }
  }

  func bool(_ column: Int32) -> Bool { bytes(column)?.first == 1 }

  /// Returns a text. Nil for NULL.
  func optionalText(_ column: Int32) -> String? {
    bytes(column).map { String(decoding: UnsafeRawBufferPointer($0), as: UTF8.self) }
  }

  /// Returns a text of a column that is never NULL.
  func text(_ column: Int32) -> String { optionalText(column) ?? "" }

  /// Returns the bytes of a column. Nil for NULL.
  func blob(_ column: Int32) -> [UInt8]? { bytes(column).map { Array($0) } }

  /// Returns the column's bytes, valid while the row's result exists.
  private func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8>? {
    guard PQgetisnull(result, index, column) == 0, let value = PQgetvalue(result, index, column) else { return nil }
    let count = Int(PQgetlength(result, index, column))
    return withExtendedLifetime(rows) {
      UnsafeBufferPointer(
        start: UnsafeRawPointer(value).assumingMemoryBound(to: UInt8.self), count: count)
    }
  }
}

extension Rows {
  var status: ExecStatusType { PQresultStatus(result) }

  /// SQLSTATE of an error. Nil for an error of the connection.
  var errorState: String? { otm_pg_sqlstate(result).map { String(cString: $0) } }

  /// The error's message, without the context that libpq adds.
  var errorMessage: String {
    otm_pg_message(result).map { String(cString: $0) }
      ?? String(cString: PQresultErrorMessage(result)).split(separator: "\n").first.map(String.init)
      ?? "unknown error"
  }
}
