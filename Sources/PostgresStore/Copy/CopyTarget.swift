import Domain
import Store

/// The database that receives a copy. One thread at a time.
///
/// The table `unfinished_copy` exists from the first transaction of a copy to its last one. Meanwhile the meta row is
/// missing, so ingest cannot start. Each batch is one transaction in the order of the keys. The highest key of a table
/// is therefore the progress of the copy.
struct CopyTarget {
  let address: PostgresAddress
  let connection: PostgresConnection

  /// Connects, and creates or migrates the tables.
  init(_ address: PostgresAddress) throws {
    self.address = address
    connection = try PostgresConnector(address: address, role: .writer).connect()
    try Schema.migrate(connection, newEpoch: .random())
  }

  private static let isUnfinished = Statement(once: "SELECT to_regclass('unfinished_copy') IS NOT NULL")

  /// Refuses a database with an unfinished copy. Call this within a transaction.
  static func refuseUnfinished(_ connection: PostgresConnection) throws {
    guard try connection.query(isUnfinished).first?.bool(0) == true else { return }
    throw StoreError.unusable(
      path: connection.server,
      reason: "its database contains an unfinished copy of a data folder. Run onthemap db copy again")
  }

  /// Begins a copy, or continues an unfinished one.
  ///
  /// - Returns: false if the database has a finished copy, and ingest has not used it yet. Nothing has changed then.
  /// - Throws: `CopyError` if the database has other data.
  func begin(_ numbers: CopySource.Numbers) throws -> Bool {
    try transaction { connection in
      // The lock keeps ingest from beginning a term.
      let term = try connection.query(Statement(once: "SELECT term FROM leader WHERE one = 1 FOR UPDATE")).first?.int(0)
      guard try connection.query(CopyTarget.isUnfinished).first?.bool(0) == true else {
        return try beginNew(numbers, term: term ?? 0)
      }
      let copy = try connection.query(Statement(once: "SELECT epoch, generation FROM unfinished_copy")).first
      guard let copy, copy.blob(0) == numbers.epoch.bytes else { throw CopyError.anotherCopy(address: "\(address)") }
      // Ingest has used the folder since, so the copied rows may be out of date.
      if copy.int(1) != Int64(numbers.generation) {
        let tables = CopyTable.allCases.map(\.rawValue).joined(separator: ", ")
        _ = try connection.query(Statement(once: "TRUNCATE \(tables)"))
        _ = try connection.query(
          Statement(once: "UPDATE unfinished_copy SET generation = $1::int8"), .int8(Int64(numbers.generation)))
      }
      return true
    }
  }

  private func beginNew(_ numbers: CopySource.Numbers, term: Int64) throws -> Bool {
    let state = try connection.query(
      Statement(
        once: """
          SELECT EXISTS (SELECT FROM account) OR EXISTS (SELECT FROM post), (SELECT epoch FROM meta)
          """)
    ).first
    guard term == 0, state?.bool(0) == false else {
      guard term == Int64(numbers.generation), state?.blob(1) == numbers.epoch.bytes else {
        throw CopyError.notEmpty(address: "\(address)")
      }
      return false
    }
    _ = try connection.query(
      Statement(once: "CREATE TABLE unfinished_copy (epoch bytea NOT NULL, generation bigint NOT NULL)"))
    _ = try connection.query(
      Statement(once: "INSERT INTO unfinished_copy (epoch, generation) VALUES ($1::bytea, $2::int8)"),
      .bytes(numbers.epoch.bytes), .int8(Int64(numbers.generation)))
    _ = try connection.query(Statement(once: "DELETE FROM meta"))
    return true
  }

  /// Completes the copy: ingest can start afterwards. Its generation is higher than all earlier ones. Durable on
  /// return.
  func finish(_ numbers: CopySource.Numbers) throws {
    try transaction { connection in
      // Plans for searches need statistics. Otherwise the first searches wait for the server's own analysis.
      let tables = CopyTable.allCases.map(\.rawValue).joined(separator: ", ")
      _ = try connection.query(Statement(once: "ANALYZE \(tables)"))
      _ = try connection.query(Statement(once: "DROP TABLE unfinished_copy"))
      _ = try connection.query(
        Statement(once: "UPDATE leader SET term = $1::int8 WHERE one = 1"), .int8(Int64(numbers.generation)))
      _ = try connection.query(
        Statement(
          once: """
            INSERT INTO meta (one, epoch, deleted_seq, queued_from) VALUES (1, $1::bytea, $2::int8, $3::int8)
            """), .bytes(numbers.epoch.bytes), .int8(numbers.deletedSeq), .int8(numbers.queuedFrom))
    }
  }

  /// Returns the highest key of a table. Nil for an empty table.
  func lastKey(_ table: CopyTable) throws -> [CopyValue]? {
    try batch { try rows($0.query(CopyStatements(table: table).last), table).first.map { table.key(of: $0) } }
  }

  /// Stores rows. Durable on return.
  func insert(_ rows: [[CopyValue]], into table: CopyTable) throws {
    let parameters = table.columns.enumerated().map { index, column in column.parameter(rows, at: index) }
    try batch { connection in
      try connection.send(CopyStatements(table: table).insert, parameters)
      _ = try connection.receive()
    }
  }

  /// Returns rows, like `CopySource.Rows`.
  func rows(_ table: CopyTable, after key: [CopyValue]?, limit: Int) throws -> [[CopyValue]] {
    let statements = CopyStatements(table: table)
    let bounds = zip(table.key, key ?? []).map { column, value in column.parameter(value) }
    return try batch { connection in
      try connection.send(key == nil ? statements.firstPage : statements.page, bounds + [.int8(Int64(limit))])
      return rows(try connection.receive(), table)
    }
  }

  private func rows(_ rows: Rows, _ table: CopyTable) -> [[CopyValue]] {
    let columns = table.columns
    return rows.map { row in columns.enumerated().map { index, column in column.value(row, at: index) } }
  }

  private func batch<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value {
    try connection.transaction(within: .milliseconds(Limits.copyBatchMs), body)
  }

  /// Runs statements that each see what earlier transactions have committed, at every isolation level of the database.
  private func transaction<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value {
    try connection.block(
      "BEGIN ISOLATION LEVEL READ COMMITTED", within: .milliseconds(Limits.postgresMigrationMs), body)
  }
}
