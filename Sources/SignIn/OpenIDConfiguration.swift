import Domain
import Foundation
import HTTPClient

/// At which provider people log in by OpenID Connect, and as which client of it we ask. Made once, at the start: what
/// is wrong with it is said then.
package struct OpenIDConfiguration: Sendable {
  /// What is wrong. Final until the configuration changes.
  package enum ConfigurationError: Error, Sendable, Equatable {
    /// Not an https address, or http to a host other than this one, or with parts that do not belong.
    case issuer
    /// Not one line of printable ASCII.
    case clientID
    /// The same.
    case clientSecret
    /// Not one line that people can read, of `IdentityLimits.nameBytesMax` at most.
    case name
  }

  /// As the provider writes it.
  package let issuer: String
  /// What people see on the button.
  package let name: String
  let clientID: String
  /// Empty for a public client.
  let clientSecret: Secret
  /// Where the provider sends people back to.
  let redirectURI: String

  /// - Parameters:
  ///   - issuer: exactly as the provider has it, with a slash at the end or without.
  ///   - clientSecret: empty for a public client.
  ///   - name: empty for the issuer's host.
  ///   - redirectURI: of this site; the provider must know it.
  /// - Throws: `Mistake`.
  package init(
    issuer: String, clientID: String, clientSecret: String, name: String, redirectURI: String
  ) throws(ConfigurationError) {
    guard let url = URL(server: issuer) else { throw .issuer }
    let isWord = { (text: String) in
      text.utf8.count <= IdentityLimits.credentialBytesMax && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
    guard !clientID.isEmpty, isWord(clientID) else { throw .clientID }
    guard isWord(clientSecret) else { throw .clientSecret }
    guard name.utf8.count <= IdentityLimits.nameBytesMax, name.isSafeLine else { throw .name }
    self.issuer = issuer
    self.clientID = clientID
    self.clientSecret = Secret(clientSecret)
    self.name = name.isEmpty ? url.host(percentEncoded: false) ?? issuer : name
    self.redirectURI = redirectURI
  }

  /// Where the provider describes itself. (OpenID Connect Discovery 1.0, section 4.1.)
  var discovery: URL? {
    URL(endpoint: (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration")
  }
}
