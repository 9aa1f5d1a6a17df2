import Domain
import HTTPTypes
import Hummingbird
import Mail
import Messaging
import Store
import Web

/// Routes of `/v2/accounts` and `/v2/session`: sign-up, login, the caller's account, logout.
struct AccountRoutes: Sendable {
  let database: any AccountStore
  let sessions: Sessions
  let passwords: PasswordHasher
  let logins: PasswordLogin
  let providers: ExternalSignIn
  let site: Site
  /// True if anyone may sign up.
  let isOpen: Bool
  let signUps: SignUpGuard
  /// Nil if ingest sends no mail.
  let mail: AccountMail?

  struct SignUp: Decodable {
    let email: String
    let password: String
    let firstName: String
    let lastName: String?
  }

  /// The credentials in a login's body. A login must have exactly one.
  enum LogIn: Decodable {
    case password(email: String, password: String)
    case facebook(accessToken: String)
    case both

    private enum CodingKeys: CodingKey { case email, password, facebookAccessToken }

    init(from decoder: any Decoder) throws {
      let body = try decoder.container(keyedBy: CodingKeys.self)
      guard body.contains(.facebookAccessToken) else {
        self = .password(
          email: try body.decode(String.self, forKey: .email), password: try body.decode(String.self, forKey: .password)
        )
        return
      }
      let accessToken = try body.decode(String.self, forKey: .facebookAccessToken)
      self = body.contains(.email) || body.contains(.password) ? .both : .facebook(accessToken: accessToken)
    }
  }

  func add(to router: Router<ConnectionContext>) {
    router.post("/v2/accounts") { request, context in try await signUp(request, site.source(of: request, context)) }
    router.post("/v2/session") { request, context in try await logIn(request, site.source(of: request, context)) }
    router.get("/v2/session") { request, _ in
      let caller = try await AuthenticatedCaller.authenticate(request, sessions: sessions, site: site)
      return Response(.object { caller.account.write(to: &$0) })
    }
    router.delete("/v2/session") { request, context in
      let caller = try await AuthenticatedCaller.authenticate(request, sessions: sessions, site: site)
      try await sessions.end(token: caller.token)
      logins.audit.note(.loggedOut, account: caller.account.id, site.source(of: request, context))
      var response = Response(status: .noContent)
      response.setCookie(site.sessionCookie("", maxAge: 0))
      return response
    }
    router.respondMethodNotAllowed(at: "/v2/accounts", allow: .post)
    router.respondMethodNotAllowed(at: "/v2/session", allow: .get, .post, .delete)
  }

  private func signUp(_ request: Request, _ source: LoginSource) async throws -> Response {
    try site.requireSameOrigin(request)
    let body = try await RequestBody.decode(SignUp.self, from: request)
    guard isOpen else { throw Problem.signUpClosed }
    let registration = try Registration(
      email: body.email, password: body.password, firstName: body.firstName, lastName: body.lastName ?? "")
    let account = try await addAccount(registration, source)
    logins.audit.note(.accountCreated, account: account.id, source)
    mail?.confirm(account, in: MailLanguage(of: request), from: source)
    guard let newSession = try await sessions.begin(account, from: source, unixMs: WallClock.unixMs) else {
      throw Problem.unauthorized
    }
    return Self.response(for: newSession, status: .created, site: site)
  }

  /// Creates an account.
  ///
  /// - Throws: `Problem.emailTaken`, `Problem.busy`, or a problem with the seconds to wait. The client must wait if its
  ///   network named too many addresses with accounts, or created too many accounts.
  private func addAccount(_ registration: Registration, _ source: LoginSource) async throws -> Account {
    let loginGuard = logins.loginGuard
    // Sign-up reveals which addresses have accounts, so it is rate limited like guesses of a password.
    try loginGuard.check(source)
    // Check this before the hash, which waits in a queue.
    guard try await database.accountID(email: registration.email) == nil else {
      try loginGuard.countEmailTaken(source)
      throw Problem.emailTaken
    }
    try signUps.consume(source)
    do {
      let hash = try await passwords.hash(
        registration.password, for: PasswordQueue.HashRequest(.signUp, from: source.address))
      return try await database.addAccount(registration, passwordHash: hash, unixMs: WallClock.unixMs)
    } catch {
      signUps.refund(source)
      guard error is EmailTaken else { throw error }
      try loginGuard.countEmailTaken(source)
      throw Problem.emailTaken
    }
  }

  private func logIn(_ request: Request, _ source: LoginSource) async throws -> Response {
    // Otherwise another site could log its visitors in to an account of its own, and see their posts there.
    try site.requireSameOrigin(request)
    let body = try await RequestBody.decode(LogIn.self, from: request)
    let newSession =
      switch body {
      case .password(let email, let password): try await logins.logIn(email: email, password: password, from: source)
      case .facebook(let token): try await providers.logIn(facebookToken: token, from: source)
      case .both:
        throw Problem(
          .unprocessableContent, "conflicting_credentials",
          "send either email and password or facebookAccessToken, not both",
          field: "facebookAccessToken")
      }
    return Self.response(for: newSession, status: .ok, site: site)
  }

  /// Creates the response for a new session.
  static func response(
    for newSession: (token: String, session: Session), status: HTTPResponse.Status, site: Site
  ) -> Response {
    let (token, session) = newSession
    var response = Response(
      .object { json in
        json.add("token", token)
        json.add("expiresAt", unixMs: session.expiresMs)
        json.object("account") { session.account.write(to: &$0) }
      }, status: status)
    response.setCookie(site.sessionCookie(token, maxAge: Limits.sessionDays * 86_400))
    return response
  }
}

extension Account {
  /// Adds the account's members, as its owner sees them, to an open object.
  func write(to json: inout JSONWriter) {
    json.add("id", String(id.rawValue))
    json.add("email", email)
    json.add("emailConfirmed", isEmailConfirmed)
    json.add("firstName", firstName)
    json.add("lastName", lastName)
    json.add("createdAt", unixMs: createdMs)
    json.add("hasPassword", hasPassword)
    json.add("operator", isOperator)
  }
}
