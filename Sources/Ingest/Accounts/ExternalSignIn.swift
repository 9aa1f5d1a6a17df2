import Domain
import HTTPTypes
import Logging
import Messaging
import SignIn
import Store
import Synchronization
import Web

/// Logging in as somebody whom a provider knows, whichever API asks for it. Any thread.
final class ExternalSignIn: Sendable {
  let logins: PasswordLogin
  /// Nil where it is not configured.
  let facebook: FacebookGraph?
  /// The same.
  let openID: OpenIDProvider?
  /// Whether those who come for the first time get an account.
  let isOpen: Bool

  private let logger: Logger
  private let permits = AsyncSemaphore(permits: Limits.providerLoginsAtOnceMax)
  /// Those who are at the provider.
  private let flows = Mutex(PendingAuthorizations())
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

  /// Of those with whom one can log in.
  var issuers: Set<String> {
    Set([facebook.map { _ in FacebookGraph.issuer }, openID?.configuration.issuer].compactMap(\.self))
  }

  /// Asks nobody any more.
  func end() {
    facebook?.end()
    openID?.end()
  }

  /// A new session of whoever has this access token of Facebook's. On disk on return.
  ///
  /// - Throws: a problem: of `ask`, `logIn`, or that nobody logs in so here.
  func logIn(facebookToken: String, from source: LoginSource) async throws -> (token: String, session: Session) {
    try await logIn(identity(facebookToken: facebookToken, from: source), from: source)
  }

  /// Begins a way to the provider of OpenID Connect.
  ///
  /// - Parameters:
  ///   - returnPath: where to go afterwards; nil for the page.
  ///   - link: whose way to log in the identity is to become; nil for a login.
  /// - Returns: where to send the browser, and what it has to come back with.
  /// - Throws: a problem: there is no such provider or it cannot be asked, the path is none, or too many ask.
  func begin(
    returnPath: String?, link: AccountID?, from source: LoginSource
  ) async throws -> (location: String, key: String) {
    guard let openID else { throw Problem.openIDOff }
    let path = returnPath ?? "/"
    guard ExternalSignIn.isReturnPath(path) else {
      throw Problem(
        .badRequest, "invalid_return",
        "return must be a path of this site, such as /, of \(Limits.returnPathBytesMax) bytes at most", field: "return")
    }
    let flow = PendingAuthorization(
      state: Secrets.token(), nonce: Secrets.token(), verifier: Secrets.token(), returnPath: path, link: link)
    do {
      let location = try await withPermit { () async throws(IdentityFailure) in
        try await openID.authorization(of: flow)
      }
      let key = Secrets.token()
      let network = source.address?.network.description ?? ""
      flows.withLock { $0.begin(flow, key: key, network: network, nowMs: WallClock.unixMs) }
      return (location, key)
    } catch let failure as IdentityFailure {
      note(failure)
      throw Problem.providerUnavailable
    }
  }

  /// What a browser that comes back had begun; nil where it had not, and a second time.
  func consumeAuthorization(key: String, state: String) -> PendingAuthorization? {
    flows.withLock { $0.consume(key: key, state: state, nowMs: WallClock.unixMs) }
  }

  /// Whom the provider of OpenID Connect has sent back.
  ///
  /// - Parameter issuer: who says to be the provider; nil where nobody does.
  /// - Throws: a problem, as `ask`.
  func identity(
    code: String, issuer: String?, of flow: PendingAuthorization, from source: LoginSource
  ) async throws -> ProvidedIdentity {
    guard let openID else { throw Problem.openIDOff }
    return try await ask(source) { () async throws(IdentityFailure) in
      try await openID.check(issuer: issuer)
      return try await openID.identity(code: code, of: flow)
    }
  }

  /// Whose access token of Facebook's this is.
  ///
  /// - Throws: a problem, as `ask`, or that nobody logs in so here.
  func identity(facebookToken: String, from source: LoginSource) async throws -> ProvidedIdentity {
    guard let facebook else { throw Problem.facebookOff }
    return try await ask(source) { () async throws(IdentityFailure) in
      try await facebook.identity(accessToken: facebookToken)
    }
  }

  /// Within this site, whatever a browser makes of it.
  static func isReturnPath(_ path: String) -> Bool {
    path.hasPrefix("/") && !path.hasPrefix("//") && path.utf8.count <= Limits.returnPathBytesMax
      && path.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
  }

  /// What a provider says, within bounds: few ask at once, and an address at which it often fails is held up.
  ///
  /// - Throws: a problem: who asks has failed too often, too many ask, the provider refuses or cannot be asked.
  private func ask(
    _ source: LoginSource, _ question: () async throws(IdentityFailure) -> ProvidedIdentity
  ) async throws -> ProvidedIdentity {
    let tried: LoginGuard.Attempt
    do { tried = try logins.loginGuard.begin(from: source) } catch {
      logins.audit.note(.loginThrottled, account: nil, source)
      throw error
    }
    do {
      let identity = try await withPermit(question)
      logins.loginGuard.cancelled(tried)
      return identity
    } catch let failure as IdentityFailure {
      note(failure)
      switch failure {
      case .refused:
        logins.loginGuard.failed(tried)
        logins.audit.note(.identityRefused, account: nil, source)
        throw Problem.identityRefused
      case .unavailable:
        logins.loginGuard.cancelled(tried)
        throw Problem.providerUnavailable
      }
    } catch {
      logins.loginGuard.cancelled(tried)
      throw error
    }
  }

  /// - Throws: `Problem.busy` when too many wait for providers; what the question throws.
  private func withPermit<Value>(_ question: () async throws(IdentityFailure) -> Value) async throws -> Value {
    guard let value = try await permits.withPermit(question) else { throw Problem.busy }
    return value
  }

  /// A line about each kind of failure, now and then.
  private func note(_ failure: IdentityFailure) {
    guard logLimiter.withLock({ $0.admit(failure.code, nowMs: WallClock.unixMs) }) != nil else { return }
    logger.warning("login with a provider failed", metadata: ["code": "\(failure.code)"])
  }

  /// A new session of the account that is this identity's, and a new account where there is none. On disk on return.
  ///
  /// An account that has the same e-mail address is not taken for his: nobody has asked its owner.
  ///
  /// - Throws: a problem: sign-up is closed, the address is taken, or nobody may log in to the account.
  func logIn(
    _ identity: ProvidedIdentity, from source: LoginSource
  ) async throws -> (token: String, session: Session) {
    let newEmail = isOpen ? identity.email ?? ExternalSignIn.unroutableEmail() : nil
    let account: Account
    switch try await logins.database.account(of: identity, newEmail: newEmail, unixMs: WallClock.unixMs) {
    case .existing(let known): account = known
    case .created(let made):
      logins.audit.note(.accountCreated, account: made.id, source)
      account = made
    case .emailTaken: throw Problem.identityEmailTaken
    case .unknown: throw Problem.signUpClosed
    }
    guard let begun = try await logins.sessions.begin(account, from: source, unixMs: WallClock.unixMs) else {
      logins.audit.note(.loginRefused, account: account.id, source)
      throw Problem.loginRefused
    }
    logins.audit.note(.loggedIn, account: account.id, source)
    return begun
  }

  /// Makes an identity one of the caller's account. On disk on return.
  ///
  /// - Throws: a problem: it is another account's, the account has too many, or the caller's session is over.
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
    case .taken: throw Problem.identityTaken
    case .tooMany: throw Problem.tooManyIdentities
    case .noSession: throw Problem.unauthorized
    }
  }

  /// For an account whose address nobody has told: one that leads nowhere (RFC 2606), and that nobody can have taken
  /// before, as he could one that is made of what others know.
  private static func unroutableEmail() -> String {
    SessionID(tokenHash: Secrets.hash(Secrets.token())).description + "@login.invalid"
  }
}

extension Problem {
  static let signUpClosed = Problem(
    .forbidden, "sign_up_closed", "this server's operator makes the accounts; ask for one there")
  static let facebookOff = Problem(
    .forbidden, "facebook_off", "this server takes no login with Facebook; log in with your e-mail address and password"
  )
  static let openIDOff = Problem(
    .forbidden, "openid_off", "this server takes no login with OpenID Connect; GET /v2/login tells the ways it takes")
  static let identityRefused = Problem(
    .forbidden, "identity_refused", "the provider does not vouch for this login; log in there again")
  static let providerUnavailable = Problem(
    .serviceUnavailable, "provider_unavailable",
    "the provider cannot be asked who you are; try again later, or log in another way",
    retryAfterSeconds: Limits.retryProviderSeconds)
  static let identityTaken = Problem(
    .conflict, "identity_taken", "whoever is logged in at the provider has another account here; nothing has changed")
  static let tooManyIdentities = Problem(
    .conflict, "too_many_identities",
    "the account has \(Limits.identitiesOfAccountMax) logins with providers already; nothing has changed")
  static let loginRefused = Problem(
    .forbidden, "login_refused", "nobody may log in to this account; its server's operator knows why")
  static let identityEmailTaken = Problem(
    .conflict, "email_taken",
    "there is an account with this e-mail address; log in with its password, then add this way of logging in",
    field: "email")
}
