package import Domain
package import Store

extension PostgresDatabase: IdentityStore {
  package func account(
    of identity: ProvidedIdentity, newEmail: String?, unixMs: Int64
  ) async throws -> IdentityOutcome {
    if let account = try await quickReads.run({ try Account.find(of: identity, $0) }) { return .existing(account) }
    guard let newEmail else { return .unknown }
    return try await write { connection, writer in
      // Check again within the write, so that parallel logins create one account.
      if let account = try Account.find(of: identity, connection) { return .existing(account) }
      guard
        let account = try Account.insert(
          email: newEmail, password: "", firstName: identity.firstName, lastName: identity.lastName,
          isEmailConfirmed: identity.email == newEmail, unixMs: unixMs, writer, connection)
      else { return .emailTaken }
      try identity.insert(account.id, unixMs, connection)
      return .created(account)
    }
  }

  package func link(
    _ identity: ProvidedIdentity, to account: AccountID, session tokenHash: [UInt8], unixMs: Int64
  ) async throws -> LinkOutcome {
    try await write { connection, _ in
      let hasSession = try connection.query(
        IdentityStatements.hasSession, .bytes(tokenHash), .int8(account.rawValue), .int8(unixMs)
      ).first?.bool(0)
      guard hasSession == true else { return .noSession }
      let own = try LinkedIdentity.all(of: account, connection)
      if let known = own.first(where: { $0.issuer == identity.issuer && $0.subject == identity.subject }) {
        return .linked(known)
      }
      guard try Account.find(of: identity, connection) == nil else { return .linkedToAnother }
      guard own.count < Limits.identitiesOfAccountMax else { return .tooMany }
      try identity.insert(account, unixMs, connection)
      return .linked(LinkedIdentity(issuer: identity.issuer, subject: identity.subject, createdMs: unixMs))
    }
  }

  package func identities(of account: AccountID) async throws -> [LinkedIdentity] {
    try await quickReads.run { try LinkedIdentity.all(of: account, $0) }
  }

  package func unlink(
    _ identity: LinkedIdentity, from account: AccountID, issuers: Set<String>
  ) async throws -> UnlinkOutcome {
    try await write { connection, _ in
      let own = try LinkedIdentity.all(of: account, connection)
      guard own.contains(identity) else { return .notFound }
      let hasOther = own.contains { $0 != identity && issuers.contains($0.issuer) }
      guard try hasOther || Account.find(account, connection)?.hasPassword == true else { return .last }
      _ = try connection.query(IdentityStatements.remove, .text(identity.issuer), .text(identity.subject))
      return .unlinked
    }
  }
}

extension LinkedIdentity {
  fileprivate static func all(of account: AccountID, _ connection: PostgresConnection) throws -> [LinkedIdentity] {
    try connection.query(IdentityStatements.all, .int8(account.rawValue)).map {
      LinkedIdentity(issuer: $0.text(0), subject: $0.text(1), createdMs: $0.int(2))
    }
  }
}

extension ProvidedIdentity {
  fileprivate func insert(_ account: AccountID, _ unixMs: Int64, _ connection: PostgresConnection) throws {
    _ = try connection.query(
      IdentityStatements.add, .text(issuer), .text(subject), .int8(account.rawValue), .int8(unixMs))
  }
}

private enum IdentityStatements {
  static let hasSession = Statement(
    "has_session",
    """
    SELECT EXISTS (
      SELECT FROM session WHERE token_hash = $1::bytea AND account = $2::int8 AND expires_ms > $3::int8)
    """)
  static let all = Statement(
    "identities",
    """
    SELECT issuer, subject, created_ms FROM identity WHERE account = $1::int8 ORDER BY created_ms, issuer, subject
    """)
  static let add = Statement(
    "add_identity",
    """
    INSERT INTO identity (issuer, subject, account, created_ms) VALUES ($1::text, $2::text, $3::int8, $4::int8)
    """)
  static let remove = Statement(
    "remove_identity", "DELETE FROM identity WHERE issuer = $1::text AND subject = $2::text")
}
