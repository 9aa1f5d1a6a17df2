package import Domain
import Foundation
import GRDB
package import Store

extension SQLiteDatabase: LoginStore {
  /// Stores a session, and removes a few expired sessions: sessions of the account, and the next sessions in the order
  /// of the token hashes. Hashes are random, so calls check every session in time, and few expired sessions remain.
  package func addSession(
    tokenHash: [UInt8], account: AccountID, passwordHash: String?, source: LoginSource, unixMs: Int64, expiresMs: Int64
  ) async throws -> Bool {
    try await write { db in
      try db.execute(
        sql: """
          DELETE FROM session WHERE expires_ms <= :now AND token_hash IN (
            SELECT * FROM (SELECT token_hash FROM session WHERE account = :account LIMIT :count)
            UNION ALL
            SELECT * FROM (SELECT token_hash FROM session WHERE token_hash > :hash ORDER BY token_hash LIMIT :count))
          """,
        arguments: [
          "now": unixMs, "account": account.rawValue, "hash": Data(tokenHash), "count": Limits.sessionsSweptPerBatch,
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

  package func session(tokenHash: [UInt8]) async throws -> Session? {
    try await pool.read { db in
      try Row.fetchOne(
        db,
        sql: "\(Session.select) WHERE token_hash = ?", arguments: [Data(tokenHash)]
      ).map(Session.init)
    }
  }

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

  package func endSessions(_ selection: SessionSelection) async throws -> Bool {
    try await write { db in
      switch selection {
      case .token(let hash):
        try db.execute(sql: "DELETE FROM session WHERE token_hash = ?", arguments: [Data(hash)])
      case .one(let id, let account):
        try db.execute(
          sql: "DELETE FROM session WHERE account = ? AND lower(hex(substr(token_hash, 1, 16))) = ?",
          arguments: [account.rawValue, id.description])
      case .all(let account, let tokenHash):
        try db.execute(
          sql: "DELETE FROM session WHERE account = ? AND token_hash IS NOT ?",
          arguments: [account.rawValue, tokenHash.map { Data($0) }])
      }
      return db.changesCount > 0
    } reporting: { _ in
      switch selection {
      case .token(let hash): .session(tokenHash: hash)
      case .one(_, let account), .all(let account, _): .account(account)
      }
    }
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
