package import Domain
import GRDB
package import Store

extension SQLiteDatabase {
  /// Returns a page of the published posts. Pages of the list, and of an account with few posts, are quick reads. All
  /// other pages are scans.
  package func listed(_ query: ListQuery, for client: ScanClient) async throws -> [ListedPost] {
    if query.isAmongLatest { return try await pool.read { try SQLiteDatabase.listed(query, in: $0) } }
    if let account = query.condition.account {
      let quick = try await pool.read { db in
        try account.hasFewPosts(db) ? try SQLiteDatabase.listed(query, in: db) : nil
      }
      if let quick { return quick }
    }
    return try await scans.run(for: client) { try SQLiteDatabase.listed(query, in: $0) }
  }

  static func listed(_ query: ListQuery, in db: Database) throws -> [ListedPost] {
    var arguments: [DatabaseValue] = []
    var source = "post"
    var condition = "seq IS NOT NULL"
    if let account = query.condition.account {
      source = "(SELECT * FROM post WHERE account = ? AND seq IS NOT NULL ORDER BY id DESC LIMIT ?)"
      arguments += [account.rawValue.databaseValue, Limits.whereScanMax.databaseValue]
    } else if query.condition != .always || query.order != .updatedAt {
      source = "(SELECT * FROM post WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT ?)"
      arguments.append(Limits.whereScanMax.databaseValue)
    }
    if query.condition != .always { condition += " AND \(query.condition.sql(&arguments))" }
    let column = query.order == .updatedAt ? "post.seq" : "post.id"
    arguments += [query.limit.databaseValue, query.skip.databaseValue]
    let sql = """
      SELECT post.*, first_name, last_name FROM \(source) AS post JOIN account ON account.id = post.account
      WHERE \(condition) ORDER BY \(column) \(query.isDescending ? "DESC" : "ASC") LIMIT ? OFFSET ?
      """
    // Conditions have any form, so only the statement without one is worth caching.
    let statement = query.condition == .always ? try db.cachedStatement(sql: sql) : try db.makeStatement(sql: sql)
    return try Row.fetchAll(statement, arguments: StatementArguments(arguments)).compactMap { row in
      FeedEntry(row).map { ListedPost(entry: $0, linkText: row["link_text"]) }
    }
  }
}

extension AccountID {
  /// Returns true if the account's posts, including deleted ones, are few enough for a quick read.
  func hasFewPosts(_ db: Database) throws -> Bool {
    let count = try Int.fetchOne(
      db.cachedStatement(sql: "SELECT count(*) FROM (SELECT 1 FROM post WHERE account = ? LIMIT ?)"),
      arguments: [rawValue, Limits.quickReadRowsMax + 1])
    return (count ?? 0) <= Limits.quickReadRowsMax
  }
}

extension ListCondition {
  /// Returns the condition with a question mark for each value, and appends the values to the arguments.
  fileprivate func sql(_ arguments: inout [DatabaseValue]) -> String {
    switch self {
    case .compare(let field, let comparison, let value):
      arguments.append(value.argument)
      return "\(field.column) \(comparison.sql) ?"
    case .among(let field, let values):
      arguments += values.map(\.argument)
      return "\(field.column) IN (\(Array(repeating: "?", count: values.count).joined(separator: ", ")))"
    case .not(let condition): return "NOT (\(condition.sql(&arguments)))"
    case .all(let conditions):
      return conditions.isEmpty ? "1" : "(\(conditions.map { $0.sql(&arguments) }.joined(separator: " AND ")))"
    case .any(let conditions):
      return conditions.isEmpty ? "0" : "(\(conditions.map { $0.sql(&arguments) }.joined(separator: " OR ")))"
    }
  }
}

extension ListCondition.Field {
  fileprivate var column: String {
    switch self {
    case .objectId: "post.id"
    case .uniqueKey: "post.account"
    case .firstName: "first_name"
    case .lastName: "last_name"
    case .mapString: "post.place"
    case .mediaURL: "coalesce(post.link_text, post.link)"
    case .latitude: "(post.lat_e7 / 1e7)"
    case .longitude: "(post.lon_e7 / 1e7)"
    case .createdAt: "post.created_ms"
    case .updatedAt: "post.updated_ms"
    }
  }
}

extension ListCondition.Comparison {
  fileprivate var sql: String {
    switch self {
    case .equal: "="
    case .notEqual: "<>"
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }
}

extension ListCondition.Value {
  fileprivate var argument: DatabaseValue {
    switch self {
    case .text(let text): text.databaseValue
    case .number(let number): number.databaseValue
    case .integer(let integer): integer.databaseValue
    }
  }
}
