import Domain
import HTTPTypes
import Hummingbird
import SignIn
import Web

/// Routes of `/v2/login`: the login methods, and the redirects to and from the OpenID Connect provider.
struct LoginRoutes: Sendable {
  let providers: ExternalSignIn
  let recovery: RecoveryMethod
  let site: Site

  func add(to router: Router<ConnectionContext>) {
    router.get("/v2/login") { _, _ in
      Response(
        .object { json in
          providers.writeLoginMethods(to: &json)
          recovery.write(to: &json)
        })
    }
    router.respondMethodNotAllowed(at: "/v2/login", allow: .get)
    router.get("/v2/login/oidc") { request, context in try await begin(request, site.source(of: request, context)) }
    router.get("/v2/login/oidc/callback") { request, context in
      try await end(request, site.source(of: request, context))
    }
    router.respondMethodNotAllowed(at: "/v2/login/oidc", allow: .get)
    router.respondMethodNotAllowed(at: "/v2/login/oidc/callback", allow: .get)
  }

  /// Redirects a browser to the provider.
  private func begin(_ request: Request, _ source: LoginSource) async throws -> Response {
    // Otherwise another site could log its visitors in as another user.
    try site.requireSameOrigin(request)
    let returnPath = Query(request)["return"] ?? "/"
    do {
      let authorization = try await providers.begin(returnPath: returnPath, link: nil, from: source)
      var response = Response(status: .seeOther, headers: [.location: authorization.location])
      response.setCookie(site.loginCookie(authorization.key, maxAge: Int(Limits.authorizationMs / 1_000)))
      return response
    } catch let problem as Problem where ExternalSignIn.isReturnPath(returnPath) {
      return try LoginRoutes.refusal(problem, of: request, at: returnPath)
    }
  }

  /// Completes a login when the browser returns from the provider. A browser that did not begin the login cannot
  /// complete it. Otherwise an attacker could log the user in to the attacker's account.
  private func end(_ request: Request, _ source: LoginSource) async throws -> Response {
    let query = Query(request)
    let key = request.cookies[site.loginCookieName]?.value ?? ""
    guard let authorization = providers.consumeAuthorization(key: key, state: query["state"] ?? "") else {
      return try LoginRoutes.refusal(.loginNotInProgress, of: request, at: "/")
    }
    do { return try await finish(authorization, query, request, source) } catch let problem as Problem {
      var response = try LoginRoutes.refusal(problem, of: request, at: authorization.returnPath)
      response.setCookie(site.loginCookie("", maxAge: 0))
      return response
    }
  }

  private func finish(
    _ authorization: PendingAuthorization, _ query: Query, _ request: Request, _ source: LoginSource
  ) async throws -> Response {
    var caller: AuthenticatedCaller?
    if let link = authorization.link {
      caller = try await AuthenticatedCaller.authenticate(request, sessions: providers.logins.sessions, site: site)
      guard caller?.account.id == link else { throw Problem.loginNotInProgress }
    }
    if let error = query["error"] { throw LoginRoutes.problem(error) }
    let identity = try await providers.identity(
      code: query["code"] ?? "", issuer: query["iss"], of: authorization, from: source)
    var response = Response(status: .seeOther, headers: [.location: authorization.returnPath])
    if let caller {
      _ = try await providers.link(identity, to: caller, from: source)
    } else {
      let newSession = try await providers.logIn(identity, from: source)
      response.setCookie(site.sessionCookie(newSession.token, maxAge: Limits.sessionDays * 86_400))
    }
    response.setCookie(site.loginCookie("", maxAge: 0))
    return response
  }

  /// Redirects a browser to the login's return path, with the problem's code in `loginError`. The page explains the
  /// code. Other clients get the problem itself.
  private static func refusal(_ problem: Problem, of request: Request, at path: String) throws -> Response {
    guard request.wantsPage else { throw problem }
    let parts = path.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let fragment = parts.count == 2 ? "#\(parts[1])" : ""
    let location = "\(parts[0])\(parts[0].contains("?") ? "&" : "?")loginError=\(problem.code)\(fragment)"
    return Response(status: .seeOther, headers: [.location: location])
  }

  /// Maps an error in the provider's redirect. (RFC 6749, section 4.1.2.1; OpenID Connect Core, section 3.1.2.6.)
  private static func problem(_ error: String) -> Problem {
    switch error {
    case "access_denied", "login_required", "consent_required", "interaction_required", "account_selection_required":
      Problem(
        .forbidden, "login_denied",
        "the login at the provider was not finished; start again, or use another login method")
    default: Problem.providerUnavailable
    }
  }
}

extension ExternalSignIn {
  /// Adds the enabled login methods to an open object.
  func writeLoginMethods(to json: inout JSONWriter) {
    var methods: [(kind: String, name: String?)] = [("password", nil)]
    if let openID { methods.append(("oidc", openID.configuration.name)) }
    if facebook != nil { methods.append(("facebook", nil)) }
    json.array("methods", methods) { json, method in
      json.add("kind", method.kind)
      if let name = method.name {
        json.add("name", name)
        json.add("path", "/v2/login/oidc")
      }
    }
    json.add("signUpOpen", isOpen)
  }
}

extension Site {
  /// Name of the cookie that identifies a browser during a login at the provider.
  var loginCookieName: String { cookieName + "-login" }

  /// Returns the cookie that identifies a browser when it returns from the provider.
  ///
  /// - Parameter maxAge: Seconds. 0 deletes the cookie.
  func loginCookie(_ key: String, maxAge: Int) -> Cookie {
    Cookie(
      name: loginCookieName, value: key, maxAge: maxAge, path: "/", secure: isSecure, httpOnly: true, sameSite: .lax)
  }
}

extension Problem {
  /// The problem of a login that is unknown, expired or from another browser. The text does not say which.
  fileprivate static let loginNotInProgress = Problem(
    .badRequest, "login_not_in_progress",
    "this login is unknown in this browser, has ended or has expired; start again")
}
