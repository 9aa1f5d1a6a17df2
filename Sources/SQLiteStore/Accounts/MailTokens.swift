package import Domain
import Foundation
import GRDB
import Store

extension SQLiteDatabase: MailTokenStore {
  package func addMailToken(_ token: MailToken, email: String, unixMs: Int64) async throws -> Account? {
    try await write { db -> Account? in
      try db.execute(
        sql: """
          DELETE FROM mail_token WHERE token_hash IN (
            SELECT token_hash FROM mail_token WHERE expires_ms <= ? ORDER BY expires_ms LIMIT ?)
          """, arguments: [unixMs, Limits.mailTokensSweptPerBatch])
      let row = try Row.fetchOne(
        db, sql: "SELECT * FROM account WHERE email = ? AND disabled_ms IS NULL AND closed_ms IS NULL",
        arguments: [email])
      guard let account = row.map(Account.init), token.purpose != .confirmation || !account.isEmailConfirmed else {
        return nil
      }
      try db.execute(
        sql: """
          DELETE FROM mail_token WHERE token_hash IN (
            SELECT token_hash FROM mail_token WHERE account = ? AND purpose = ?
            ORDER BY expires_ms DESC LIMIT -1 OFFSET ?)
          """,
        arguments: [account.id.rawValue, token.purpose.rawValue, Limits.mailTokensOfAccountMax - 1])
      try db.execute(
        sql: "INSERT INTO mail_token (token_hash, account, purpose, expires_ms) VALUES (?, ?, ?, ?)",
        arguments: [Data(token.hash), account.id.rawValue, token.purpose.rawValue, token.expiresMs])
      return account
    }
  }

  package func account(
    ofMailToken hash: [UInt8], _ purpose: MailToken.Purpose, unixMs: Int64
  ) async throws -> Account? {
    try await pool.read { db in try Account.find(ofMailToken: hash, purpose, unixMs, db) }
  }

  package func recover(mailToken hash: [UInt8], passwordHash: String, unixMs: Int64) async throws -> Account? {
    try await write { db -> Account? in
      guard let account = try Account.find(ofMailToken: hash, .recovery, unixMs, db) else { return nil }
      try db.execute(
        sql: "UPDATE account SET password = ?, email_confirmed = 1 WHERE id = ?",
        arguments: [passwordHash, account.id.rawValue])
      try db.execute(sql: "DELETE FROM session WHERE account = ?", arguments: [account.id.rawValue])
      if !account.isEmailConfirmed {
        try db.execute(sql: "DELETE FROM identity WHERE account = ?", arguments: [account.id.rawValue])
      }
      try MailToken.removeAll(of: account.id, db)
      return try Account.find(account.id, db)
    } reporting: { account in
      account.map { .account($0.id) }
    }
  }

  package func confirmEmail(mailToken hash: [UInt8], unixMs: Int64) async throws -> Account? {
    try await write { db -> Account? in
      guard let account = try Account.find(ofMailToken: hash, .confirmation, unixMs, db) else { return nil }
      try db.execute(sql: "UPDATE account SET email_confirmed = 1 WHERE id = ?", arguments: [account.id.rawValue])
      try MailToken.remove(.confirmation, of: account.id, db)
      return try Account.find(account.id, db)
    } reporting: { account in
      account.map { .account($0.id) }
    }
  }
}

extension MailToken {
  /// Removes an account's tokens for one purpose.
  static func remove(_ purpose: Purpose, of account: AccountID, _ db: Database) throws {
    try db.execute(
      sql: "DELETE FROM mail_token WHERE account = ? AND purpose = ?",
      arguments: [account.rawValue, purpose.rawValue])
  }

  /// Removes all of an account's tokens.
  static func removeAll(of account: AccountID, _ db: Database) throws {
    try db.execute(sql: "DELETE FROM mail_token WHERE account = ?", arguments: [account.rawValue])
  }
}

extension Account {
  /// Returns the account of a valid token if the account may log in. Nil otherwise.
  fileprivate static func find(
    ofMailToken hash: [UInt8], _ purpose: MailToken.Purpose, _ unixMs: Int64, _ db: Database
  ) throws -> Account? {
    try Row.fetchOne(
      db,
      sql: """
        SELECT account.* FROM mail_token JOIN account ON account.id = mail_token.account
        WHERE token_hash = ? AND purpose = ? AND expires_ms > ? AND disabled_ms IS NULL AND closed_ms IS NULL
        """, arguments: [Data(hash), purpose.rawValue, unixMs]
    ).map(Account.init)
  }
}
