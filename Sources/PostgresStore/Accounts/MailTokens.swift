package import Domain
import Store

extension PostgresDatabase: MailTokenStore {
  package func addMailToken(_ token: MailToken, email: String, unixMs: Int64) async throws -> Account? {
    try await write { connection, _ -> Account? in
      _ = try connection.query(
        MailTokenStatements.sweep, .int8(unixMs), .int8(Int64(Limits.mailTokensSweptPerBatch)))
      let account = try connection.query(MailTokenStatements.account, .text(email)).first.map(Account.init)
      guard let account, token.purpose != .confirmation || !account.isEmailConfirmed else { return nil }
      _ = try connection.query(
        MailTokenStatements.removeOldest, .int8(account.id.rawValue), .int8(token.purpose.rawValue),
        .int8(Int64(Limits.mailTokensOfAccountMax - 1)))
      _ = try connection.query(
        MailTokenStatements.add, .bytes(token.hash), .int8(account.id.rawValue), .int8(token.purpose.rawValue),
        .int8(token.expiresMs))
      return account
    }
  }

  package func account(
    ofMailToken hash: [UInt8], _ purpose: MailToken.Purpose, unixMs: Int64
  ) async throws -> Account? {
    try await quickReads.run { try Account.find(ofMailToken: hash, purpose, unixMs, $0) }
  }

  package func recover(mailToken hash: [UInt8], passwordHash: String, unixMs: Int64) async throws -> Account? {
    try await write { connection, _ -> Account? in
      guard let account = try Account.find(ofMailToken: hash, .recovery, unixMs, connection) else { return nil }
      _ = try connection.query(MailTokenStatements.recover, .int8(account.id.rawValue), .text(passwordHash))
      _ = try connection.query(MailTokenStatements.endSessions, .int8(account.id.rawValue))
      if !account.isEmailConfirmed {
        _ = try connection.query(MailTokenStatements.unlink, .int8(account.id.rawValue))
      }
      try MailToken.removeAll(of: account.id, connection)
      return try Account.find(account.id, connection)
    } reporting: { account in
      account.map { .account($0.id) }
    }
  }

  package func confirmEmail(mailToken hash: [UInt8], unixMs: Int64) async throws -> Account? {
    try await write { connection, _ -> Account? in
      guard let account = try Account.find(ofMailToken: hash, .confirmation, unixMs, connection) else { return nil }
      _ = try connection.query(MailTokenStatements.confirm, .int8(account.id.rawValue))
      try MailToken.remove(.confirmation, of: account.id, connection)
      return try Account.find(account.id, connection)
    } reporting: { account in
      account.map { .account($0.id) }
    }
  }
}

extension MailToken {
  /// Removes an account's tokens for one purpose. Call this within a transaction.
  static func remove(_ purpose: Purpose, of account: AccountID, _ connection: PostgresConnection) throws {
    _ = try connection.query(MailTokenStatements.remove, .int8(account.rawValue), .int8(purpose.rawValue))
  }

  /// Removes all of an account's tokens. Call this within a transaction.
  static func removeAll(of account: AccountID, _ connection: PostgresConnection) throws {
    _ = try connection.query(MailTokenStatements.removeAll, .int8(account.rawValue))
  }
}

extension Account {
  /// Returns the account of a valid token if the account may log in. Nil otherwise. Call this within a transaction.
  fileprivate static func find(
    ofMailToken hash: [UInt8], _ purpose: MailToken.Purpose, _ unixMs: Int64, _ connection: PostgresConnection
  ) throws -> Account? {
    try connection.query(MailTokenStatements.accountOfToken, .bytes(hash), .int8(purpose.rawValue), .int8(unixMs))
      .first.map(Account.init)
  }
}

private enum MailTokenStatements {
  static let sweep = Statement(
    "sweep_mail_tokens",
    """
    DELETE FROM mail_token WHERE token_hash = ANY (ARRAY(
      SELECT token_hash FROM mail_token WHERE expires_ms <= $1::int8 ORDER BY expires_ms LIMIT $2::int8))
    """)

  static let account = Statement(
    "account_for_mail",
    """
    SELECT \(Account.columns) FROM account
    WHERE email = $1::text AND disabled_ms IS NULL AND closed_ms IS NULL
    """)

  static let removeOldest = Statement(
    "remove_oldest_mail_tokens",
    """
    DELETE FROM mail_token WHERE token_hash = ANY (ARRAY(
      SELECT token_hash FROM mail_token WHERE account = $1::int8 AND purpose = $2::int8
      ORDER BY expires_ms DESC OFFSET $3::int8))
    """)

  static let add = Statement(
    "add_mail_token",
    """
    INSERT INTO mail_token (token_hash, account, purpose, expires_ms)
    VALUES ($1::bytea, $2::int8, $3::int8, $4::int8)
    """)

  static let accountOfToken = Statement(
    "account_of_mail_token",
    """
    SELECT \(Account.columns) FROM mail_token JOIN account ON account.id = mail_token.account
    WHERE token_hash = $1::bytea AND purpose = $2::int8 AND expires_ms > $3::int8 AND disabled_ms IS NULL
      AND closed_ms IS NULL
    """)

  static let recover = Statement(
    "recover_account",
    "UPDATE account SET password = $2::text, email_confirmed = true WHERE id = $1::int8")
  static let confirm = Statement("confirm_email", "UPDATE account SET email_confirmed = true WHERE id = $1::int8")
  static let endSessions = Statement("end_recovered_sessions", "DELETE FROM session WHERE account = $1::int8")
  static let unlink = Statement("unlink_recovered_account", "DELETE FROM identity WHERE account = $1::int8")
  static let remove = Statement(
    "remove_mail_tokens", "DELETE FROM mail_token WHERE account = $1::int8 AND purpose = $2::int8")
  static let removeAll = Statement("remove_all_mail_tokens", "DELETE FROM mail_token WHERE account = $1::int8")
}
