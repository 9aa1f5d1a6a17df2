package import Domain
import Foundation
import HTTPClient

/// Client of Facebook's Graph API that finds the owner of an access token. Any thread.
package struct FacebookGraph: Sendable {
  /// The issuer of Facebook identities in `ProvidedIdentity`.
  package static let issuer = "https://www.facebook.com"

  private let configuration: FacebookConfiguration
  private let fetch = HTTPFetch(
    headers: ["User-Agent": "onthemap/1.0", "Accept": "application/json"], bounds: IdentityLimits.bounds)

  package init(_ configuration: FacebookConfiguration) { self.configuration = configuration }

  /// Ends the client. Requests in progress fail with `unavailable`. Send no request after this call.
  package func end() { fetch.end() }

  /// Returns the identity that owns an access token of our app. Sends two requests.
  ///
  /// The first request checks that Facebook gave the token to our app. Otherwise the owner of another app could send
  /// its users' tokens here and log in as these users. (Facebook, "Manually build a login flow", "Inspecting access
  /// tokens"; "Secure Graph API calls with an app secret proof".)
  ///
  /// - Throws: `IdentityFailure.refused` for an invalid token, and for a token of another app or of a page.
  ///   `IdentityFailure.unavailable` for all other failures.
  package func identity(accessToken: String) async throws(IdentityFailure) -> ProvidedIdentity {
    guard (1...IdentityLimits.tokenBytesMax).contains(accessToken.utf8.count),
      accessToken.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw .refused(code: "facebook_token") }
    let (appID, secret) = (configuration.appID, configuration.appSecret.text)
    let inspected = try await get(
      "debug_token", [("input_token", accessToken), ("access_token", "\(appID)|\(secret)")])
    guard case .object(let token)? = inspected["data"] else { throw .malformed }
    guard token["is_valid"] == .bool(true) else { throw .refused(code: "facebook_token") }
    guard token["app_id"]?.text == appID else { throw .refused(code: "facebook_app") }
    let profile = try await get(
      "me",
      [
        ("fields", "id,first_name,last_name,email"), ("access_token", accessToken),
        ("appsecret_proof", Digest.hmacSHA256(accessToken, key: secret)),
      ])
    // A page's token names the page, not the user who logged in.
    guard let subject = profile["id"]?.text, token["user_id"]?.text == subject else {
      throw .refused(code: "facebook_user")
    }
    let identity = ProvidedIdentity(
      issuer: FacebookGraph.issuer, subject: subject, email: profile["email"]?.string,
      givenName: profile["first_name"]?.string, familyName: profile["last_name"]?.string, name: nil)
    guard let identity else { throw .malformed }
    return identity
  }

  private func get(
    _ path: String, _ query: [(name: String, value: String)]
  ) async throws(IdentityFailure) -> JSONValue {
    guard let url = URL(string: "\(configuration.graph.absoluteString)/\(path)?\(FormText.text(query))") else {
      throw .malformed
    }
    let response: HTTPFetch.Response
    do { response = try await fetch.get(url) } catch { throw IdentityFailure(error) }
    switch (response.status, path) {
    case (200, _): break
    // The token expired between the two requests.
    case (400, "me"), (401, "me"): throw .refused(code: "facebook_token")
    default: throw .unavailable(code: "facebook_\(path)_status_\(response.status)")
    }
    guard let json = try? JSONDecoder().decode(JSONValue.self, from: response.body) else { throw .malformed }
    return json
  }
}

extension JSONValue {
  /// The value as an id. Facebook writes ids as strings and, in some places, as numbers.
  fileprivate var text: String? {
    switch self {
    case .string(let text): text
    case .number(let number): Int64(exactly: number).map { "\($0)" }
    default: nil
    }
  }
}
