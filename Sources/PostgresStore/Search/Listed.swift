package import Domain
package import Store

extension PostgresDatabase {
  /// Returns a page of the published posts. Pages of the list, and of an account with few posts, are quick reads. All
  /// other pages are scans.
  package func listed(_ query: ListQuery, for client: ScanClient) async throws -> [ListedPost] {
    if query.isAmongLatest { return try await quickReads.run { try PostgresDatabase.listed(query, $0) } }
    if let account = query.condition.account {
      let quick = try await quickReads.run { connection in
        try account.hasFewPosts(connection) ? try PostgresDatabase.listed(query, connection) : nil
      }
      if let quick { return quick }
    }
    return try await scan(for: client) { connection, limit in
      // One statement reads everything, so only its cancellation ends the read of a client that has disconnected.
      try connection.cancellable(while: { !limit.mustEnd(at: .now) }) { try PostgresDatabase.listed(query, connection) }
    }
  }

  private static func listed(_ query: ListQuery, _ connection: PostgresConnection) throws -> [ListedPost] {
    var parameters: [Parameter] = []
    // The latest posts that a condition covers. The planner cannot move a condition into a subquery with a limit.
    var source = "outcome"
    if let account = query.condition.account {
      source = """
        (SELECT o.* FROM post AS own JOIN outcome AS o ON o.id = own.id
          WHERE own.account = \(parameters.add(.int8(account.rawValue))) AND o.seq IS NOT NULL
          ORDER BY own.id DESC LIMIT \(Limits.whereScanMax)) AS outcome
        """
    } else if query.condition != .always || query.order != .updatedAt {
      source = """
        (SELECT * FROM outcome WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT \(Limits.whereScanMax)) AS outcome
        """
    }
    let condition = query.condition == .always ? "" : "AND \(query.condition.sql(&parameters))"
    let column = query.order == .updatedAt ? "seq" : "post.id"
    let sql = """
      SELECT \(FeedEntry.columns) FROM \(source) \(FeedEntry.joins) WHERE seq IS NOT NULL \(condition)
      ORDER BY \(column) \(query.isDescending ? "DESC" : "ASC")
      LIMIT \(parameters.add(.int8(Int64(query.limit)))) OFFSET \(parameters.add(.int8(Int64(query.skip))))
      """
    // Conditions have any form, so the statement is not prepared.
    try connection.send(Statement(once: sql), parameters)
    return try connection.receive().compactMap { row in
      FeedEntry(row).map { ListedPost(entry: $0, linkText: row.optionalText(14)) }
    }
  }
}

extension [Parameter] {
  /// Appends a parameter, and returns its place in the statement, with its type.
  fileprivate mutating func add(_ parameter: Parameter) -> String {
    append(parameter)
    let type =
      switch parameter {
      case .text: "text"
      case .float8: "float8"
      default: "int8"
      }
    return "$\(count)::\(type)"
  }
}

extension ListCondition {
  /// Returns the condition with a placeholder for each value, and appends the values to the parameters.
  fileprivate func sql(_ parameters: inout [Parameter]) -> String {
    switch self {
    case .compare(let field, let comparison, let value):
      return "\(field.column) \(comparison.sql) \(parameters.add(value.parameter))"
    case .among(let field, let values):
      guard !values.isEmpty else { return "false" }
      let places = values.map { parameters.add($0.parameter) }
      return "\(field.column) IN (\(places.joined(separator: ", ")))"
    case .not(let condition): return "NOT (\(condition.sql(&parameters)))"
    case .all(let conditions):
      guard !conditions.isEmpty else { return "true" }
      return "(\(conditions.map { $0.sql(&parameters) }.joined(separator: " AND ")))"
    case .any(let conditions):
      guard !conditions.isEmpty else { return "false" }
      return "(\(conditions.map { $0.sql(&parameters) }.joined(separator: " OR ")))"
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
    case .mapString: "place"
    case .mediaURL: "coalesce(link_text, link)"
    case .latitude: "(outcome.lat_e7 / 1e7::float8)"
    case .longitude: "(outcome.lon_e7 / 1e7::float8)"
    case .createdAt: "post.created_ms"
    case .updatedAt: "updated_ms"
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
  fileprivate var parameter: Parameter {
    switch self {
    case .text(let text): .text(text)
    case .number(let number): .float8(number)
    case .integer(let integer): .int8(integer)
    }
  }
}
