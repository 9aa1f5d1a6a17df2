import CPostgreSQL

/// The rows of a statement's result, in binary format. One thread at a time.
final class Rows {
  private let result: OpaquePointer

  /// Takes ownership of a result.
  init(_ result: OpaquePointer) { self.result = result }

  deinit { PQclear(result) }

  /// Number of rows.
  var count: Int { withResult { Int(PQntuples($0)) } }

  /// Number of rows that the statement has inserted, updated or deleted.
  var changedCount: Int { withResult { Int(String(cString: PQcmdTuples($0))) } ?? 0 }

  var first: Row? { count > 0 ? self[0] : nil }

  subscript(index: Int) -> Row { Row(rows: self, index: Int32(index)) }

  func map<Value>(_ transform: (Row) throws -> Value) rethrows -> [Value] {
    try (0..<count).map { try transform(self[$0]) }
  }

  func compactMap<Value>(_ transform: (Row) throws -> Value?) rethrows -> [Value] {
    try (0..<count).compactMap { try transform(self[$0]) }
  }

  /// Calls a closure with libpq's result. The result, and all pointers into it, are valid only during the call.
  private func withResult<Value>(_ body: (OpaquePointer) -> Value) -> Value {
    withExtendedLifetime(self) { body(result) }
  }

  /// Calls a closure with the bytes of a value, which are valid only during the call.
  ///
  /// - Returns: the result of `body`. Nil for NULL.
  fileprivate func withBytes<Value>(
    _ row: Int32, _ column: Int32, _ body: (UnsafeRawBufferPointer) -> Value?
  ) -> Value? {
    withResult { result in
      guard PQgetisnull(result, row, column) == 0, let value = PQgetvalue(result, row, column) else { return nil }
      return body(UnsafeRawBufferPointer(start: value, count: Int(PQgetlength(result, row, column))))
    }
  }
}

/// A row of a result. Columns count from 0.
struct Row {
  private let rows: Rows
  private let index: Int32

  fileprivate init(rows: Rows, index: Int32) { (self.rows, self.index) = (rows, index) }

  /// Returns an integer of two, four or eight bytes. Nil for NULL.
  func integer(_ column: Int32) -> Int64? {
    rows.withBytes(index, column) { bytes in
      guard bytes.count <= 8, let top = bytes.first else { return nil }
      let sign: Int64 = top < 0x80 ? 0 : -1
      return bytes.reduce(sign) { $0 << 8 | Int64($1) }
    }
  }

  /// Returns an integer of a column that is never NULL.
  func int(_ column: Int32) -> Int64 { integer(column) ?? 0 }

  /// Returns an integer of a smaller type. Nil for NULL, and for a number that the type cannot have.
  func integer<Number: FixedWidthInteger>(_ column: Int32, as type: Number.Type) -> Number? {
    integer(column).flatMap { Number(exactly: $0) }
  }

  func bool(_ column: Int32) -> Bool { rows.withBytes(index, column) { $0.first == 1 } ?? false }

  /// Returns a text. Nil for NULL.
  func optionalText(_ column: Int32) -> String? {
    rows.withBytes(index, column) { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns a text of a column that is never NULL.
  func text(_ column: Int32) -> String { optionalText(column) ?? "" }

  /// Returns the bytes of a column. Nil for NULL.
  func blob(_ column: Int32) -> [UInt8]? { rows.withBytes(index, column) { Array($0) } }
}

extension Rows {
  var status: ExecStatusType { withResult { PQresultStatus($0) } }

  /// SQLSTATE of an error. Nil for an error of the connection.
  var errorState: String? { withResult { otm_pg_sqlstate($0).map { String(cString: $0) } } }

  /// The function of the server that reported an error. Nil if the server sent none.
  var errorFunction: String? { withResult { otm_pg_source_function($0).map { String(cString: $0) } } }

  /// The error's message, without the context that libpq adds.
  var errorMessage: String {
    withResult { result in
      otm_pg_message(result).map { String(cString: $0) }
        ?? String(cString: PQresultErrorMessage(result)).split(separator: "\n").first.map(String.init)
        ?? "unknown error"
    }
  }
}
