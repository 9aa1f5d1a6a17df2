import CSodium
import Foundation
import Synchronization

/// A stub of an OpenID Connect provider with one signed-in user: discovery, authorization, token and user info. It
/// checks requests as strictly as the specifications require.
package final class OpenIDStub: Sendable {
  /// The stub's behaviour.
  package struct Behaviour: Sendable {
    package var clientID = "onthemap client"
    /// The client's secret. Nil for a public client.
    package var clientSecret: String? = "s3cret: with/signs"
    /// The subject of the signed-in user.
    package var subject = "user-1"
    /// The user's profile, as JSON members.
    package var profile =
      #""email":"Ada@Example.org","email_verified":true,"given_name":"Ada","family_name":"Lovelace""#
    /// True if only the user info endpoint returns the profile.
    package var hasProfileOnlyInUserInfo = false
    /// Claims that replace those of the ID token, as JSON values by name. `null` removes a claim.
    package var claims: [String: String] = [:]
    /// Members that replace those of the metadata, in the form of `claims`.
    package var metadata: [String: String] = [:]
    /// Parameters added to the authorization response. An `error` replaces the code.
    package var authorizationParameters: [String: String] = [:]
    /// Replies that replace the stub's own, by path.
    package var replies: [String: StubServer.Reply] = [:]

    package init() {}
  }

  private struct Code {
    let redirectURI: String
    let challenge: String
    let nonce: String
  }

  package let server: StubServer
  private let state: Mutex<(behaviour: Behaviour, codes: [String: Code], count: Int)>

  package init(_ behaviour: Behaviour = Behaviour()) throws {
    state = Mutex((behaviour, [:], 0))
    server = try StubServer { _ in .reset }
    server.setResponse { [weak self] request in self?.reply(request) ?? .reset }
  }

  /// The stub's issuer identifier.
  package var issuer: String { server.url + "/realm" }

  /// Changes the behaviour of later requests.
  package func set(_ change: (inout Behaviour) -> Void) { state.withLock { change(&$0.behaviour) } }

  private var behaviour: Behaviour { state.withLock { $0.behaviour } }

  private func reply(_ request: StubServer.Request) -> StubServer.Reply {
    if let reply = behaviour.replies[request.path] { return reply }
    switch (request.method, request.path) {
    case ("GET", "/realm/.well-known/openid-configuration"): return .response(body: metadata)
    case ("GET", "/authorize"): return authorize(request)
    case ("POST", "/token"): return token(request)
    case ("GET", "/userinfo"):
      guard request.headers["authorization"] == "Bearer access-1" else { return .response(status: 401, body: "{}") }
      return .response(body: "{\"sub\":\"\(behaviour.subject)\",\(behaviour.profile)}")
    default: return .response(status: 404, body: "")
    }
  }

  private var metadata: String {
    Self.json(
      [
        "issuer": "\"\(issuer)\"", "authorization_endpoint": "\"\(server.url)/authorize?tenant=a\"",
        "token_endpoint": "\"\(server.url)/token\"", "userinfo_endpoint": "\"\(server.url)/userinfo\"",
        "jwks_uri": "\"\(server.url)/keys\"", "response_types_supported": #"["code"]"#,
      ].merging(behaviour.metadata) { $1 })
  }

  /// Handles an authorization request. (OpenID Connect Core 1.0, section 3.1.2.2; RFC 7636, section 4.4.)
  private func authorize(_ request: StubServer.Request) -> StubServer.Reply {
    func parameter(_ name: String) -> String { request.parameter(name) ?? "" }
    guard parameter("response_type") == "code", parameter("client_id") == behaviour.clientID,
      parameter("scope") == "openid email profile", parameter("code_challenge_method") == "S256",
      parameter("code_challenge").utf8.count == 43, parameter("state").utf8.count >= 22, parameter("tenant") == "a",
      parameter("nonce").utf8.count >= 22, !parameter("redirect_uri").isEmpty
    else { return .response(status: 400, body: request.target) }
    let code = state.withLock { state in
      state.count += 1
      state.codes["code/\(state.count)+"] = Code(
        redirectURI: parameter("redirect_uri"), challenge: parameter("code_challenge"), nonce: parameter("nonce"))
      return "code/\(state.count)+"
    }
    var parameters = behaviour.authorizationParameters
    if parameters["error"] == nil { parameters["code"] = code }
    parameters["state"] = parameter("state")
    var unescaped = CharacterSet.alphanumerics
    unescaped.insert(charactersIn: "-_.")
    let query = parameters.map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: unescaped) ?? "")" }
    return .response(
      status: 302, headers: ["Location": "\(parameter("redirect_uri"))?\(query.joined(separator: "&"))"], body: "")
  }

  /// Handles a token request. (OpenID Connect Core 1.0, section 3.1.3.2; RFC 6749, section 5.2; RFC 7636, section 4.6.)
  private func token(_ request: StubServer.Request) -> StubServer.Reply {
    let behaviour = self.behaviour
    guard isClient(request, behaviour) else {
      return .response(
        status: 401, headers: ["WWW-Authenticate": "Basic realm=\"tokens\""], body: #"{"error":"invalid_client"}"#)
    }
    // A code is valid once, whatever the outcome.
    let code = state.withLock { $0.codes.removeValue(forKey: request.field("code") ?? "") }
    guard request.field("grant_type") == "authorization_code", let code,
      request.field("redirect_uri") == code.redirectURI,
      Self.challenge(request.field("code_verifier") ?? "") == code.challenge
    else { return .response(status: 400, body: #"{"error":"invalid_grant"}"#) }
    let now = Int(Date().timeIntervalSince1970)
    var claims = [
      "iss": "\"\(issuer)\"", "aud": "\"\(behaviour.clientID)\"", "sub": "\"\(behaviour.subject)\"",
      "exp": "\(now + 300)", "iat": "\(now)", "nonce": "\"\(code.nonce)\"",
    ]
    claims.merge(behaviour.claims) { $1 }
    let profile = behaviour.hasProfileOnlyInUserInfo || behaviour.profile.isEmpty ? "" : "," + behaviour.profile
    let payload = String(Self.json(claims).dropLast()) + profile + "}"
    return .response(
      body: """
        {"access_token":"access-1","token_type":"Bearer","expires_in":60,"id_token":"\(Self.token(payload))"}
        """)
  }

  private func isClient(_ request: StubServer.Request, _ behaviour: Behaviour) -> Bool {
    guard let secret = behaviour.clientSecret else {
      return request.headers["authorization"] == nil && request.field("client_id") == behaviour.clientID
    }
    guard let header = request.headers["authorization"], header.hasPrefix("Basic "),
      let pair = Data(base64Encoded: String(header.dropFirst(6)))
    else { return false }
    let parts = String(decoding: pair, as: UTF8.self).split(separator: ":").map { $0.removingPercentEncoding }
    return parts == [behaviour.clientID, secret]
  }

  /// Returns a JSON Web Token with these claims and an invalid signature.
  package static func token(_ claims: String) -> String {
    [#"{"alg":"RS256","kid":"1"}"#, claims, "signature"].map { part in
      Data(part.utf8).base64EncodedString().replacingOccurrences(of: "+", with: "-")
        .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }.joined(separator: ".")
  }

  private static func json(_ members: [String: String]) -> String {
    "{" + members.filter { $1 != "null" }.map { "\"\($0)\":\($1)" }.sorted().joined(separator: ",") + "}"
  }

  private static func challenge(_ verifier: String) -> String {
    var hash = [UInt8](repeating: 0, count: 32)
    crypto_hash_sha256(&hash, Array(verifier.utf8), UInt64(verifier.utf8.count))
    return Data(hash).base64EncodedString().replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
  }
}
