import Domain
import HTTPTypes
import Hummingbird
import Messaging
import Store
import Web

/// Routes of `/v2/sessions`: list and end the account's sessions. Also `/v2/account/password`, which changes the
/// password, ends all sessions and begins a new one.
struct SessionRoutes: Sendable {
  let database: any LoginStore & AccountStore
  let sessions: Sessions
  let passwords: PasswordHasher
  let logins: PasswordLogin
  let site: Site

  struct PasswordChange: Decodable {
    let currentPassword: String?
    let password: String
  }

  func add(to router: Router<ConnectionContext>) {
    router.get("/v2/sessions") { request, _ in try await list(request) }
    router.delete("/v2/sessions") { request, context in try await endAll(request, site.source(of: request, context)) }
    router.delete("/v2/sessions/{id}") { request, context in
      try await end(context.parameters.get("id"), request, site.source(of: request, context))
    }
    router.put("/v2/account/password") { request, context in
      try await changePassword(request, site.source(of: request, context))
    }
    router.respondMethodNotAllowed(at: "/v2/sessions", allow: .get, .delete)
    router.respondMethodNotAllowed(at: "/v2/sessions/{id}", allow: .delete)
    router.respondMethodNotAllowed(at: "/v2/account/password", allow: .put)
  }

  private func list(_ request: Request) async throws -> Response {
    let caller = try await AuthenticatedCaller.authenticate(request, sessions: sessions, site: site)
    let all = try await database.sessions(of: caller.account.id, unixMs: WallClock.unixMs)
    return Response(
      .object { json in
        json.array("sessions", all) { json, session in
          json.add("id", session.id.description)
          json.add("createdAt", unixMs: session.createdMs)
          json.add("expiresAt", unixMs: session.expiresMs)
          json.add("current", session.id == caller.session.id)
          if let address = session.source.address { json.add("address", address.description) }
          json.add("userAgent", session.source.agent)
        }
      })
  }

  /// Ends all sessions. With `except=current`, the caller's session remains.
  private func endAll(_ request: Request, _ source: LoginSource) async throws -> Response {
    let caller = try await AuthenticatedCaller.authenticate(request, sessions: sessions, site: site)
    let query = Query(request)
    guard query["except"] == nil || query["except"] == "current" else {
      throw Problem(.badRequest, "invalid_except", "except must be current or absent", field: "except")
    }
    let keepsOwn = query["except"] != nil
    try await sessions.endAll(of: caller.account.id, except: keepsOwn ? caller.token : nil)
    logins.audit.note(.sessionsEnded, account: caller.account.id, source)
    var response = Response(status: .noContent)
    if !keepsOwn { response.setCookie(site.sessionCookie("", maxAge: 0)) }
    return response
  }

  private func end(_ id: String?, _ request: Request, _ source: LoginSource) async throws -> Response {
    let caller = try await AuthenticatedCaller.authenticate(request, sessions: sessions, site: site)
    guard let id = id.flatMap({ SessionID($0) }), try await sessions.end(id, of: caller.account.id) else {
      throw Problem(.notFound, "session_not_found", "you have no session with this id")
    }
    logins.audit.note(.sessionsEnded, account: caller.account.id, source)
    return Response(status: .noContent)
  }

  private func changePassword(_ request: Request, _ source: LoginSource) async throws -> Response {
    let caller = try await AuthenticatedCaller.authenticate(request, sessions: sessions, site: site)
    let body = try await RequestBody.decode(PasswordChange.self, from: request)
    try Registration.check(password: body.password)
    let comparedHash = try await logins.confirm(body.currentPassword, of: caller, from: source)
    let hash = try await passwords.hash(body.password, for: PasswordQueue.HashRequest(.known, from: source.address))
    guard try await database.setPassword(of: caller.account.id, hash, from: comparedHash, ending: .sessions) else {
      throw Problem.wrongPassword
    }
    logins.audit.note(.passwordChanged, account: caller.account.id, source)
    var account = caller.account
    account.hasPassword = true
    guard
      let newSession = try await sessions.begin(
        account, passwordHash: hash, from: source, unixMs: WallClock.unixMs)
    else { throw Problem.unauthorized }
    return AccountRoutes.response(for: newSession, status: .ok, site: site)
  }
}
