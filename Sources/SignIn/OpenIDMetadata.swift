import Domain
import Foundation
import HTTPClient

/// A provider's metadata. (OpenID Connect Discovery 1.0, section 3.)
struct OpenIDMetadata: Sendable {
  let authorization: URL
  let token: URL
  /// The endpoint for the user's profile. Nil if the provider has none.
  let userInfo: URL?
  /// True if the provider adds its issuer to its responses. (RFC 9207, section 3.)
  let sendsIssuer: Bool

  /// Decodes a provider's metadata.
  ///
  /// - Throws: `IdentityFailure.unavailable` if the JSON is malformed, names another issuer than `issuer`, or has an
  ///   endpoint without TLS.
  init(_ json: Data, issuer: String) throws(IdentityFailure) {
    guard let json = try? JSONDecoder().decode(JSONValue.self, from: json) else { throw .malformed }
    guard json["issuer"]?.string == issuer else { throw .unavailable(code: "oidc_issuer") }
    func endpoint(_ name: String) -> URL? { json["\(name)_endpoint"]?.string.flatMap { URL(endpoint: $0) } }
    guard let authorization = endpoint("authorization"), let token = endpoint("token") else {
      throw .unavailable(code: "oidc_endpoints")
    }
    self.authorization = authorization
    self.token = token
    userInfo = endpoint("userinfo")
    sendsIssuer = json["authorization_response_iss_parameter_supported"] == .bool(true)
  }

  /// Returns the URL to which ingest redirects a browser for a login, with the parameters of `query`.
  func address(_ query: [(name: String, value: String)]) -> String {
    // The endpoint's own query remains. (RFC 6749, section 3.1.)
    let text = authorization.absoluteString
    return text + (authorization.query == nil ? "?" : "&") + FormText.text(query)
  }
}
