import HTTPTypes
import Link
import OnTheMap
import Store
import Web

/// Logging in with an e-mail address and a password, whichever API asks for it.
struct Logins: Sendable {
  let database: IngestDatabase
  let sessions: Sessions
  let passwords: Passwords

  /// A new session. On disk on return.
  ///
  /// - Throws: `Problem.badCredentials`, and `Problem.busy` when too many log in at once.
  func logIn(email: String, password: String) async throws -> (token: String, session: Session) {
    guard password.utf8.count <= Limits.passwordBytesMax, email.utf8.count <= Limits.emailBytesMax else {
      throw Problem.badCredentials
    }
    let stored = try await database.credentials(email: email.trimmedLine.lowercased())
    guard try await passwords.isPassword(password, of: stored?.passwordHash), let stored else {
      throw Problem.badCredentials
    }
    return try await sessions.begin(stored.account, unixMs: WallClock.unixMs)
  }

  /// For what takes more than a session, which may be somebody else's by now.
  ///
  /// - Throws: a problem where it is not the account's password, and `Problem.busy` when too many log in at once.
  func confirm(_ password: String, of account: Account) async throws {
    let stored = try await database.credentials(email: account.email)
    guard password.utf8.count <= Limits.passwordBytesMax, let stored, stored.account.id == account.id,
      try await passwords.isPassword(password, of: stored.passwordHash)
    else {
      throw Problem(
        .forbidden, "wrong_password", "this is not the account's password; nothing has changed",
        field: "currentPassword")
    }
  }
}

extension Problem {
  /// The same for an unknown account and a wrong password.
  static let badCredentials = Problem(.forbidden, "bad_credentials", "no account has this e-mail address and password")
}
