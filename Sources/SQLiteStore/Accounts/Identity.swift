package import Domain
import Foundation
import GRDB

/// Whom providers know, and which accounts are theirs: one method a transaction.
extension IngestDatabase {
  /// What a login with a provider has found.
  package enum IdentityOutcome: Sendable {
    /// The account that is his, whether or not anybody may log in to it.
    case known(Account)
    /// A new one, without a password.
    case made(Account)
    /// Nothing: nobody here has this identity, and an account has the e-mail address. Whose that is, nobody knows.
    case emailTaken
    /// Nothing: nobody here has this identity, and none was to be made.
    case unknown
  }

  /// The account of an identity. On disk on return.
  ///
  /// - Parameter newEmail: of the account that is made where there is none; nil to make none.
  package func account(
    of identity: ProvidedIdentity, newEmail: String?, unixMs: Int64
  ) async throws -> IdentityOutcome {
    if let account = try await pool.read({ db in try Account.one(of: identity, db) }) { return .known(account) }
    guard let newEmail else { return .unknown }
    return try await writer.write { [numbers] db in
      // Twice at once is one account.
      if let account = try Account.one(of: identity, db) { return .known(account) }
      guard
        let account = try Account.insert(
          email: newEmail, password: "", firstName: identity.firstName, lastName: identity.lastName, unixMs: unixMs,
          numbers, db)
      else { return .emailTaken }
      try identity.insert(account.id, unixMs, db)
      return .made(account)
    }
  }

  /// What linking an identity to an account did.
  package enum LinkOutcome: Sendable {
    /// It is the account's, or was before.
    case linked(LinkedIdentity)
    /// Nothing: it is another account's.
    case taken
    /// Nothing: the account has `Limits.identitiesOfAccountMax`.
    case tooMany
    /// Nothing: the session is over, or none of the account's.
    case noSession
  }

  /// Makes an identity an account's own. On disk on return.
  ///
  /// - Parameter tokenHash: of a session of the account. It may have ended while the provider was asked, as all do with
  ///   another password; then nothing is to be added any more.
  package func link(
    _ identity: ProvidedIdentity, to account: AccountID, session tokenHash: [UInt8], unixMs: Int64
  ) async throws -> LinkOutcome {
    try await writer.write { db in
      let hasSession = try Bool.fetchOne(
        db, sql: "SELECT EXISTS (SELECT 1 FROM session WHERE token_hash = ? AND account = ? AND expires_ms > ?)",
        arguments: [Data(tokenHash), account.rawValue, unixMs])
      guard hasSession == true else { return .noSession }
      let own = try LinkedIdentity.all(of: account, db)
      if let known = own.first(where: { $0.issuer == identity.issuer && $0.subject == identity.subject }) {
        return .linked(known)
      }
      guard try Account.one(of: identity, db) == nil else { return .taken }
      guard own.count < Limits.identitiesOfAccountMax else { return .tooMany }
      try identity.insert(account, unixMs, db)
      return .linked(LinkedIdentity(issuer: identity.issuer, subject: identity.subject, createdMs: unixMs))
    }
  }

  /// An account's identities, the oldest first.
  package func identities(of account: AccountID) async throws -> [LinkedIdentity] {
    try await pool.read { db in try LinkedIdentity.all(of: account, db) }
  }

  /// What unlinking an identity did.
  package enum UnlinkOutcome: Sendable {
    /// Nobody logs in with it to the account any more.
    case unlinked
    /// Nothing: it is none of the account's.
    case notFound
    /// Nothing: nobody could log in to the account any more.
    case last
  }

  /// Takes an identity from an account, unless it has no password and no other identity with which somebody could log
  /// in. On disk on return.
  ///
  /// - Parameter issuers: of the providers with which one can log in now.
  package func unlink(
    _ identity: LinkedIdentity, from account: AccountID, issuers: Set<String>
  ) async throws -> UnlinkOutcome {
    try await writer.write { db in
      let own = try LinkedIdentity.all(of: account, db)
      guard own.contains(identity) else { return .notFound }
      let hasOther = own.contains { $0 != identity && issuers.contains($0.issuer) }
      guard try hasOther || Account.one(account, db)?.hasPassword == true else { return .last }
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
  /// Nil where the identity is nobody's.
  fileprivate static func one(of identity: ProvidedIdentity, _ db: Database) throws -> Account? {
    try Row.fetchOne(
      db,
      sql: """
        SELECT account.* FROM identity JOIN account ON account.id = identity.account
        WHERE issuer = ? AND subject = ? AND closed_ms IS NULL
        """, arguments: [identity.issuer, identity.subject]
    ).map(Account.init)
  }
}
