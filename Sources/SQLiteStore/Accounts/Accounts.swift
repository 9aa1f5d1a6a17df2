package import Domain
import Foundation
import GRDB

/// Accounts and their sessions: one method a transaction.
extension IngestDatabase {
  /// There is an account with this e-mail address. Final.
  package struct EmailTaken: Error {}

  /// Makes an account. On disk on return.
  ///
  /// - Parameter passwordHash: argon2id, in its string form.
  package func addAccount(
    _ registration: Registration, passwordHash: String, unixMs: Int64
  ) async throws -> Account {
    let account = try await writer.write { [numbers] db in
      try Account.insert(
        email: registration.email, password: passwordHash, firstName: registration.firstName,
        lastName: registration.lastName, unixMs: unixMs, numbers, db)
    }
    guard let account else { throw EmailTaken() }
    return account
  }

  /// Returns true if an account has the e-mail address, also one that may not log in.
  package func hasAccount(email: String) async throws -> Bool {
    try await pool.read { db in
      try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM account WHERE email = ?)", arguments: [email]) ?? false
    }
  }

  /// An account by its number; nil when there is none, or none any more.
  package func account(_ id: AccountID) async throws -> Account? {
    try await pool.read { db in try Account.one(id, db) }
  }

  /// Returns the number of the account with an e-mail address, disabled or not; nil without one.
  package func accountID(email: String) async throws -> AccountID? {
    try await pool.read { db in
      try Int64.fetchOne(
        db, sql: "SELECT id FROM account WHERE email = ? AND closed_ms IS NULL", arguments: [email]
      ).map { AccountID(rawValue: $0) }
    }
  }

  /// Returns an account by its number if it has a published post, nil otherwise.
  package func accountOnMap(_ id: AccountID) async throws -> Account? {
    try await pool.read { db in
      let isOnMap = try Bool.fetchOne(
        db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM post WHERE account = ? AND seq IS NOT NULL)"),
        arguments: [id.rawValue])
      return isOnMap == true ? try Account.one(id, db) : nil
    }
  }

  /// An account and its password's hash by its e-mail address; nil when there is none, or none that may log in.
  package func credentials(email: String) async throws -> (account: Account, passwordHash: String)? {
    try await pool.read { db in
      try Row.fetchOne(db, sql: "SELECT * FROM account WHERE email = ? AND disabled_ms IS NULL", arguments: [email]).map
      {
        (Account($0), $0["password"])
      }
    }
  }

  /// Stores a session. On disk on return; false where nobody may log in to the account any more, or not with the
  /// password that was just compared. Expired ones go, some at a time: of the account's, and of those that follow
  /// in the order of the hashes. Hashes are random, so every place has its turn, and the expired stay few.
  ///
  /// - Parameters:
  ///   - passwordHash: what the password was compared with; nil where there was none.
  ///   - expiresMs: since 1970, UTC.
  package func addSession(
    tokenHash: [UInt8], account: AccountID, passwordHash: String?, source: LoginSource, unixMs: Int64, expiresMs: Int64
  ) async throws -> Bool {
    try await writer.write { db in
      try db.execute(
        sql: """
          DELETE FROM session WHERE expires_ms <= :now AND token_hash IN (
            SELECT * FROM (SELECT token_hash FROM session WHERE account = :account LIMIT :count)
            UNION ALL
            SELECT * FROM (SELECT token_hash FROM session WHERE token_hash > :hash ORDER BY token_hash LIMIT :count))
          """,
        arguments: [
          "now": unixMs, "account": account.rawValue, "hash": Data(tokenHash), "count": Limits.sessionsSweptAtOnce,
        ])
      try db.execute(
        sql: """
          INSERT INTO session (token_hash, account, created_ms, expires_ms, address, agent)
          SELECT ?, id, ?, ?, ?, ? FROM account
          WHERE id = ? AND disabled_ms IS NULL AND closed_ms IS NULL AND password = coalesce(?, password)
          """,
        arguments: [
          Data(tokenHash), unixMs, expiresMs, source.address?.description ?? "", source.agent, account.rawValue,
          passwordHash,
        ])
      return db.changesCount == 1
    }
  }

  /// A session that has begun, whether or not its time is over; nil when there is none.
  package func session(tokenHash: [UInt8]) async throws -> Session? {
    try await pool.read { db in
      try Row.fetchOne(
        db,
        sql: "\(Session.select) WHERE token_hash = ?", arguments: [Data(tokenHash)]
      ).map(Session.init)
    }
  }

  /// An account's sessions that are not over, the newest first; `Limits.sessionsShownMax` at most.
  package func sessions(of account: AccountID, unixMs: Int64) async throws -> [Session] {
    try await pool.read { db in
      try Row.fetchAll(
        db,
        sql: """
          \(Session.select) WHERE session.account = ? AND expires_ms > ? ORDER BY begun_ms DESC, token_hash LIMIT ?
          """, arguments: [account.rawValue, unixMs, Limits.sessionsShownMax]
      ).map(Session.init)
    }
  }

  /// Ends one of an account's sessions. On disk on return; false where the account has none of this name.
  package func removeSession(_ id: SessionID, of account: AccountID) async throws -> Bool {
    try await writer.write { db in
      try db.execute(
        sql: "DELETE FROM session WHERE account = ? AND lower(hex(substr(token_hash, 1, 16))) = ?",
        arguments: [account.rawValue, id.description])
      return db.changesCount > 0
    }
  }

  /// Ends an account's sessions. On disk on return.
  ///
  /// - Parameter tokenHash: of the one that stays; nil for none.
  package func removeSessions(of account: AccountID, except tokenHash: [UInt8]? = nil) async throws {
    try await writer.write { db in
      try db.execute(
        sql: "DELETE FROM session WHERE account = ? AND token_hash IS NOT ?",
        arguments: [account.rawValue, tokenHash.map { Data($0) }])
    }
  }

  /// Gives an account another password, and ends its sessions. On disk on return; false, and nothing has changed, where
  /// it has another one by now than the one that was compared.
  ///
  /// - Parameter before: the hash that the password was compared with; empty where there was no password.
  package func changePassword(of account: AccountID, _ hash: String, from before: String) async throws -> Bool {
    try await writer.write { db in
      guard try account.setPassword(hash, from: before, db) else { return false }
      try db.execute(sql: "DELETE FROM session WHERE account = ?", arguments: [account.rawValue])
      return true
    }
  }

  /// Gives an account another password, whatever it had, and takes every other way in: sessions and identities. On disk
  /// on return.
  package func resetPassword(of account: AccountID, _ hash: String) async throws {
    try await writer.write { db in
      try db.execute(
        sql: "UPDATE account SET password = ? WHERE id = ? AND closed_ms IS NULL", arguments: [hash, account.rawValue])
      for table in ["session", "identity"] {
        try db.execute(sql: "DELETE FROM \(table) WHERE account = ?", arguments: [account.rawValue])
      }
    }
  }

  /// Stores another hash of the same password. On disk on return; false where it is another password by now.
  package func rehashPassword(of account: AccountID, _ hash: String, from before: String) async throws -> Bool {
    try await writer.write { db in try account.setPassword(hash, from: before, db) }
  }

  /// Ends a session. On disk on return; not to be there is no error.
  package func removeSession(tokenHash: [UInt8]) async throws {
    try await writer.write { db in
      try db.execute(sql: "DELETE FROM session WHERE token_hash = ?", arguments: [Data(tokenHash)])
    }
  }
}

extension AccountID {
  fileprivate func setPassword(_ hash: String, from before: String, _ db: Database) throws -> Bool {
    try db.execute(
      sql: "UPDATE account SET password = ? WHERE id = ? AND password = ? AND closed_ms IS NULL",
      arguments: [hash, rawValue, before])
    return db.changesCount == 1
  }
}

extension Session {
  fileprivate static let select = """
    SELECT account.*, token_hash, session.created_ms AS begun_ms, expires_ms, address, agent
    FROM session JOIN account ON account.id = session.account
    """

  fileprivate init(_ row: Row) {
    self.init(
      id: SessionID(tokenHash: Array(row["token_hash"] as Data)), account: Account(row), createdMs: row["begun_ms"],
      expiresMs: row["expires_ms"],
      source: LoginSource(address: IPAddress(row["address"] as String), agent: row["agent"]))
  }
}

extension Account {
  init(_ row: Row) {
    self.init(
      id: AccountID(rawValue: row["id"]), email: row["email"], firstName: row["first_name"],
      lastName: row["last_name"], createdMs: row["created_ms"], hasPassword: row["password"] as String != "",
      isOperator: row["is_operator"])
  }

  /// Adds an account. Nil if another one has the e-mail address: no number is used then, as an INSERT's conflict would.
  ///
  /// - Parameter password: its hash; empty for none.
  static func insert(
    email: String, password: String, firstName: String, lastName: String, unixMs: Int64, _ numbers: Numbers,
    _ db: Database
  ) throws -> Account? {
    let row = try Row.fetchOne(
      db,
      sql: """
        INSERT INTO account (email, password, first_name, last_name, created_ms)
        SELECT ?1, ?2, ?3, ?4, ?5 WHERE NOT EXISTS (SELECT 1 FROM account WHERE email = ?1) RETURNING *
        """, arguments: [email, password, firstName, lastName, unixMs])
    guard let account = row.map(Account.init) else { return nil }
    numbers.account(account.id.rawValue)
    return account
  }
}
