import Domain

extension Account {
  /// Columns of an account, in the order of `init`.
  static let columns = """
    account.id, email, first_name, last_name, account.created_ms, password <> '', is_operator,
    email_confirmed
    """

  /// Number of `columns`, and therefore the index of the first column behind them.
  static let columnCount: Int32 = 8

  /// Decodes the first columns of a row.
  init(_ row: Row) {
    self.init(
      id: AccountID(rawValue: row.int(0)), email: row.text(1), firstName: row.text(2), lastName: row.text(3),
      createdMs: row.int(4), hasPassword: row.bool(5), isOperator: row.bool(6), isEmailConfirmed: row.bool(7))
  }

  private static let byID = Statement(
    "account", "SELECT \(columns) FROM account WHERE id = $1::int8 AND closed_ms IS NULL")

  private static let byIdentity = Statement(
    "account_of_identity",
    """
    SELECT \(columns) FROM identity JOIN account ON account.id = identity.account
    WHERE issuer = $1::text AND subject = $2::text AND closed_ms IS NULL
    """)

  private static let emailID = Statement(
    "account_of_email", "SELECT id FROM account WHERE email = $1::text")

  private static let add = Statement(
    "add_account",
    """
    INSERT INTO account (id, email, password, first_name, last_name, created_ms, email_confirmed)
    VALUES ($1::int8, $2::text, $3::text, $4::text, $5::text, $6::int8, $7::boolean)
    """)

  /// Returns an account by its id. Nil for a closed or unknown account. Call this within a transaction.
  static func find(_ id: AccountID, _ connection: PostgresConnection) throws -> Account? {
    try connection.query(byID, .int8(id.rawValue)).first.map(Account.init)
  }

  /// Returns the account of an identity, or nil. Call this within a transaction.
  static func find(of identity: ProvidedIdentity, _ connection: PostgresConnection) throws -> Account? {
    try connection.query(byIdentity, .text(identity.issuer), .text(identity.subject)).first.map(Account.init)
  }

  /// Returns the id of the account with an email address. Nil if no account has it. Call this within a transaction.
  static func id(email: String, _ connection: PostgresConnection) throws -> AccountID? {
    try connection.query(emailID, .text(email)).first.map { AccountID(rawValue: $0.int(0)) }
  }

  /// Adds an account. Nil if another account has the email address. The next account id then stays free. Call this
  /// within a transaction.
  ///
  /// - Parameter password: Hash of the password, or empty for none.
  static func insert(
    email: String, password: String, firstName: String, lastName: String, isEmailConfirmed: Bool, unixMs: Int64,
    _ writer: Writer, _ connection: PostgresConnection
  ) throws -> Account? {
    guard try id(email: email, connection) == nil else { return nil }
    let id = writer.numbers.nextAccount()
    _ = try connection.query(
      add, .int8(id), .text(email), .text(password), .text(firstName), .text(lastName), .int8(unixMs),
      .bool(isEmailConfirmed))
    return Account(
      id: AccountID(rawValue: id), email: email, firstName: firstName, lastName: lastName, createdMs: unixMs,
      hasPassword: !password.isEmpty, isEmailConfirmed: isEmailConfirmed)
  }
}
