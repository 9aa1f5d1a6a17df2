import Domain
import HTTPTypes
import Hummingbird
import Messaging
import Web

/// Routes of `/v1/session` and `/api/session`: login and logout for clients of the original service.
struct CompatSessionRoutes: Sendable {
  let sessions: Sessions
  let logins: PasswordLogin
  let providers: ExternalSignIn
  let site: Site

  func add(to router: Router<ConnectionContext>) {
    for path in ["/v1/session", "/api/session"] as [RouterPath] {
      router.post(path) { request, context in try await logIn(request, site.source(of: request, context)) }
      router.delete(path) { request, context in try await logOut(request, site.source(of: request, context)) }
      router.respondMethodNotAllowed(at: path, allow: .post, .delete)
    }
  }

  private func logIn(_ request: Request, _ source: LoginSource) async throws -> Response {
    try site.requireSameOrigin(request)
    let (token, session) =
      switch try CompatCredential(try await body(of: request), acceptsFacebook: providers.facebook != nil) {
      case .password(let email, let password): try await logins.logIn(email: email, password: password, from: source)
      case .facebook(let token): try await providers.logIn(facebookToken: token, from: source)
      }
    var response = CompatResponseFormat.guarded.response(
      .object { json in
        json.object("account") { json in
          json.add("registered", true)
          json.add("key", "\(session.account.id.rawValue)")
        }
        session.write(to: &json, expiresMs: session.expiresMs)
      })
    response.setCookie(site.sessionCookie(token, maxAge: Limits.sessionDays * 86_400))
    // Clients find this cookie by its name and return it in a header. Ingest does not check it, because browsers state
    // a request's origin themselves.
    response.setCookie(site.openCookie("XSRF-TOKEN", Secrets.token(), maxAge: Limits.sessionDays * 86_400))
    return response
  }

  private func body(of request: Request) async throws -> JSONValue {
    do { return try await RequestBody.decode(JSONValue.self, from: request) } catch let problem as Problem
      where problem.status == .badRequest
    {
      throw Problem(.badRequest, "classic_json", "Failed to parse JSON body.")
    }
  }

  private func logOut(_ request: Request, _ source: LoginSource) async throws -> Response {
    let caller = try await AuthenticatedCaller.authenticate(request, sessions: sessions, site: site)
    try await sessions.end(token: caller.token)
    logins.audit.note(.loggedOut, account: caller.account.id, source)
    var response = CompatResponseFormat.guarded.response(
      .object { json in caller.session.write(to: &json, expiresMs: WallClock.unixMs) })
    response.setCookie(site.sessionCookie("", maxAge: 0))
    response.setCookie(site.openCookie("XSRF-TOKEN", "", maxAge: 0))
    return response
  }
}

extension Session {
  /// Id of the session in the original service's form. It has the start in seconds since 1970, an `S` and the session's
  /// id.
  var compatID: String {
    let second = "\(createdMs / 1_000)"
    return String(repeating: "0", count: max(0, 10 - second.count)) + second + "S\(id)"
  }

  fileprivate func write(to json: inout JSONWriter, expiresMs: Int64) {
    json.object("session") { json in
      json.add("id", compatID)
      // Write six fractional digits, because some clients parse no other number of digits.
      json.add("expiration", timestamp(unixMs: expiresMs).dropLast() + "000Z")
    }
  }
}
