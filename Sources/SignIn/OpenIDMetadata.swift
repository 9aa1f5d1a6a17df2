import Domain
import Foundation
import HTTPClient

/// What a provider says of itself. (OpenID Connect Discovery 1.0, section 3.)
struct OpenIDMetadata: Sendable {
  let authorization: URL
  let token: URL
  /// Nil where it has none.
  let userInfo: URL?
  /// Whether it names itself when it sends somebody back. (RFC 9207, section 3.)
  let namesItself: Bool

  /// - Throws: `IdentityFailure.unavailable`, also for one that is not `issuer`'s, or has us ask in the clear.
  init(_ json: Data, issuer: String) throws(IdentityFailure) {
    guard let json = try? JSONDecoder().decode(JSONValue.self, from: json) else { throw .malformed }
    guard json["issuer"]?.string == issuer else { throw .unavailable(code: "openid_issuer") }
    func endpoint(_ name: String) -> URL? { json["\(name)_endpoint"]?.string.flatMap { URL(endpoint: $0) } }
    guard let authorization = endpoint("authorization"), let token = endpoint("token") else {
      throw .unavailable(code: "openid_endpoints")
    }
    self.authorization = authorization
    self.token = token
    userInfo = endpoint("userinfo")
    namesItself = json["authorization_response_iss_parameter_supported"] == .bool(true)
  }

  /// Where to send somebody who wants to log in.
  func address(_ query: [(name: String, value: String)]) -> String {
    // A query of its own stays. (RFC 6749, section 3.1.)
    let text = authorization.absoluteString
    return text + (authorization.query == nil ? "?" : "&") + FormText.text(query)
  }
}
