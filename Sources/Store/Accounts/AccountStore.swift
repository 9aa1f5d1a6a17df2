package import Domain

/// Accounts. Writes are durable on return, and changes of an account report `StoreChange.account`. Reads see all writes
/// that were durable when they began. Times are milliseconds since 1970, UTC.
package protocol AccountStore: Sendable {
  /// Adds an account, with the next number.
  ///
  /// - Parameter passwordHash: argon2id, in its string form.
  /// - Throws: `EmailTaken`. No number is used then.
  func addAccount(_ registration: Registration, passwordHash: String, unixMs: Int64) async throws -> Account

  /// Returns an account by its number. Nil for a closed or unknown account.
  func account(_ id: AccountID) async throws -> Account?

  /// Returns the number of the account with an e-mail address, disabled or not. Nil without one.
  func accountID(email: String) async throws -> AccountID?

  /// Returns an account by its number if it has a published post. Nil otherwise.
  func accountOnMap(_ id: AccountID) async throws -> Account?

  /// Returns the account with an e-mail address, and its password's hash. Nil if no such account may log in.
  func credentials(email: String) async throws -> (account: Account, passwordHash: String)?

  /// Returns a page of accounts for the operator, in ascending order of number, without closed ones.
  ///
  /// - Parameters:
  ///   - email: address of the only account to return, in lower case. Nil for all.
  ///   - after: lower bound of the numbers, exclusive. Nil for all.
  ///   - limit: maximum number of accounts, 1 or more.
  func users(email: String?, after: AccountID?, limit: Int, unixMs: Int64) async throws -> [User]

  /// Stores a password's hash, and revokes other ways to log in.
  ///
  /// - Parameters:
  ///   - before: hash that the account must have. Empty for no password, nil for any.
  ///   - ending: access that ends with the old password.
  /// - Returns: false if the account has another hash, or is closed. Nothing has changed then.
  func setPassword(
    of account: AccountID, _ hash: String, from before: String?, ending: RevokedAccess
  ) async throws -> Bool

  /// Changes an account's state or role.
  func set(_ account: AccountID, _ change: AccountChange) async throws

  /// Closes an account for good. Its e-mail address and its identities become free, and its sessions end. Later
  /// acceptances fail with `StoreError.noAccount`. Erase its posts with `PostWrite.erasePosts`.
  ///
  /// - Returns: false if no such account exists, or if it is closed.
  func close(_ account: AccountID, unixMs: Int64) async throws -> Bool
}

/// Error for an e-mail address that another account has. Retries are futile.
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
  /// Ends the account's sessions and disables logins. A disabled account keeps its first time.
  case disabled(sinceMs: Int64)
  /// Enables logins.
  case enabled
  /// Grants or revokes the operator's role. Sessions continue.
  case isOperator(Bool)
}
