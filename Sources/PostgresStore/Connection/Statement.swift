/// An SQL statement, which each connection prepares at its first use.
struct Statement: Sendable {
  /// Unique name of the prepared statement. Empty for a statement that is used once and not prepared.
  let name: String
  let sql: String

  init(_ name: String, _ sql: String) { (self.name, self.sql) = (name, sql) }

  /// Creates a statement that is not prepared.
  init(once sql: String) { self.init("", sql) }
}
