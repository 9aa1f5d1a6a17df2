package import Domain

/// Accounts. Writes are durable on return, and those that change an account report `StoreChange.account`; reads see all
/// writes that were durable when they began. Times are milliseconds since 1970, UTC.
package protocol AccountStore: Sendable {
  /// Adds an account, with the next number.
  ///
  /// - Parameter passwordHash: argon2id, in its string form.
  /// - Throws: `EmailTaken`; no number is used then.
  func addAccount(_ registration: Registration, passwordHash: String, unixMs: Int64) async throws -> Account

  /// Returns an account by its number; nil for a closed or unknown one.
  func account(_ id: AccountID) async throws -> Account?

  /// Returns the number of the account with an e-mail address, disabled or not; nil without one.
  func accountID(email: String) async throws -> AccountID?

  /// Returns an account by its number if it has a published post; nil otherwise.
  func accountOnMap(_ id: AccountID) async throws -> Account?

  /// Returns the account with an e-mail address, and its password's hash; nil if there is none that may log in.
  func credentials(email: String) async throws -> (account: Account, passwordHash: String)?

  /// Returns a page of accounts for the operator, by rising number, without closed ones.
  ///
  /// - Parameters:
  ///   - email: only the account with this address, in lower case; nil for all.
  ///   - after: only accounts with greater numbers; nil for all.
  ///   - limit: 1 or more.
  func users(email: String?, after: AccountID?, limit: Int, unixMs: Int64) async throws -> [User]

  /// Stores a password's hash, and ends other ways in.
  ///
  /// - Parameters:
  ///   - before: the hash that the account must have, empty for no password; nil for any.
  ///   - ending: the ways in that end with the old password.
  /// - Returns: false, and nothing has changed, if the account has another hash, or is closed.
  func setPassword(
    of account: AccountID, _ hash: String, from before: String?, ending: RevokedAccess
  ) async throws -> Bool

  /// Changes an account's state or role.
  func set(_ account: AccountID, _ change: AccountChange) async throws

  /// Closes an account for good: its e-mail address and its identities are free, its sessions have ended, and later
  /// acceptances fail with `StoreError.noAccount`. Erase its posts with `PostWrite.erasePosts`.
  ///
  /// - Returns: false if there is none, or if it is closed.
  func close(_ account: AccountID, unixMs: Int64) async throws -> Bool
}

/// An account has this e-mail address. Final.
package struct EmailTaken: Error {
  package init() {}
}

/// The ways into an account that end with its old password.
package enum RevokedAccess: Sendable {
  case none
  case sessions
  case sessionsAndIdentities
}

/// An operator's change of an account.
package enum AccountChange: Sendable {
  /// Ends the account's sessions and refuses logins; keeps the first time of an account that is disabled.
  case disabled(sinceMs: Int64)
  /// Permits logins again.
  case enabled
  /// Grants or revokes the operator's role. Sessions go on.
  case isOperator(Bool)
}
