import Domain
import HTTPTypes
import Hummingbird
import Mail
import Messaging
import Store
import Web

/// Routes of `/v2/recovery`, which replace a forgotten password, and of `/v2/account/confirmation` and
/// `/v2/confirmation`, which confirm an email address.
struct RecoveryRoutes: Sendable {
  let database: any MailTokenStore & AccountStore
  /// Nil if ingest sends no mail.
  let mail: AccountMail?
  let method: RecoveryMethod
  let sessions: Sessions
  let passwords: PasswordHasher
  let audit: AuditLog
  let site: Site

  struct RecoveryRequest: Decodable {
    let email: String
  }

  struct Recovery: Decodable {
    let token: String
    let password: String
  }

  struct EmailConfirmation: Decodable {
    let token: String
  }

  func add(to router: Router<ConnectionContext>) {
    router.post("/v2/recovery") { request, context in
      try await requestRecovery(request, site.source(of: request, context))
    }
    router.put("/v2/recovery") { request, context in try await recover(request, site.source(of: request, context)) }
    router.post("/v2/account/confirmation") { request, context in
      try await requestConfirmation(request, site.source(of: request, context))
    }
    router.put("/v2/confirmation") { request, context in try await confirm(request, site.source(of: request, context)) }
    router.respondMethodNotAllowed(at: "/v2/recovery", allow: .post, .put)
    router.respondMethodNotAllowed(at: "/v2/account/confirmation", allow: .post)
    router.respondMethodNotAllowed(at: "/v2/confirmation", allow: .put)
  }

  /// Responds before the lookup of the account, so that the response is the same for every address.
  private func requestRecovery(_ request: Request, _ source: LoginSource) async throws -> Response {
    // Otherwise another site could send mails to its visitors.
    try site.requireSameOrigin(request)
    let body = try await RequestBody.decode(RecoveryRequest.self, from: request)
    let email = body.email.trimmedLine.lowercased()
    try requireMail().request(.recovery, to: email, in: MailLanguage(of: request), from: source)
    return RecoveryRoutes.queued(.recovery)
  }

  /// Sets a new password, ends all sessions, and begins a new one. The password is durable before the response.
  private func recover(_ request: Request, _ source: LoginSource) async throws -> Response {
    // Otherwise another site could log its visitors in to an account of its own.
    try site.requireSameOrigin(request)
    let body = try await RequestBody.decode(Recovery.self, from: request)
    try Registration.check(password: body.password)
    let tokenHash = try RecoveryRoutes.hash(ofToken: body.token)
    // Check this before the hash, which waits in a queue.
    guard try await database.account(ofMailToken: tokenHash, .recovery, unixMs: WallClock.unixMs) != nil else {
      throw Problem.invalidToken
    }
    let hash = try await passwords.hash(body.password, for: PasswordQueue.HashRequest(.known, from: source.address))
    guard
      let account = try await database.recover(mailToken: tokenHash, passwordHash: hash, unixMs: WallClock.unixMs)
    else { throw Problem.invalidToken }
    audit.note(.passwordRecovered, account: account.id, source)
    guard
      let newSession = try await sessions.begin(
        account, passwordHash: hash, from: source, unixMs: WallClock.unixMs)
    else { throw Problem.unauthorized }
    return AccountRoutes.response(for: newSession, status: .ok, site: site)
  }

  private func requestConfirmation(_ request: Request, _ source: LoginSource) async throws -> Response {
    let caller = try await AuthenticatedCaller.authenticate(request, sessions: sessions, site: site)
    let mail = try requireMail()
    // Read the account again: the session may hold an older state.
    guard let account = try await database.account(caller.account.id) else { throw Problem.unauthorized }
    guard !account.isEmailConfirmed else { return Response(status: .noContent) }
    try mail.request(
      .confirmation, to: account.email, of: account.id, in: MailLanguage(of: request), from: source)
    return RecoveryRoutes.queued(.confirmation)
  }

  /// Confirms an email address. The token suffices, because a user may open the mail in another browser.
  private func confirm(_ request: Request, _ source: LoginSource) async throws -> Response {
    try site.requireSameOrigin(request)
    let body = try await RequestBody.decode(EmailConfirmation.self, from: request)
    let tokenHash = try RecoveryRoutes.hash(ofToken: body.token)
    guard let account = try await database.confirmEmail(mailToken: tokenHash, unixMs: WallClock.unixMs) else {
      throw Problem.invalidToken
    }
    audit.note(.emailConfirmed, account: account.id, source)
    return Response(status: .noContent)
  }

  private func requireMail() throws(Problem) -> AccountMail {
    guard let mail else { throw .mailDisabled(contact: method.operatorContact) }
    return mail
  }

  private static func hash(ofToken token: String) throws(Problem) -> [UInt8] {
    guard token.utf8.count == Limits.mailTokenBytes else { throw .invalidToken }
    return Secrets.hash(token)
  }

  private static func queued(_ purpose: MailToken.Purpose) -> Response {
    Response(.object { $0.add("validSeconds", purpose.lifetimeMs / 1_000) }, status: .accepted)
  }
}

extension MailLanguage {
  /// Selects the language of a mail that answers a request: the page's language, if mails have it. Otherwise English.
  init(of request: Request) {
    let language = request.language(among: MailLanguage.allCases.map(\.rawValue))
    self = MailLanguage(rawValue: language) ?? .english
  }
}

extension Problem {
  /// The problem of a token that is unknown, used, expired or replaced. The text does not say which.
  fileprivate static let invalidToken = Problem(
    .unprocessableContent, "invalid_token", "this link is unknown, was used or has expired; request another mail",
    field: "token")

  fileprivate static func mailDisabled(contact: String?) -> Problem {
    Problem(
      .forbidden, "mail_disabled",
      "this server sends no mail; ask its operator" + (contact.map { ": \($0)" } ?? ""))
  }
}
