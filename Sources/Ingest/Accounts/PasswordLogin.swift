import Domain
import HTTPTypes
import Messaging
import Store
import Web

/// The body of a request that only confirms the password.
struct Confirmation: Decodable {
  let currentPassword: String?
}

/// Login with an email address and a password, for every API.
struct PasswordLogin: Sendable {
  let database: any AccountStore & IdentityStore
  let sessions: Sessions
  let passwords: PasswordHasher
  let loginGuard: LoginGuard
  let audit: AuditLog

  /// Begins a session. The session is durable on return.
  ///
  /// - Throws: `Problem.badCredentials`, `Problem.busy` if too many logins are in progress, or a problem with the
  ///   seconds to wait after too many wrong passwords.
  func logIn(
    email: String, password: String, from source: LoginSource
  ) async throws -> (token: String, session: Session) {
    let email = email.trimmedLine.lowercased()
    let stored = try await compare(password, email: email, from: source)
    guard let stored else {
      // Run this query for an unknown address too, so that both responses take equally long.
      let account = try? await database.accountID(email: email)
      audit.note(.loginFailed, account: account, source)
      throw Problem.badCredentials
    }
    var hash = stored.passwordHash
    if PasswordHash.isOutdated(hash) {
      // Ingest knows the password only during a login.
      hash = try await passwords.hash(password, for: PasswordQueue.HashRequest(.known, from: source.address))
      guard
        try await database.setPassword(of: stored.account.id, hash, from: stored.passwordHash, ending: .none)
      else {
        throw Problem.badCredentials
      }
    }
    guard
      let newSession = try await sessions.begin(
        stored.account, passwordHash: hash, from: source, unixMs: WallClock.unixMs)
    else { throw Problem.badCredentials }
    audit.note(.loggedIn, account: stored.account.id, source)
    return newSession
  }

  /// Confirms the caller's identity for an operation that needs more than a session, since a session may be stolen. It
  /// requires the account's password. For an account without one, the session must have begun at most
  /// `Limits.loginRecentMs` ago.
  ///
  /// - Parameter password: The password in the request. Nil if there is none.
  /// - Returns: The hash that was compared. Empty if the account has no password.
  /// - Throws: A problem if the password is missing or wrong, or the session is too old. Also the problems of `logIn`.
  func confirm(_ password: String?, of caller: AuthenticatedCaller, from source: LoginSource) async throws -> String {
    let account = caller.account
    // Read the account again: the session may hold an older state without a password.
    guard let current = try await database.account(account.id) else { throw Problem.unauthorized }
    guard current.hasPassword else {
      guard WallClock.unixMs - caller.session.createdMs <= Limits.loginRecentMs else { throw Problem.loginNotRecent }
      return ""
    }
    guard let password else {
      throw Problem(
        .unprocessableContent, "missing_field", "currentPassword is missing; send the account's password",
        field: "currentPassword")
    }
    guard let stored = try await compare(password, email: current.email, from: source),
      stored.account.id == account.id
    else {
      audit.note(.passwordCheckFailed, account: account.id, source)
      throw Problem.wrongPassword
    }
    return stored.passwordHash
  }

  /// Compares a password with that of an account. Returns nil for an unknown account or a wrong password. Both take
  /// equally long if the account's hash has the current work factors.
  private func compare(
    _ password: String, email: String, from source: LoginSource
  ) async throws -> (account: Account, passwordHash: String)? {
    guard password.utf8.count <= Limits.passwordBytesMax, email.utf8.count <= Limits.emailBytesMax else { return nil }
    let target = try await loginGuard.target(email: email, from: source)
    do {
      try loginGuard.check(target)
      let stored = try await database.credentials(email: email)
      let request = PasswordQueue.HashRequest(target.isKnown ? .known : .login, from: source.address)
      let (attempt, isRight) = try await passwords.compare(
        password, with: stored?.passwordHash, for: request, onStart: { try loginGuard.begin(target) },
        onPostponed: { loginGuard.cancelled($0) })
      guard let isRight else {
        loginGuard.cancelled(attempt)
        throw Problem.busy
      }
      if isRight { loginGuard.succeeded(attempt) } else { loginGuard.failed(attempt) }
      return isRight ? stored : nil
    } catch let problem as Problem where problem.code == "too_many_logins" {
      audit.note(.loginRateLimited, account: nil, source)
      throw problem
    }
  }
}

extension Problem {
  static let wrongPassword = Problem(
    .forbidden, "wrong_password", "the password is wrong; nothing has changed", field: "currentPassword")
  fileprivate static let loginNotRecent = Problem(
    .forbidden, "login_not_recent",
    "the account has no password, so this needs a login within the last \(Limits.loginRecentMs / 60_000) minutes; "
      + "log in with your provider again, then repeat the request")
  /// The problem of an unknown account, a wrong password or a disabled account. The text does not say which.
  static let badCredentials = Problem(.forbidden, "bad_credentials", "no account has this email address and password")
}
