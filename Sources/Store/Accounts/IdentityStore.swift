package import Domain

/// Identities of sign-in providers, and their accounts. Writes are durable on return.
package protocol IdentityStore: Sendable {
  /// Finds or creates the account of an identity. Parallel calls create one account.
  ///
  /// - Parameter newEmail: Email address of a new account. Nil to create none. The address counts as confirmed if it is
  ///   the identity's own, which the provider has verified.
  func account(
    of identity: ProvidedIdentity, newEmail: String?, unixMs: Int64
  ) async throws -> IdentityOutcome

  /// Links an identity to an account.
  ///
  /// - Parameter tokenHash: Hash of a token of one of the account's sessions. The session may have ended during the
  ///   provider's login.
  func link(
    _ identity: ProvidedIdentity, to account: AccountID, session tokenHash: [UInt8], unixMs: Int64
  ) async throws -> LinkOutcome

  /// Returns an account's identities, oldest first.
  func identities(of account: AccountID) async throws -> [LinkedIdentity]

  /// Removes an identity from an account, unless it is the last login method.
  ///
  /// - Parameter issuers: Issuers of the configured providers.
  func unlink(
    _ identity: LinkedIdentity, from account: AccountID, issuers: Set<String>
  ) async throws -> UnlinkOutcome
}

/// The result of a sign-in with a provider.
package enum IdentityOutcome: Sendable {
  /// The identity's account, which may be disabled.
  case existing(Account)
  /// A new account, without a password.
  case created(Account)
  /// The identity is unknown, and another account has the email address. Nothing has changed.
  case emailTaken
  /// The identity is unknown, and the caller requested no new account. Nothing has changed.
  case unknown
}

/// The result of linking an identity to an account.
package enum LinkOutcome: Sendable {
  /// The identity is now linked to the account, or was before.
  case linked(LinkedIdentity)
  /// The identity belongs to another account. Nothing has changed.
  case linkedToAnother
  /// The account already has `Limits.identitiesOfAccountMax` identities. Nothing has changed.
  case tooMany
  /// The session has ended, or belongs to another account. Nothing has changed.
  case noSession
}

/// The result of unlinking an identity.
package enum UnlinkOutcome: Sendable {
  case unlinked
  /// The account has no such identity. Nothing has changed.
  case notFound
  /// The account would have no login method. Nothing has changed.
  case last
}
