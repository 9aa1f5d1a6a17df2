import Domain
import HTTPTypes
import Messaging
import Store
import Web

/// The body of what takes the password once more, and nothing else.
struct Confirmation: Decodable {
  let currentPassword: String?
}

/// Logging in with an e-mail address and a password, whichever API asks for it.
struct PasswordLogin: Sendable {
  let database: any AccountStore & IdentityStore
  let sessions: Sessions
  let passwords: PasswordHasher
  let loginGuard: LoginGuard
  let audit: AuditLog

  /// A new session. On disk on return.
  ///
  /// - Throws: `Problem.badCredentials`; one with the time to wait after too many wrong passwords; `Problem.busy` when
  ///   too many log in at once.
  func logIn(
    email: String, password: String, from source: LoginSource
  ) async throws -> (token: String, session: Session) {
    let email = email.trimmedLine.lowercased()
    let stored = try await compare(password, email: email, from: source)
    guard let stored else {
      // Query for an unknown address too, so that it takes as long.
      let account = try? await database.accountID(email: email)
      audit.note(.loginRefused, account: account, source)
      throw Problem.badCredentials
    }
    var hash = stored.passwordHash
    if PasswordHash.isOutdated(hash) {
      // Only now is the password known.
      hash = try await passwords.hash(password, in: PasswordQueue.HashRequest(.known, from: source.address))
      guard
        try await database.setPassword(of: stored.account.id, hash, from: stored.passwordHash, ending: .none)
      else {
        throw Problem.badCredentials
      }
    }
    guard
      let begun = try await sessions.begin(
        stored.account, passwordHash: hash, from: source, unixMs: WallClock.unixMs)
    else { throw Problem.badCredentials }
    audit.note(.loggedIn, account: stored.account.id, source)
    return begun
  }

  /// For what takes more than a session, which may be somebody else's by now: the account's password, or, where it has
  /// none, a session that began `Limits.loginRecentMs` ago at most.
  ///
  /// - Parameter password: as it came; nil where none did.
  /// - Returns: the hash that it was compared with; empty where the account has no password.
  /// - Throws: a problem where the account has a password and it is not this one, or the session is too old, and as
  ///   `logIn`.
  func confirm(_ password: String?, of caller: AuthenticatedCaller, from source: LoginSource) async throws -> String {
    let account = caller.account
    // As it is now: the session may remember it without one.
    guard let now = try await database.account(account.id) else { throw Problem.unauthorized }
    guard now.hasPassword else {
      guard WallClock.unixMs - caller.session.createdMs <= Limits.loginRecentMs else { throw Problem.loginNotRecent }
      return ""
    }
    guard let password else {
      throw Problem(
        .unprocessableContent, "missing_field", "this takes the account's password as currentPassword",
        field: "currentPassword")
    }
    guard let stored = try await compare(password, email: now.email, from: source),
      stored.account.id == account.id
    else {
      audit.note(.passwordRefused, account: account.id, source)
      throw Problem.wrongPassword
    }
    return stored.passwordHash
  }

  /// Nil where there is no such account, or another password; both take as long, where the account's hash
  /// was made with the work of today.
  private func compare(
    _ password: String, email: String, from source: LoginSource
  ) async throws -> (account: Account, passwordHash: String)? {
    guard password.utf8.count <= Limits.passwordBytesMax, email.utf8.count <= Limits.emailBytesMax else { return nil }
    let target = try await loginGuard.target(email: email, from: source)
    do {
      try loginGuard.check(target)
      let stored = try await database.credentials(email: email)
      let turn = PasswordQueue.HashRequest(target.isKnown ? .known : .login, from: source.address)
      let (tried, isRight) = try await passwords.compare(password, with: stored?.passwordHash, in: turn) {
        try loginGuard.begin(target)
      }
      guard let isRight else {
        loginGuard.cancelled(tried)
        throw Problem.busy
      }
      if isRight { loginGuard.succeeded(tried) } else { loginGuard.failed(tried) }
      return isRight ? stored : nil
    } catch let problem as Problem where problem.code == "too_many_logins" {
      audit.note(.loginThrottled, account: nil, source)
      throw problem
    }
  }
}

extension Problem {
  static let wrongPassword = Problem(
    .forbidden, "wrong_password", "this is not the account's password; nothing has changed", field: "currentPassword")
  fileprivate static let loginNotRecent = Problem(
    .forbidden, "login_not_recent",
    "the account has no password, so this takes a login of the last \(Limits.loginRecentMs / 60_000) minutes; log in "
      + "with your provider again, then repeat it")
  /// The same for an unknown account, a wrong password, and an account that is disabled.
  static let badCredentials = Problem(.forbidden, "bad_credentials", "no account has this e-mail address and password")
}
