import Domain
import HTTPTypes
import Logging
import Messaging
import SignIn
import Store
import Synchronization
import Web

/// Login through external identity providers, for every API. Any thread.
final class ExternalSignIn: Sendable {
  let logins: PasswordLogin
  /// Client of Facebook. Nil if it is not configured.
  let facebook: FacebookGraph?
  /// Client of the OpenID Connect provider. Nil if it is not configured.
  let openID: OpenIDProvider?
  /// True if a first login creates an account.
  let isOpen: Bool

  private let logger: Logger
  private let permits = AsyncSemaphore(permits: Limits.concurrentProviderLoginsMax)
  /// Logins of users who are at the provider now.
  private let authorizations = Mutex(PendingAuthorizations())
  private let logLimiter = Mutex(LogRateLimiter())

  init(
    logins: PasswordLogin, facebook: FacebookConfiguration?, openID: OpenIDConfiguration?, isOpen: Bool, logger: Logger
  ) {
    self.logins = logins
    self.facebook = facebook.map(FacebookGraph.init)
    self.openID = openID.map { OpenIDProvider($0) { WallClock.unixMs } }
    self.isOpen = isOpen
    self.logger = logger
  }

  /// Issuers with which users can log in.
  var issuers: Set<String> {
    Set([facebook.map { _ in FacebookGraph.issuer }, openID?.configuration.issuer].compactMap(\.self))
  }

  /// Ends the clients of the providers.
  func end() {
    facebook?.end()
    openID?.end()
  }

  /// Begins a session for the owner of a Facebook access token. The session is durable on return.
  ///
  /// - Throws: `Problem.facebookDisabled`, or a problem as in `requestIdentity` and `logIn(_:from:)`.
  func logIn(facebookToken: String, from source: LoginSource) async throws -> (token: String, session: Session) {
    try await logIn(identity(facebookToken: facebookToken, from: source), from: source)
  }

  /// Begins an authorization at the OpenID Connect provider.
  ///
  /// - Parameters:
  ///   - returnPath: The path to open afterwards. Nil selects the page.
  ///   - link: The account to which the identity is linked. Nil for a login.
  /// - Returns: The URL for the browser, and the key with which the browser must return.
  /// - Throws: A problem if there is no provider, it is unavailable, the path is invalid, or too many requests wait.
  func begin(
    returnPath: String?, link: AccountID?, from source: LoginSource
  ) async throws -> (location: String, key: String) {
    guard let openID else { throw Problem.openIDDisabled }
    let path = returnPath ?? "/"
    guard ExternalSignIn.isReturnPath(path) else {
      throw Problem(
        .badRequest, "invalid_return",
        "return must be a path of this site, such as /, of at most \(Limits.returnPathBytesMax) bytes", field: "return")
    }
    let authorization = PendingAuthorization(
      state: Secrets.token(), nonce: Secrets.token(), verifier: Secrets.token(), returnPath: path, link: link)
    do {
      let location = try await withPermit { () async throws(IdentityFailure) in
        try await openID.authorization(of: authorization)
      }
      let key = Secrets.token()
      let network = source.address?.network.description ?? ""
      authorizations.withLock { $0.begin(authorization, key: key, network: network, nowMs: WallClock.unixMs) }
      return (location, key)
    } catch let failure as IdentityFailure {
      note(failure)
      throw Problem.providerUnavailable
    }
  }

  /// Removes and returns the authorization that a browser began. Returns nil if the browser began none, or at the
  /// second call.
  func consumeAuthorization(key: String, state: String) -> PendingAuthorization? {
    authorizations.withLock { $0.consume(key: key, state: state, nowMs: WallClock.unixMs) }
  }

  /// Exchanges the authorization code of the OpenID Connect provider for the identity of the user.
  ///
  /// - Parameter issuer: The issuer in the provider's response. Nil if the response names none.
  /// - Throws: A problem as in `requestIdentity`.
  func identity(
    code: String, issuer: String?, of authorization: PendingAuthorization, from source: LoginSource
  ) async throws -> ProvidedIdentity {
    guard let openID else { throw Problem.openIDDisabled }
    return try await requestIdentity(for: source) { () async throws(IdentityFailure) in
      try await openID.check(issuer: issuer)
      return try await openID.identity(code: code, of: authorization)
    }
  }

  /// Returns the identity of the owner of a Facebook access token.
  ///
  /// - Throws: `Problem.facebookDisabled`, or a problem as in `requestIdentity`.
  func identity(facebookToken: String, from source: LoginSource) async throws -> ProvidedIdentity {
    guard let facebook else { throw Problem.facebookDisabled }
    return try await requestIdentity(for: source) { () async throws(IdentityFailure) in
      try await facebook.identity(accessToken: facebookToken)
    }
  }

  /// Returns true for a path that every browser resolves within this site.
  static func isReturnPath(_ path: String) -> Bool {
    path.hasPrefix("/") && !path.hasPrefix("//") && path.utf8.count <= Limits.returnPathBytesMax
      && path.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
  }

  /// Requests an identity from a provider. Limits concurrent requests, and refuses networks whose logins often fail.
  ///
  /// - Throws: A problem if the network failed too often, too many requests wait, or the provider refuses or is
  ///   unavailable.
  private func requestIdentity(
    for source: LoginSource, _ request: () async throws(IdentityFailure) -> ProvidedIdentity
  ) async throws -> ProvidedIdentity {
    let attempt: LoginGuard.Attempt
    do { attempt = try logins.loginGuard.begin(from: source) } catch {
      logins.audit.note(.loginRateLimited, account: nil, source)
      throw error
    }
    do {
      let identity = try await withPermit(request)
      logins.loginGuard.cancelled(attempt)
      return identity
    } catch let failure as IdentityFailure {
      note(failure)
      switch failure {
      case .refused:
        logins.loginGuard.failed(attempt)
        logins.audit.note(.identityRefused, account: nil, source)
        throw Problem.identityRefused
      case .unavailable:
        logins.loginGuard.cancelled(attempt)
        throw Problem.providerUnavailable
      }
    } catch {
      logins.loginGuard.cancelled(attempt)
      throw error
    }
  }

  /// Runs a request within the limit of concurrent requests.
  ///
  /// - Throws: `Problem.busy` if too many requests wait, and the errors of `request`.
  private func withPermit<Value>(_ request: () async throws(IdentityFailure) -> Value) async throws -> Value {
    guard let value = try await permits.withPermit(request) else { throw Problem.busy }
    return value
  }

  /// Logs a failure, each code at a limited rate.
  private func note(_ failure: IdentityFailure) {
    guard let suppressed = logLimiter.withLock({ $0.admit(failure.code, nowMs: WallClock.unixMs) }) else { return }
    var metadata: Logger.Metadata = ["code": "\(failure.code)"]
    if suppressed > 0 { metadata["suppressed"] = "\(suppressed)" }
    logger.warning("provider login failed", metadata: metadata)
  }

  /// Begins a session of the identity's account. Creates the account if there is none. The session and the account are
  /// durable on return.
  ///
  /// An existing account with the same email address is not used, because its owner has not agreed.
  ///
  /// - Throws: A problem if sign-up is closed, the address is taken, or the account is disabled.
  func logIn(
    _ identity: ProvidedIdentity, from source: LoginSource
  ) async throws -> (token: String, session: Session) {
    let newEmail = isOpen ? identity.email ?? ExternalSignIn.unroutableEmail() : nil
    let account: Account
    switch try await logins.database.account(of: identity, newEmail: newEmail, unixMs: WallClock.unixMs) {
    case .existing(let existing): account = existing
    case .created(let created):
      logins.audit.note(.accountCreated, account: created.id, source)
      account = created
    case .emailTaken: throw Problem.identityEmailTaken
    case .unknown: throw Problem.signUpClosed
    }
    guard let newSession = try await logins.sessions.begin(account, from: source, unixMs: WallClock.unixMs) else {
      logins.audit.note(.loginFailed, account: account.id, source)
      throw Problem.accountDisabled
    }
    logins.audit.note(.loggedIn, account: account.id, source)
    return newSession
  }

  /// Links an identity to the caller's account. The link is durable on return.
  ///
  /// - Throws: A problem if the identity belongs to another account, the account has the maximum number, or the session
  ///   has ended.
  func link(
    _ identity: ProvidedIdentity, to caller: AuthenticatedCaller, from source: LoginSource
  ) async throws -> LinkedIdentity {
    let account = caller.account.id
    let outcome = try await logins.database.link(
      identity, to: account, session: Secrets.hash(caller.token), unixMs: WallClock.unixMs)
    switch outcome {
    case .linked(let linked):
      logins.audit.note(.identityLinked, account: account, source)
      return linked
    case .linkedToAnother: throw Problem.identityTaken
    case .tooMany: throw Problem.tooManyIdentities
    case .noSession: throw Problem.unauthorized
    }
  }

  /// Returns a random email address for an account without a known address. Mail to `.invalid` leads nowhere (RFC
  /// 2606). Another user cannot have registered a random address before.
  private static func unroutableEmail() -> String {
    SessionID(tokenHash: Secrets.hash(Secrets.token())).description + "@login.invalid"
  }
}

extension Problem {
  static let signUpClosed = Problem(
    .forbidden, "sign_up_closed", "sign-up is closed; ask the server's operator for an account")
  static let facebookDisabled = Problem(
    .forbidden, "facebook_disabled",
    "login with Facebook is disabled; log in with your email address and password")
  static let openIDDisabled = Problem(
    .forbidden, "oidc_disabled",
    "login with OpenID Connect is disabled; GET /v2/login lists the login methods")
  static let identityRefused = Problem(
    .forbidden, "identity_refused", "the provider refused this login; log in there again")
  static let providerUnavailable = Problem(
    .serviceUnavailable, "provider_unavailable",
    "the login provider is unavailable; try again later, or use another login method",
    retryAfterSeconds: Limits.retryProviderSeconds)
  static let identityTaken = Problem(
    .conflict, "identity_taken", "this identity belongs to another account; nothing has changed")
  static let tooManyIdentities = Problem(
    .conflict, "too_many_identities",
    "the account has \(Limits.identitiesOfAccountMax) identities, the maximum; remove one first")
  static let accountDisabled = Problem(
    .forbidden, "account_disabled", "this account is disabled; ask the server's operator")
  static let identityEmailTaken = Problem(
    .conflict, "email_taken",
    "there is an account with this email address; log in with its password, then add this provider",
    field: "email")
}
