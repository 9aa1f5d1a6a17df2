import GRDB
import Store

/// Query for the rows of a table in the neutral form of a copy.
struct CopyQuery {
  private let table: CopyTable

  init(_ table: CopyTable) { self.table = table }

  /// Returns the next rows, in ascending order of their keys. Call this within a read.
  func rows(after key: [CopyValue]?, limit: Int, _ db: Database) throws -> [[CopyValue]] {
    let rows = try read(sql(hasBound: key != nil), (key ?? []).map { BoundValue($0) } + [.integer(limit)], db)
    guard table == .account, rows.count < limit else { return rows }
    return rows + (try read(CopyQuery.lostAccount, [.integer(key?.first?.integer ?? 0)], db))
  }

  private func read(_ sql: String, _ values: [BoundValue], _ db: Database) throws -> [[CopyValue]] {
    let kinds = table.columns.map(\.kind)
    return try db.cachedStatement(sql: sql).all(db, values) { row in
      kinds.enumerated().map { index, kind in CopyValue(row, Int32(index), kind) }
    }
  }

  /// A restore keeps the ids of lost accounts unused. A closed account with the highest of them has the same effect.
  private static let lostAccount = """
    SELECT seq, 'deleted:' || seq, '', '', '', 0, NULL, 0, 0, 1 FROM sqlite_sequence
    WHERE name = 'account' AND seq > ? AND seq > (SELECT coalesce(max(id), 0) FROM account)
    """

  private func sql(hasBound: Bool) -> String {
    let key = keyColumns.joined(separator: ", ")
    let bound = "(\(key)) > (\(keyColumns.map { _ in "?" }.joined(separator: ", ")))"
    let conditions = [condition, hasBound ? bound : nil].compactMap(\.self)
    let filter = conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))"
    return "SELECT \(columns) FROM \(origin) \(filter) ORDER BY \(key) LIMIT ?"
  }

  /// SQLite's columns with the table's key.
  private var keyColumns: [String] {
    table == .postKey ? ["account", "idempotency_key"] : table.key.map(\.name)
  }

  /// Expressions for the table's columns.
  private var columns: String {
    switch table {
    case .post:
      // Publication overwrites the coordinates of the client.
      """
      id, account, place, link, link_text, CASE WHEN state <> 1 THEN lat_e7 END, CASE WHEN state <> 1 THEN lon_e7 END,
      created_ms, traceparent
      """
    case .postKey: "account, idempotency_key, request_hash, id"
    case .outcome:
      """
      id, state, CASE WHEN state = 1 THEN lat_e7 END, CASE WHEN state = 1 THEN lon_e7 END, label, country, agreement,
      place_match, reason_code, reason, seq, updated_ms
      """
    case .attempt: "id, attempts, lease_losses, due_ms, CASE WHEN \(CopyQuery.isRequeued) THEN updated_ms END"
    default: table.columns.map(\.name).joined(separator: ", ")
    }
  }

  /// SQLite's table.
  private var origin: String {
    switch table {
    case .post, .postKey, .outcome, .attempt: "post"
    default: table.rawValue
    }
  }

  /// Condition for the rows. Nil for all.
  private var condition: String? {
    switch table {
    case .postKey: "idempotency_key IS NOT NULL"
    case .outcome: "state <> 0"
    case .attempt: "(attempts <> 0 OR lease_losses <> 0 OR due_ms <> 0 OR \(CopyQuery.isRequeued))"
    default: nil
    }
  }

  /// Condition for a queued post that an operator has queued again.
  private static let isRequeued = "(state = 0 AND updated_ms <> created_ms)"
}

extension BoundValue {
  fileprivate init(_ value: CopyValue) {
    self =
      switch value {
      case .null: .null
      case .integer(let value): .integer(value)
      case .text(let value): .text(value)
      case .bytes(let value): .blob(value)
      }
  }
}

extension CopyValue {
  /// Reads a column of the current row. U+FFFD replaces the character U+0000, which PostgreSQL cannot store.
  fileprivate init(_ row: ResultRow, _ index: Int32, _ kind: CopyTable.Column.Kind) {
    guard !row.isNull(index) else {
      self = .null
      return
    }
    switch kind {
    case .integer, .boolean: self = .integer(row.integer(index))
    case .text:
      let bytes = row.bytes(index)
      let text = String(decoding: bytes, as: UTF8.self)
      self = .text(bytes.contains(0) ? text.replacing("\0", with: "\u{FFFD}") : text)
    case .bytes: self = .bytes(row.bytes(index))
    }
  }
}
