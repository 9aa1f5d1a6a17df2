package import Domain
import Foundation
import HTTPClient

/// Client of an OpenID Connect provider: the authorization code flow with PKCE. Caches the provider's metadata and
/// keeps no other state.
package actor OpenIDProvider {
  package nonisolated let configuration: OpenIDConfiguration

  private let fetch = HTTPFetch(
    headers: ["User-Agent": "onthemap/1.0", "Accept": "application/json"], bounds: IdentityLimits.bounds)
  private let nowMs: @Sendable () -> Int64
  private var cachedMetadata: (metadata: OpenIDMetadata, atMs: Int64)?

  /// Creates a client of one provider.
  ///
  /// - Parameter nowMs: The current time, in milliseconds since 1970, UTC.
  package init(_ configuration: OpenIDConfiguration, nowMs: @escaping @Sendable () -> Int64) {
    self.configuration = configuration
    self.nowMs = nowMs
  }

  /// Ends the client. Requests in progress fail with `unavailable`. Send no request after this call.
  package nonisolated func end() { fetch.end() }

  /// Returns the URL to which ingest redirects a browser for a login. (OpenID Connect Core 1.0, section 3.1.2.1; RFC
  /// 7636, section 4.3.)
  package func authorization(of authorization: PendingAuthorization) async throws(IdentityFailure) -> String {
    try await metadata().address([
      ("response_type", "code"), ("client_id", configuration.clientID), ("redirect_uri", configuration.redirectURI),
      ("scope", "openid email profile"), ("state", authorization.state), ("nonce", authorization.nonce),
      ("code_challenge", Digest.sha256(authorization.verifier)), ("code_challenge_method", "S256"),
    ])
  }

  /// Checks that an authorization response comes from this provider. (RFC 9207, section 2.4.)
  ///
  /// - Parameter issuer: The issuer in the response. Nil if the response names none.
  /// - Throws: `IdentityFailure.refused` if the response names another issuer, or lacks an issuer that the metadata
  ///   announces. `IdentityFailure.unavailable` without the metadata.
  package func check(issuer: String?) async throws(IdentityFailure) {
    let mayOmitIssuer = try await !metadata().sendsIssuer
    guard issuer == configuration.issuer || issuer == nil && mayOmitIssuer else {
      throw .refused(code: "oidc_response_iss")
    }
  }

  /// Exchanges an authorization code for the identity of the user who logged in.
  ///
  /// - Throws: `IdentityFailure.refused` for an invalid code, ID token or profile. `IdentityFailure.unavailable` for
  ///   all other failures.
  package func identity(code: String, of authorization: PendingAuthorization) async throws(IdentityFailure)
    -> ProvidedIdentity
  {
    guard (1...IdentityLimits.tokenBytesMax).contains(code.utf8.count) else { throw .refused(code: "oidc_code") }
    let metadata = try await metadata()
    let tokens = try await exchange(code, of: authorization, at: metadata.token)
    guard let text = tokens["id_token"]?.string else { throw .unavailable(code: "oidc_no_id_token") }
    var claims: JSONValue
    do throws(IDToken.Fault) {
      let token = try IDToken(text)
      try token.check(
        issuer: configuration.issuer, clientID: configuration.clientID, nonce: authorization.nonce,
        nowSeconds: nowMs() / 1_000)
      claims = token.claims
    } catch { throw .refused(code: "oidc_id_token_\(error.rawValue)") }
    let subject = claims["sub"]?.string ?? ""
    // Some providers send the profile only from the UserInfo endpoint. (OpenID Connect Core 1.0, section 5.4.)
    let hasProfile = ["email", "name", "given_name"].contains { claims[$0] != nil }
    if !hasProfile, let url = metadata.userInfo, let token = tokens["access_token"]?.string {
      claims = try await userInfo(url, accessToken: token, subject: subject)
    }
    // Some providers write this flag as a string.
    let isVerified = claims["email_verified"] == .bool(true) || claims["email_verified"] == .string("true")
    let identity = ProvidedIdentity(
      issuer: configuration.issuer, subject: subject, email: isVerified ? claims["email"]?.string : nil,
      givenName: claims["given_name"]?.string, familyName: claims["family_name"]?.string,
      name: claims["name"]?.string)
    guard let identity else { throw .refused(code: "oidc_id_token_sub") }
    return identity
  }

  /// Returns the provider's metadata from the cache, or fetches it if the cache is empty or expired.
  private func metadata() async throws(IdentityFailure) -> OpenIDMetadata {
    if let cachedMetadata, (0..<IdentityLimits.metadataMs).contains(nowMs() - cachedMetadata.atMs) {
      return cachedMetadata.metadata
    }
    guard let url = configuration.discovery else { throw .malformed }
    let response = try await get(url)
    guard response.status == 200 else { throw .unavailable(code: "oidc_discovery_status_\(response.status)") }
    let metadata = try OpenIDMetadata(response.body, issuer: configuration.issuer)
    cachedMetadata = (metadata, nowMs())
    return metadata
  }

  /// Exchanges an authorization code for tokens. (OpenID Connect Core 1.0, section 3.1.3; RFC 6749, sections 2.3.1 and
  /// 5.2; RFC 7636, section 4.5.)
  private func exchange(
    _ code: String, of authorization: PendingAuthorization, at url: URL
  ) async throws(IdentityFailure) -> JSONValue {
    var form: [(name: String, value: String)] = [
      ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", configuration.redirectURI),
      ("code_verifier", authorization.verifier),
    ]
    var headers: [String: String] = [:]
    if configuration.clientSecret.text.isEmpty {
      form.append(("client_id", configuration.clientID))
    } else {
      let pair = "\(FormText.encoded(configuration.clientID)):\(FormText.encoded(configuration.clientSecret.text))"
      headers["Authorization"] = "Basic \(Data(pair.utf8).base64EncodedString())"
    }
    let response: HTTPFetch.Response
    do { response = try await fetch.post(url, form: form, headers: headers) } catch { throw IdentityFailure(error) }
    let json = try? JSONDecoder().decode(JSONValue.self, from: response.body)
    if response.status == 400, json?["error"]?.string == "invalid_grant" { throw .refused(code: "oidc_code") }
    // Other errors are faults of this client's configuration, which the operator must repair.
    guard response.status == 200 else { throw .unavailable(code: "oidc_token_status_\(response.status)") }
    guard let json else { throw .malformed }
    return json
  }

  /// Fetches the claims of the user's profile. (OpenID Connect Core 1.0, section 5.3.)
  private func userInfo(
    _ url: URL, accessToken: String, subject: String
  ) async throws(IdentityFailure) -> JSONValue {
    // Allow only printable characters. Others could inject a second header. (RFC 6750, section 2.1.)
    guard accessToken.utf8.count <= IdentityLimits.tokenBytesMax,
      accessToken.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw .malformed }
    let response = try await get(url, headers: ["Authorization": "Bearer \(accessToken)"])
    guard response.status == 200 else { throw .unavailable(code: "oidc_userinfo_status_\(response.status)") }
    guard let json = try? JSONDecoder().decode(JSONValue.self, from: response.body) else { throw .malformed }
    guard json["sub"]?.string == subject else { throw .refused(code: "oidc_userinfo_sub") }
    return json
  }

  private func get(_ url: URL, headers: [String: String] = [:]) async throws(IdentityFailure) -> HTTPFetch.Response {
    do { return try await fetch.get(url, headers: headers) } catch { throw IdentityFailure(error) }
  }
}
