import Domain
import HTTPTypes
import Hummingbird
import SignIn
import Web

/// `/v2/login`: the ways to log in, and the one by OpenID Connect: to the provider, and back.
struct LoginRoutes: Sendable {
  let providers: ExternalSignIn
  let site: Site

  func add(to router: Router<ConnectionContext>) {
    router.get("/v2/login") { _, _ in Response(.object { providers.writeLoginMethods(to: &$0) }) }
    router.respondMethodNotAllowed(at: "/v2/login", than: .get)
    router.get("/v2/login/oidc") { request, context in try await begin(request, site.source(of: request, context)) }
    router.get("/v2/login/oidc/callback") { request, context in
      try await end(request, site.source(of: request, context))
    }
    router.respondMethodNotAllowed(at: "/v2/login/oidc", than: .get)
    router.respondMethodNotAllowed(at: "/v2/login/oidc/callback", than: .get)
  }

  /// Sends a browser to the provider.
  private func begin(_ request: Request, _ source: LoginSource) async throws -> Response {
    // Another site could have people log in as somebody else.
    try site.requireSameOrigin(request)
    let returnPath = Query(request)["return"] ?? "/"
    do {
      let begun = try await providers.begin(returnPath: returnPath, link: nil, from: source)
      var response = Response(status: .seeOther, headers: [.location: begun.location])
      response.setCookie(site.loginCookie(begun.key, maxAge: Int(Limits.loginFlowMs / 1_000)))
      return response
    } catch let problem as Problem where ExternalSignIn.isReturnPath(returnPath) {
      return try LoginRoutes.refusal(problem, of: request, at: returnPath)
    }
  }

  /// Takes a browser back from the provider. Whoever has not begun the login in this browser ends none: it could be
  /// another's, who then sees what is done in his name.
  private func end(_ request: Request, _ source: LoginSource) async throws -> Response {
    let query = Query(request)
    let key = request.cookies[site.loginCookieName]?.value ?? ""
    guard let flow = providers.consumeAuthorization(key: key, state: query["state"] ?? "") else {
      return try LoginRoutes.refusal(.loginUnknown, of: request, at: "/")
    }
    do { return try await finish(flow, query, request, source) } catch let problem as Problem {
      var response = try LoginRoutes.refusal(problem, of: request, at: flow.returnPath)
      response.setCookie(site.loginCookie("", maxAge: 0))
      return response
    }
  }

  private func finish(
    _ flow: PendingAuthorization, _ query: Query, _ request: Request, _ source: LoginSource
  ) async throws -> Response {
    var caller: AuthenticatedCaller?
    if let link = flow.link {
      caller = try await AuthenticatedCaller.authenticate(request, sessions: providers.logins.sessions, site: site)
      guard caller?.account.id == link else { throw Problem.loginUnknown }
    }
    if let error = query["error"] { throw LoginRoutes.problem(error) }
    let identity = try await providers.identity(code: query["code"] ?? "", issuer: query["iss"], of: flow, from: source)
    var response = Response(status: .seeOther, headers: [.location: flow.returnPath])
    if let caller {
      _ = try await providers.link(identity, to: caller, from: source)
    } else {
      let begun = try await providers.logIn(identity, from: source)
      response.setCookie(site.sessionCookie(begun.token, maxAge: Limits.sessionDays * 86_400))
    }
    response.setCookie(site.loginCookie("", maxAge: 0))
    return response
  }

  /// A browser is sent back to where the login was to lead, with the problem's code as `login`: the page says it in
  /// words. Programs get the problem itself.
  private static func refusal(_ problem: Problem, of request: Request, at path: String) throws -> Response {
    guard request.wantsPage else { throw problem }
    let parts = path.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let fragment = parts.count == 2 ? "#\(parts[1])" : ""
    let location = "\(parts[0])\(parts[0].contains("?") ? "&" : "?")login=\(problem.code)\(fragment)"
    return Response(status: .seeOther, headers: [.location: location])
  }

  /// What the provider has sent somebody back with. (RFC 6749, section 4.1.2.1; OpenID Connect Core, section 3.1.2.6.)
  private static func problem(_ error: String) -> Problem {
    switch error {
    case "access_denied", "login_required", "consent_required", "interaction_required", "account_selection_required":
      Problem(
        .forbidden, "login_denied", "the login at the provider was not finished; begin again, or log in otherwise")
    default: Problem.providerUnavailable
    }
  }
}

extension ExternalSignIn {
  /// Adds the ways to log in that are on to an open object.
  func writeLoginMethods(to json: inout JSONWriter) {
    var ways: [(kind: String, name: String?)] = [("password", nil)]
    if let openID { ways.append(("openid", openID.configuration.name)) }
    if facebook != nil { ways.append(("facebook", nil)) }
    json.array("ways", ways) { json, way in
      json.add("kind", way.kind)
      if let name = way.name {
        json.add("name", name)
        json.add("path", "/v2/login/oidc")
      }
    }
    json.add("signUpOpen", isOpen)
  }
}

extension Site {
  /// Of a login that is at the provider; the strict prefix needs TLS.
  var loginCookieName: String { cookieName + "-login" }

  /// By which a browser is known again when it comes back.
  ///
  /// - Parameter maxAge: seconds; 0 takes it away.
  func loginCookie(_ key: String, maxAge: Int) -> Cookie {
    Cookie(
      name: loginCookieName, value: key, maxAge: maxAge, path: "/", secure: isSecure, httpOnly: true, sameSite: .lax)
  }
}

extension Problem {
  /// The same whatever was wrong with it.
  fileprivate static let loginUnknown = Problem(
    .badRequest, "login_unknown",
    "this login was not begun in this browser, is over, or has taken too long; begin again")
}
