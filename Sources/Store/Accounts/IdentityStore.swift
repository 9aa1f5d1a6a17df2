package import Domain

/// Identities of sign-in providers, and their accounts. Writes are durable on return.
package protocol IdentityStore: Sendable {
  /// Finds or makes the account of an identity. Several calls at the same time make one account.
  ///
  /// - Parameter newEmail: e-mail address of the account to make; nil to make none.
  func account(
    of identity: ProvidedIdentity, newEmail: String?, unixMs: Int64
  ) async throws -> IdentityOutcome

  /// Links an identity to an account.
  ///
  /// - Parameter tokenHash: of a session of the account. The session may have ended while the provider was asked.
  func link(
    _ identity: ProvidedIdentity, to account: AccountID, session tokenHash: [UInt8], unixMs: Int64
  ) async throws -> LinkOutcome

  /// Returns an account's identities, the oldest first.
  func identities(of account: AccountID) async throws -> [LinkedIdentity]

  /// Removes an identity from an account, unless it is the last way in.
  ///
  /// - Parameter issuers: of the providers that are in use.
  func unlink(
    _ identity: LinkedIdentity, from account: AccountID, issuers: Set<String>
  ) async throws -> UnlinkOutcome
}

/// The result of a sign-in with a provider.
package enum IdentityOutcome: Sendable {
  /// The account of the identity, which may be disabled.
  case existing(Account)
  /// A new account, without a password.
  case created(Account)
  /// Nothing has changed: the identity is unknown, and another account has the e-mail address.
  case emailTaken
  /// Nothing has changed: the identity is unknown, and no account was to be made.
  case unknown
}

/// The result of linking an identity to an account.
package enum LinkOutcome: Sendable {
  /// The identity is the account's, or was before.
  case linked(LinkedIdentity)
  /// Nothing has changed: the identity is another account's.
  case taken
  /// Nothing has changed: the account has `Limits.identitiesOfAccountMax`.
  case tooMany
  /// Nothing has changed: the session has ended, or is another account's.
  case noSession
}

/// The result of unlinking an identity.
package enum UnlinkOutcome: Sendable {
  case unlinked
  /// Nothing has changed: the account has no such identity.
  case notFound
  /// Nothing has changed: there would be no way into the account.
  case last
}
