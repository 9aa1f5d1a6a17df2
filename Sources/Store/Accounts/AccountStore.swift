package import Domain

/// Accounts. Writes are durable on return, and changes of an account report `StoreChange.account`. Reads see all writes
/// that were durable when they began. Times are milliseconds since 1970, UTC.
package protocol AccountStore: Sendable {
  /// Adds an account, with the next account id.
  ///
  /// - Parameter passwordHash: argon2id, in its string form.
  /// - Throws: `EmailTaken` if another account has the email address. The next account id then stays free.
  func addAccount(_ registration: Registration, passwordHash: String, unixMs: Int64) async throws -> Account

  /// Returns an account by its id. Nil for a closed or unknown account.
  func account(_ id: AccountID) async throws -> Account?

  /// Returns the id of the account with an email address, disabled or not. Nil if no account has the address.
  func accountID(email: String) async throws -> AccountID?

  /// Returns an account by its id if the account has a published post. Nil otherwise.
  func accountOnMap(_ id: AccountID) async throws -> Account?

  /// Returns the account with an email address, and its password's hash. Nil if no such account may log in.
  func credentials(email: String) async throws -> (account: Account, passwordHash: String)?

  /// Returns a page of accounts for the operator, by ascending account id, without closed accounts.
  ///
  /// - Parameters:
  ///   - email: Address of the only account to return, in lower case. Nil for all.
  ///   - after: Lower bound of the account ids, exclusive. Nil for all.
  ///   - limit: Maximum number of accounts, 1 or more.
  ///   - unixMs: Current time, for the count of sessions that have not expired.
  func users(email: String?, after: AccountID?, limit: Int, unixMs: Int64) async throws -> [User]

  /// Stores the hash of a new password, and ends the access that `ending` selects. Recovery tokens end with sessions.
  ///
  /// - Parameters:
  ///   - before: Hash that the account must have. Empty for no password, nil for any.
  ///   - ending: Access that ends with the old password.
  /// - Returns: false if the account has another hash, or is closed. Nothing has changed then.
  func setPassword(
    of account: AccountID, _ hash: String, from before: String?, ending: RevokedAccess
  ) async throws -> Bool

  /// Changes an account's state or role.
  func set(_ account: AccountID, _ change: AccountChange) async throws

  /// Closes an account permanently. Its email address and its identities become free, and its sessions end. Later
  /// acceptances fail with `StoreError.noAccount`. Erase its posts with `PostWrite.erasePosts`.
  ///
  /// - Returns: false if no such account exists, or if it is closed.
  func close(_ account: AccountID, unixMs: Int64) async throws -> Bool
}

/// Error for an email address that another account has. Do not retry.
package struct EmailTaken: Error {
  package init() {}
}

/// Access to an account that ends with its old password.
package enum RevokedAccess: Sendable {
  case none
  case sessions
  case sessionsAndIdentities
}

/// An operator's change of an account.
package enum AccountChange: Sendable {
  /// Ends the account's sessions and disables logins. An account that is already disabled keeps its earlier time.
  case disabled(sinceMs: Int64)
  /// Enables logins.
  case enabled
  /// Grants or revokes the operator's role. Sessions continue.
  case isOperator(Bool)
}
