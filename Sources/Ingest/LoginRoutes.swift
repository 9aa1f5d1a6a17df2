import HTTPTypes
import Hummingbird
import Identity
import Link
import OnTheMap
import Store
import Synchronization
import Web

/// `/v2/login`: the ways to log in, and the one by OpenID Connect: to the provider, and back.
final class LoginRoutes: Sendable {
  private let providers: ProviderLogins
  private let site: Site
  /// Those who are at the provider.
  private let flows = Mutex(LoginFlows())

  init(providers: ProviderLogins, site: Site) {
    self.providers = providers
    self.site = site
  }

  func add(to router: Router<ConnectionContext>) {
    router.get("/v2/login") { [self] _, _ in Response(ways) }
    router.refuseOthers(at: "/v2/login", than: .get)
    guard let openID = providers.openID else { return }
    router.get("/v2/login/oidc") { [self] request, context in
      try await begin(request, openID, site.source(of: request, context))
    }
    router.get("/v2/login/oidc/callback") { [self] request, context in
      try await end(request, openID, site.source(of: request, context))
    }
    router.refuseOthers(at: "/v2/login/oidc", than: .get)
    router.refuseOthers(at: "/v2/login/oidc/callback", than: .get)
  }

  private var ways: JSONText {
    .object { json in
      var ways: [(kind: String, name: String?)] = [("password", nil)]
      if let openID = providers.openID { ways.append(("openid", openID.configuration.name)) }
      if providers.facebook != nil { ways.append(("facebook", nil)) }
      json.array("ways", ways) { json, way in
        json.add("kind", way.kind)
        if let name = way.name {
          json.add("name", name)
          json.add("path", "/v2/login/oidc")
        }
      }
      json.add("signUpOpen", providers.isOpen)
    }
  }

  /// Sends a browser to the provider. With `link=true` the identity becomes one of the caller's account.
  private func begin(_ request: Request, _ openID: OpenIDProvider, _ source: LoginSource) async throws -> Response {
    // Another site could have people link what they do not want to, or log in as somebody else.
    try site.refuseOthers(request)
    let query = Query(request)
    guard query["link"] == nil || query["link"] == "true" else {
      throw Problem(.badRequest, "invalid_link", "link must be true, or not be there", field: "link")
    }
    let path = query["return"] ?? "/"
    guard LoginRoutes.isReturnPath(path) else {
      throw Problem(
        .badRequest, "invalid_return",
        "return must be a path of this site, such as /, of \(Limits.returnPathBytesMax) bytes at most", field: "return")
    }
    let link =
      query["link"] == nil
      ? nil : try await Caller.identify(request, sessions: providers.logins.sessions, site: site).account.id
    let flow = LoginFlow(
      state: Secrets.token(), nonce: Secrets.token(), verifier: Secrets.token(), returnPath: path, link: link)
    let location: String
    do {
      location = try await providers.seated { () async throws(IdentityFailure) in
        try await openID.authorization(of: flow)
      }
    } catch let failure as IdentityFailure {
      providers.note(failure)
      throw Problem.providerUnavailable
    }
    let key = Secrets.token()
    let network = source.address?.network.description ?? ""
    let isBegun = flows.withLock { $0.begin(flow, key: key, network: network, nowMs: WallClock.unixMs) }
    guard isBegun else { throw Problem.busy }
    var response = Response(status: .seeOther, headers: [.location: location])
    response.setCookie(site.loginCookie(key, maxAge: Int(Limits.loginFlowMs / 1_000)))
    return response
  }

  /// Takes a browser back from the provider. Whoever has not begun the login in this browser ends none: it could be
  /// another's, who then sees what is done in his name.
  private func end(_ request: Request, _ openID: OpenIDProvider, _ source: LoginSource) async throws -> Response {
    let query = Query(request)
    let key = request.cookies[site.loginCookieName]?.value ?? ""
    let flow = flows.withLock { $0.take(key: key, state: query["state"] ?? "", nowMs: WallClock.unixMs) }
    guard let flow else { throw Problem.loginUnknown }
    let caller = try await caller(request, of: flow)
    if let error = query["error"] { throw LoginRoutes.problem(error) }
    let identity = try await providers.ask(source) { () async throws(IdentityFailure) in
      try await openID.check(issuer: query["iss"])
      return try await openID.identity(code: query["code"] ?? "", of: flow)
    }
    let begun =
      if let caller { try await providers.link(identity, to: caller, from: source) } else {
        try await providers.logIn(identity, from: source)
      }
    var response = Response(status: .seeOther, headers: [.location: flow.returnPath])
    response.setCookie(site.sessionCookie(begun.token, maxAge: Limits.sessionDays * 86_400))
    response.setCookie(site.loginCookie("", maxAge: 0))
    return response
  }

  /// Whose account the identity is to become one of; nil for a login.
  private func caller(_ request: Request, of flow: LoginFlow) async throws -> Caller? {
    guard let link = flow.link else { return nil }
    let caller = try await Caller.identify(request, sessions: providers.logins.sessions, site: site)
    guard caller.account.id == link else { throw Problem.loginUnknown }
    return caller
  }

  /// Within this site, whatever a browser makes of it.
  private static func isReturnPath(_ path: String) -> Bool {
    path.hasPrefix("/") && !path.hasPrefix("//") && path.utf8.count <= Limits.returnPathBytesMax
      && path.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
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

extension Site {
  /// Of a login that is at the provider; the strict prefix needs TLS.
  var loginCookieName: String { cookieName + "-login" }

  /// By which a browser is known again when it comes back.
  ///
  /// - Parameter maxAge: seconds; 0 takes it away.
  fileprivate func loginCookie(_ key: String, maxAge: Int) -> Cookie {
    Cookie(
      name: loginCookieName, value: key, maxAge: maxAge, path: "/", secure: isSecure, httpOnly: true, sameSite: .lax)
  }
}

extension Problem {
  /// The same whatever was wrong with it.
  fileprivate static let loginUnknown = Problem(
    .badRequest, "login_unknown",
    "this login was not begun in this browser, is over, or has taken too long; begin again at /v2/login/oidc")
}
