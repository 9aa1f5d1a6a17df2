package import Domain
package import Store

extension PostgresDatabase: LoginStore {
  /// Stores a session, and removes a few expired sessions: sessions of the account, and the next sessions in the order
  /// of the token hashes. Hashes are random, so calls check every session in time, and few expired sessions remain.
  package func addSession(
    tokenHash: [UInt8], account: AccountID, passwordHash: String?, source: LoginSource, unixMs: Int64, expiresMs: Int64
  ) async throws -> Bool {
    try await write { connection, _ in
      _ = try connection.query(
        SessionStatements.sweep, .bytes(tokenHash), .int8(account.rawValue), .int8(unixMs),
        .int8(Int64(Limits.sessionsSweptPerBatch)))
      return try connection.query(
        SessionStatements.add, .bytes(tokenHash), .int8(account.rawValue), .int8(unixMs), .int8(expiresMs),
        .text(source.address?.description ?? ""), .text(source.agent), .text(passwordHash)
      ).count == 1
    }
  }

  package func session(tokenHash: [UInt8]) async throws -> Session? {
    try await quickReads.run { try $0.query(SessionStatements.one, .bytes(tokenHash)).first.map(Session.init) }
  }

  package func sessions(of account: AccountID, unixMs: Int64) async throws -> [Session] {
    try await quickReads.run {
      try $0.query(
        SessionStatements.ofAccount, .int8(account.rawValue), .int8(unixMs), .int8(Int64(Limits.sessionsShownMax))
      ).map(Session.init)
    }
  }

  package func endSessions(_ selection: SessionSelection) async throws -> Bool {
    try await write { connection, _ in
      switch selection {
      case .token(let hash): try connection.query(SessionStatements.endOne, .bytes(hash)).changedCount > 0
      case .one(let id, let account):
        try connection.query(SessionStatements.endByID, .int8(account.rawValue), .text(id.description))
          .changedCount > 0
      case .all(let account, let tokenHash):
        try connection.query(SessionStatements.endAll, .int8(account.rawValue), .bytes(tokenHash)).changedCount > 0
      }
    } reporting: { _ in
      switch selection {
      case .token(let hash): .session(tokenHash: hash)
      case .one(_, let account), .all(let account, _): .account(account)
      }
    }
  }

  package func addresses(email: String, unixMs: Int64) async throws -> [IPAddress] {
    try await quickReads.run {
      try $0.query(
        SessionStatements.addresses, .text(email), .int8(unixMs), .int8(Int64(Limits.sessionsShownMax))
      ).compactMap { IPAddress($0.text(0)) }
    }
  }
}

extension Session {
  fileprivate static let columns = "\(Account.columns), token_hash, session.created_ms, expires_ms, address, agent"

  fileprivate init(_ row: Row) {
    let next = Account.columnCount
    self.init(
      id: SessionID(tokenHash: row.blob(next) ?? []), account: Account(row), createdMs: row.int(next + 1),
      expiresMs: row.int(next + 2),
      source: LoginSource(address: IPAddress(row.text(next + 3)), agent: row.text(next + 4)))
  }
}

private enum SessionStatements {
  static let sweep = Statement(
    "sweep_sessions",
    """
    DELETE FROM session WHERE expires_ms <= $3::int8 AND token_hash = ANY (ARRAY(
      SELECT * FROM (SELECT token_hash FROM session WHERE account = $2::int8 LIMIT $4::int8) AS own
      UNION ALL
      SELECT * FROM (
        SELECT token_hash FROM session WHERE token_hash > $1::bytea ORDER BY token_hash LIMIT $4::int8) AS next))
    """)

  static let add = Statement(
    "add_session",
    """
    INSERT INTO session (token_hash, account, created_ms, expires_ms, address, agent)
    SELECT $1::bytea, id, $3::int8, $4::int8, $5::text, $6::text FROM account
    WHERE id = $2::int8 AND disabled_ms IS NULL AND closed_ms IS NULL AND password = coalesce($7::text, password)
    RETURNING account
    """)

  private static let select = "SELECT \(Session.columns) FROM session JOIN account ON account.id = session.account"

  static let one = Statement("session", "\(select) WHERE token_hash = $1::bytea")
  static let ofAccount = Statement(
    "sessions",
    """
    \(select) WHERE session.account = $1::int8 AND expires_ms > $2::int8
    ORDER BY session.created_ms DESC, token_hash LIMIT $3::int8
    """)

  static let endOne = Statement("end_session", "DELETE FROM session WHERE token_hash = $1::bytea")
  static let endByID = Statement(
    "end_session_by_id",
    """
    DELETE FROM session WHERE account = $1::int8 AND encode(substring(token_hash FROM 1 FOR 16), 'hex') = $2::text
    """)
  static let endAll = Statement(
    "end_all_sessions",
    "DELETE FROM session WHERE account = $1::int8 AND token_hash IS DISTINCT FROM $2::bytea")

  static let addresses = Statement(
    "login_addresses",
    """
    SELECT address FROM session JOIN account ON account.id = session.account
    WHERE email = $1::text AND expires_ms > $2::int8 ORDER BY session.created_ms DESC LIMIT $3::int8
    """)
}
