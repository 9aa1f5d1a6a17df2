import Domain
import Foundation

/// An ID token, in which a provider states which user logged in. It comes directly from the provider's token endpoint,
/// so TLS authenticates it instead of the signature. (OpenID Connect Core 1.0, section 3.1.3.7, rule 6.)
struct IDToken: Sendable {
  /// The claim that makes a token invalid, with the claim's name as raw value.
  enum Fault: String, Error, CaseIterable {
    /// The text is not a JSON Web Token with an object of claims. (RFC 7519, section 7.2.)
    case form
    case issuer = "iss"
    case audience = "aud"
    case authorizedParty = "azp"
    case expiry = "exp"
    case issuedAt = "iat"
    case nonce
    case subject = "sub"
  }

  let claims: JSONValue

  /// Parses a token.
  ///
  /// - Parameter text: Header, claims and signature, separated by dots. The signature is ignored.
  init(_ text: String) throws(Fault) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = IDToken.object(parts[0]), header["alg"]?.string != nil,
      let claims = IDToken.object(parts[1])
    else { throw .form }
    self.claims = claims
  }

  /// Checks that the token is valid for this login. (OpenID Connect Core 1.0, section 3.1.3.7, rules 2 to 5 and 9 to
  /// 11.)
  ///
  /// - Throws: The `Fault` of the first claim that fails.
  func check(issuer: String, clientID: String, nonce: String, nowSeconds: Int64) throws(Fault) {
    guard claims["iss"]?.string == issuer else { throw .issuer }
    let audience: [String]
    switch claims["aud"] {
    case .string(let one): audience = [one]
    case .array(let several): audience = several.compactMap(\.string)
    default: audience = []
    }
    guard audience.contains(clientID) else { throw .audience }
    // A token for several audiences must name this client as the authorized party.
    let party = claims["azp"]
    guard party?.string == clientID || party == nil && audience.count == 1 else { throw .authorizedParty }
    let now = Double(nowSeconds)
    guard let expiry = claims["exp"]?.number, now < expiry + Double(IdentityLimits.leewaySeconds) else { throw .expiry }
    guard let issuedAt = claims["iat"]?.number, issuedAt <= now + Double(IdentityLimits.leewaySeconds),
      issuedAt >= now - Double(IdentityLimits.statementAgeSeconds)
    else { throw .issuedAt }
    guard claims["nonce"]?.string == nonce else { throw .nonce }
    guard let subject = claims["sub"]?.string, !subject.isEmpty else { throw .subject }
  }

  private static func object(_ part: Substring) -> JSONValue? {
    guard let bytes = [UInt8](base64URL: part),
      let json = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes)), case .object = json
    else { return nil }
    return json
  }
}
