import Domain
import HTTPTypes
import Hummingbird
import Mail
import Messaging
import Store
import Web

/// Routes of `/v2/account`: read, change and delete the caller's account with all its posts.
struct ProfileRoutes: Sendable {
  let queue: PostPipeline
  let sessions: Sessions
  let logins: PasswordLogin
  let site: Site
  /// Nil if ingest sends no mail.
  let mail: AccountMail?

  struct Change: Decodable {
    let email: String?
    let firstName: String?
    let lastName: String?
    let currentPassword: String?
  }

  func add(to router: Router<ConnectionContext>) {
    router.get("/v2/account") { request, _ in
      let caller = try await AuthenticatedCaller.authenticate(request, sessions: sessions, site: site)
      return Response(.object { caller.account.write(to: &$0) })
    }
    router.patch("/v2/account") { request, context in try await change(request, site.source(of: request, context)) }
    router.delete("/v2/account") { request, context in try await delete(request, site.source(of: request, context)) }
    router.respondMethodNotAllowed(at: "/v2/account", allow: .get, .patch, .delete)
  }

  /// Changes the fields that the body names.
  private func change(_ request: Request, _ source: LoginSource) async throws -> Response {
    let caller = try await AuthenticatedCaller.authenticate(request, sessions: sessions, site: site)
    let body = try await RequestBody.decode(Change.self, from: request)
    let change = try ProfileChange(email: body.email, firstName: body.firstName, lastName: body.lastName)
    if let email = change.email, email != caller.account.email {
      // A change reveals which addresses have accounts, so it is rate limited like a sign-up.
      try logins.loginGuard.check(source)
      _ = try await logins.confirm(body.currentPassword, of: caller, from: source)
    }
    let account: Account
    do { account = try await queue.change(caller.account.id, change) } catch let problem as Problem
      where problem.code == Problem.emailTaken.code
    {
      try logins.loginGuard.countEmailTaken(source)
      throw problem
    }
    if account.email != caller.account.email {
      logins.audit.note(.emailChanged, account: account.id, source)
      mail?.confirm(account, in: MailLanguage(of: request), from: source)
    }
    return Response(.object { account.write(to: &$0) })
  }

  /// Deletes the account. Responds after all its data is erased.
  private func delete(_ request: Request, _ source: LoginSource) async throws -> Response {
    let caller = try await AuthenticatedCaller.authenticate(request, sessions: sessions, site: site)
    let body = try await RequestBody.decode(Confirmation.self, from: request)
    _ = try await logins.confirm(body.currentPassword, of: caller, from: source)
    guard try await logins.database.close(caller.account.id, unixMs: WallClock.unixMs) else {
      throw Problem.unauthorized
    }
    logins.audit.note(.accountDeleted, account: caller.account.id, source)
    try await queue.erasePosts(of: caller.account.id)
    var response = Response(status: .noContent)
    response.setCookie(site.sessionCookie("", maxAge: 0))
    return response
  }
}
