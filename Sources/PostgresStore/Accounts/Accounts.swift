package import Domain
package import Store

extension PostgresDatabase: AccountStore {
  package func addAccount(
    _ registration: Registration, passwordHash: String, unixMs: Int64
  ) async throws -> Account {
    let account = try await write { connection, writer in
      try Account.insert(
        email: registration.email, password: passwordHash, firstName: registration.firstName,
        lastName: registration.lastName, isEmailConfirmed: registration.isEmailConfirmed, unixMs: unixMs, writer,
        connection)
    }
    guard let account else { throw EmailTaken() }
    return account
  }

  package func account(_ id: AccountID) async throws -> Account? {
    try await quickReads.run { try Account.find(id, $0) }
  }

  package func accountID(email: String) async throws -> AccountID? {
    try await quickReads.run { try Account.id(email: email, $0) }
  }

  package func accountOnMap(_ id: AccountID) async throws -> Account? {
    try await quickReads.run { connection in
      let isOnMap = try connection.query(AccountStatements.isOnMap, .int8(id.rawValue)).first?.bool(0)
      return isOnMap == true ? try Account.find(id, connection) : nil
    }
  }

  package func credentials(email: String) async throws -> (account: Account, passwordHash: String)? {
    try await quickReads.run { connection in
      try connection.query(AccountStatements.credentials, .text(email)).first.map {
        (Account($0), $0.text(Account.columnCount))
      }
    }
  }

  package func setPassword(
    of account: AccountID, _ hash: String, from before: String?, ending: RevokedAccess
  ) async throws -> Bool {
    try await write { connection, _ in
      let rows = try connection.query(
        AccountStatements.setPassword, .int8(account.rawValue), .text(hash), .text(before))
      guard rows.count == 1 else { return false }
      if ending == .none { return true }
      _ = try connection.query(AccountStatements.endSessions, .int8(account.rawValue))
      try MailToken.remove(.recovery, of: account, connection)
      if ending == .sessionsAndIdentities {
        _ = try connection.query(AccountStatements.removeIdentities, .int8(account.rawValue))
      }
      return true
    } reporting: {
      $0 ? .account(account) : nil
    }
  }

  package func users(email: String?, after: AccountID?, limit: Int, unixMs: Int64) async throws -> [User] {
    try await operatorReads.run { connection in
      try connection.query(
        AccountStatements.users, .int8(after?.rawValue ?? 0), .text(email), .int8(unixMs), .int8(Int64(limit))
      ).map { row in
        let next = Account.columnCount
        return User(
          account: Account(row), disabledMs: row.integer(next), sessions: Int(row.int(next + 1)),
          posts: Int(row.int(next + 2)))
      }
    }
  }

  package func set(_ account: AccountID, _ change: AccountChange) async throws {
    try await write { connection, _ in
      switch change {
      case .disabled(let sinceMs):
        _ = try connection.query(AccountStatements.disable, .int8(account.rawValue), .int8(sinceMs))
        _ = try connection.query(AccountStatements.endSessions, .int8(account.rawValue))
      case .enabled: _ = try connection.query(AccountStatements.enable, .int8(account.rawValue))
      case .isOperator(let isOperator):
        _ = try connection.query(AccountStatements.setOperator, .int8(account.rawValue), .bool(isOperator))
      }
    } reporting: {
      .account(account)
    }
  }

  package func close(_ account: AccountID, unixMs: Int64) async throws -> Bool {
    try await write { connection, writer in
      // Acceptances of this account now read the account again, also if this write is rolled back.
      writer.accounts[account] = nil
      let rows = try connection.query(AccountStatements.close, .int8(account.rawValue), .int8(unixMs))
      guard rows.count == 1 else { return false }
      _ = try connection.query(AccountStatements.endSessions, .int8(account.rawValue))
      _ = try connection.query(AccountStatements.removeIdentities, .int8(account.rawValue))
      try MailToken.removeAll(of: account, connection)
      return true
    } reporting: {
      $0 ? .account(account) : nil
    }
  }
}

private enum AccountStatements {
  static let isOnMap = Statement(
    "account_on_map",
    """
    SELECT EXISTS (SELECT FROM post JOIN outcome ON outcome.id = post.id WHERE account = $1::int8 AND seq IS NOT NULL)
    """)

  static let credentials = Statement(
    "credentials", "SELECT \(Account.columns), password FROM account WHERE email = $1::text AND disabled_ms IS NULL")

  static let setPassword = Statement(
    "set_password",
    """
    UPDATE account SET password = $2::text
    WHERE id = $1::int8 AND password = coalesce($3::text, password) AND closed_ms IS NULL RETURNING id
    """)

  static let endSessions = Statement("end_sessions", "DELETE FROM session WHERE account = $1::int8")
  static let removeIdentities = Statement("remove_identities", "DELETE FROM identity WHERE account = $1::int8")

  static let users = Statement(
    "users",
    """
    SELECT \(Account.columns), disabled_ms,
      (SELECT count(*) FROM session WHERE session.account = account.id AND expires_ms > $3::int8),
      (SELECT count(*) FROM post LEFT JOIN outcome ON outcome.id = post.id
        WHERE post.account = account.id AND state IS DISTINCT FROM 4)
    FROM account
    WHERE id > $1::int8 AND ($2::text IS NULL OR email = $2::text) AND closed_ms IS NULL
    ORDER BY id LIMIT $4::int8
    """)

  static let disable = Statement(
    "disable", "UPDATE account SET disabled_ms = coalesce(disabled_ms, $2::int8) WHERE id = $1::int8")
  static let enable = Statement("enable", "UPDATE account SET disabled_ms = NULL WHERE id = $1::int8")
  static let setOperator = Statement(
    "set_operator", "UPDATE account SET is_operator = $2::boolean WHERE id = $1::int8")

  static let close = Statement(
    "close_account",
    """
    UPDATE account SET email = 'deleted:' || id, password = '', closed_ms = $2::int8
    WHERE id = $1::int8 AND closed_ms IS NULL RETURNING id
    """)
}
