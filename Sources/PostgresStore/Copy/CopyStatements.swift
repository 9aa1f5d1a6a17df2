import Store

/// Statements that write and read the rows of a copied table.
struct CopyStatements {
  let table: CopyTable

  /// Inserts rows. Skips a row whose key is in use, so that a repeated batch changes nothing. Parameters: an array for
  /// each column.
  var insert: Statement {
    let names = table.columns.map(\.name)
    let parameters = table.columns.enumerated().map { index, column in "$\(index + 1)::\(column.type)[]" }
    let values = table.columns.map { $0.kind == .boolean ? "\($0.name) <> 0" : $0.name }
    return Statement(
      "copy_insert_\(table.rawValue)",
      """
      INSERT INTO \(table.rawValue) (\((names + constants.map(\.name)).joined(separator: ", ")))
      SELECT \((values + constants.map(\.value)).joined(separator: ", "))
      FROM unnest(\(parameters.joined(separator: ", "))) AS t (\(names.joined(separator: ", ")))
      ON CONFLICT DO NOTHING
      """)
  }

  /// Returns rows above a key, in ascending order of their keys. Parameters: the columns of the key, then the maximum
  /// number of rows.
  var page: Statement {
    let bounds = table.key.enumerated().map { index, column in "$\(index + 1)::\(column.type)" }
    return Statement(
      "copy_page_\(table.rawValue)",
      """
      SELECT \(expressions) FROM \(table.rawValue) WHERE (\(key)) > (\(bounds.joined(separator: ", ")))
      ORDER BY \(key) LIMIT $\(table.keyCount + 1)::int8
      """)
  }

  /// Returns the first rows, like `page`. Parameter: the maximum number of rows.
  var firstPage: Statement {
    Statement(
      "copy_first_page_\(table.rawValue)",
      "SELECT \(expressions) FROM \(table.rawValue) ORDER BY \(key) LIMIT $1::int8")
  }

  /// Returns the row with the highest key.
  var last: Statement {
    let order = table.key.map { "\($0.name) DESC" }.joined(separator: ", ")
    return Statement(once: "SELECT \(expressions) FROM \(table.rawValue) ORDER BY \(order) LIMIT 1")
  }

  /// Columns that only PostgreSQL has, with their values. No commit of this program wrote the copied rows.
  private var constants: [(name: String, value: String)] {
    table == .post || table == .outcome ? [("commit_number", "0")] : []
  }

  private var key: String { table.key.map(\.name).joined(separator: ", ") }

  private var expressions: String {
    table.columns.map { $0.kind == .boolean ? "\($0.name)::int4" : $0.name }.joined(separator: ", ")
  }
}

extension CopyTable.Column {
  /// PostgreSQL's type of a parameter. The server converts a parameter to the type of its column.
  fileprivate var type: String {
    switch kind {
    case .integer, .boolean: "int8"
    case .text: "text"
    case .bytes: "bytea"
    }
  }

  /// Returns the parameter for a value of this column.
  func parameter(_ value: CopyValue) -> Parameter {
    switch kind {
    case .integer, .boolean: .int8(value.integer)
    case .text: .text(value.text)
    case .bytes: .bytes(value.bytes)
    }
  }

  /// Returns the parameter for the values of this column in several rows.
  ///
  /// - Parameter index: Index of the column in a row.
  func parameter(_ rows: [[CopyValue]], at index: Int) -> Parameter {
    switch kind {
    case .integer, .boolean: .int8s(rows.map { $0[index].integer })
    case .text: .texts(rows.map { $0[index].text })
    case .bytes: .byteArrays(rows.map { $0[index].bytes })
    }
  }

  /// Decodes a column of a row.
  func value(_ row: Row, at index: Int) -> CopyValue {
    let index = Int32(index)
    return switch kind {
    case .integer, .boolean: row.integer(index).map { .integer($0) } ?? .null
    case .text: row.optionalText(index).map { .text($0) } ?? .null
    case .bytes: row.blob(index).map { .bytes($0) } ?? .null
    }
  }
}
