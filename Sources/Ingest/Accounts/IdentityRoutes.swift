import Domain
import HTTPTypes
import Hummingbird
import Messaging
import Store
import Web

/// Routes of `/v2/account/identities`: list, add and remove the account's identities.
struct IdentityRoutes: Sendable {
  let database: any IdentityStore
  let sessions: Sessions
  let providers: ExternalSignIn
  let site: Site

  private struct Addition: Decodable {
    let currentPassword: String?
    let facebookAccessToken: String?
    let `return`: String?
  }

  func add(to router: Router<ConnectionContext>) {
    router.get("/v2/account/identities") { request, _ in try await list(request) }
    router.post("/v2/account/identities") { request, context in
      try await add(request, site.source(of: request, context))
    }
    router.delete("/v2/account/identities/{id}") { request, context in
      try await remove(context.parameters.get("id"), request, site.source(of: request, context))
    }
    router.respondMethodNotAllowed(at: "/v2/account/identities", allow: .get, .post)
    router.respondMethodNotAllowed(at: "/v2/account/identities/{id}", allow: .delete)
  }

  private func list(_ request: Request) async throws -> Response {
    let caller = try await AuthenticatedCaller.authenticate(request, sessions: sessions, site: site)
    let all = try await database.identities(of: caller.account.id)
    return Response(.object { json in json.array("identities", all) { json, identity in identity.write(to: &json) } })
  }

  /// Adds an identity. Links it immediately if the body has a Facebook access token. Otherwise the response has the
  /// provider's URL for the browser, which returns to `LoginRoutes`.
  ///
  /// A session alone does not suffice: a stolen session could otherwise gain a permanent login.
  private func add(_ request: Request, _ source: LoginSource) async throws -> Response {
    let caller = try await AuthenticatedCaller.authenticate(request, sessions: sessions, site: site)
    let body = try await RequestBody.decode(Addition.self, from: request)
    _ = try await providers.logins.confirm(body.currentPassword, of: caller, from: source)
    if let token = body.facebookAccessToken {
      let identity = try await providers.identity(facebookToken: token, from: source)
      let linked = try await providers.link(identity, to: caller, from: source)
      return Response(.object { linked.write(to: &$0) }, status: .created)
    }
    let authorization = try await providers.begin(returnPath: body.return, link: caller.account.id, from: source)
    var response = Response(.object { $0.add("location", authorization.location) })
    response.setCookie(site.loginCookie(authorization.key, maxAge: Int(Limits.authorizationMs / 1_000)))
    return response
  }

  private func remove(_ id: String?, _ request: Request, _ source: LoginSource) async throws -> Response {
    let caller = try await AuthenticatedCaller.authenticate(request, sessions: sessions, site: site)
    let body = try await RequestBody.decode(Confirmation.self, from: request)
    _ = try await providers.logins.confirm(body.currentPassword, of: caller, from: source)
    let own = try await database.identities(of: caller.account.id)
    guard let identity = own.first(where: { $0.id == id }) else { throw Problem.identityNotFound }
    switch try await database.unlink(identity, from: caller.account.id, issuers: providers.issuers) {
    case .unlinked: break
    case .notFound: throw Problem.identityNotFound
    case .last: throw Problem.lastLoginMethod
    }
    providers.logins.audit.note(.identityUnlinked, account: caller.account.id, source)
    return Response(status: .noContent)
  }
}

extension LinkedIdentity {
  /// Id of the identity in the API. The provider's own names may contain any characters.
  fileprivate var id: String { hexadecimal(Secrets.fingerprint(issuer + "\n" + subject)) }

  fileprivate func write(to json: inout JSONWriter) {
    json.add("id", id)
    json.add("issuer", issuer)
    json.add("subject", subject)
    json.add("createdAt", unixMs: createdMs)
  }
}

extension Problem {
  fileprivate static let identityNotFound = Problem(
    .notFound, "identity_not_found", "the account has no identity with this id")
  fileprivate static let lastLoginMethod = Problem(
    .conflict, "last_login_method", "this is the account's only login method; set a password first")
}
