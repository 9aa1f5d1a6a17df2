package import Domain
import Foundation
import GRDB
package import Store

extension SQLiteDatabase: IdentityStore {
  package func account(
    of identity: ProvidedIdentity, newEmail: String?, unixMs: Int64
  ) async throws -> IdentityOutcome {
    if let account = try await pool.read({ db in try Account.find(of: identity, db) }) { return .existing(account) }
    guard let newEmail else { return .unknown }
    return try await write { [numbers = committer.engine.numbers] db in
      // Check again within the write, so that parallel logins create one account.
      if let account = try Account.find(of: identity, db) { return .existing(account) }
      guard
        let account = try Account.insert(
          email: newEmail, password: "", firstName: identity.firstName, lastName: identity.lastName,
          isEmailConfirmed: identity.email == newEmail, unixMs: unixMs, numbers, db)
      else { return .emailTaken }
      try identity.insert(account.id, unixMs, db)
      return .created(account)
    }
  }

  package func link(
    _ identity: ProvidedIdentity, to account: AccountID, session tokenHash: [UInt8], unixMs: Int64
  ) async throws -> LinkOutcome {
    try await write { db in
      let hasSession = try Bool.fetchOne(
        db, sql: "SELECT EXISTS (SELECT 1 FROM session WHERE token_hash = ? AND account = ? AND expires_ms > ?)",
        arguments: [Data(tokenHash), account.rawValue, unixMs])
      guard hasSession == true else { return .noSession }
      let own = try LinkedIdentity.all(of: account, db)
      if let known = own.first(where: { $0.issuer == identity.issuer && $0.subject == identity.subject }) {
        return .linked(known)
      }
      guard try Account.find(of: identity, db) == nil else { return .linkedToAnother }
      guard own.count < Limits.identitiesOfAccountMax else { return .tooMany }
      try identity.insert(account, unixMs, db)
      return .linked(LinkedIdentity(issuer: identity.issuer, subject: identity.subject, createdMs: unixMs))
    }
  }

  package func identities(of account: AccountID) async throws -> [LinkedIdentity] {
    try await pool.read { db in try LinkedIdentity.all(of: account, db) }
  }

  package func unlink(
    _ identity: LinkedIdentity, from account: AccountID, issuers: Set<String>
  ) async throws -> UnlinkOutcome {
    try await write { db in
      let own = try LinkedIdentity.all(of: account, db)
      guard own.contains(identity) else { return .notFound }
      let hasOther = own.contains { $0 != identity && issuers.contains($0.issuer) }
      guard try hasOther || Account.find(account, db)?.hasPassword == true else { return .last }
      try db.execute(
        sql: "DELETE FROM identity WHERE issuer = ? AND subject = ?", arguments: [identity.issuer, identity.subject])
      return .unlinked
    }
  }
}

extension LinkedIdentity {
  fileprivate static func all(of account: AccountID, _ db: Database) throws -> [LinkedIdentity] {
    try Row.fetchAll(
      db, sql: "SELECT * FROM identity WHERE account = ? ORDER BY created_ms, issuer, subject",
      arguments: [account.rawValue]
    ).map { LinkedIdentity(issuer: $0["issuer"], subject: $0["subject"], createdMs: $0["created_ms"]) }
  }
}

extension ProvidedIdentity {
  fileprivate func insert(_ account: AccountID, _ unixMs: Int64, _ db: Database) throws {
    try db.execute(
      sql: "INSERT INTO identity (issuer, subject, account, created_ms) VALUES (?, ?, ?, ?)",
      arguments: [issuer, subject, account.rawValue, unixMs])
  }
}

extension Account {
  /// Returns the account of an identity, or nil.
  fileprivate static func find(of identity: ProvidedIdentity, _ db: Database) throws -> Account? {
    try Row.fetchOne(
      db,
      sql: """
        SELECT account.* FROM identity JOIN account ON account.id = identity.account
        WHERE issuer = ? AND subject = ? AND closed_ms IS NULL
        """, arguments: [identity.issuer, identity.subject]
    ).map(Account.init)
  }
}
