import GRDB
package import OnTheMap

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
    case linked
    /// Nothing: it is another account's.
    case taken
    /// Nothing: the account has `Limits.identitiesOfAccountMax`.
    case tooMany
    /// Nothing: there is no such account, or none any more.
    case noAccount
  }

  /// Makes an identity an account's own. On disk on return.
  package func link(_ identity: ProvidedIdentity, to account: AccountID, unixMs: Int64) async throws -> LinkOutcome {
    try await writer.write { db in
      guard try Account.one(account, db) != nil else { return .noAccount }
      if let owner = try Account.one(of: identity, db) { return owner.id == account ? .linked : .taken }
      let count = try Int.fetchOne(
        db, sql: "SELECT count(*) FROM identity WHERE account = ?", arguments: [account.rawValue])
      guard let count, count < Limits.identitiesOfAccountMax else { return .tooMany }
      try identity.insert(account, unixMs, db)
      return .linked
    }
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
