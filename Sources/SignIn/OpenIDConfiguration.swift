import Domain
import Foundation
import HTTPClient

/// The OpenID Connect provider by which people log in, and our registration there. Made once at startup, which reports
/// an invalid configuration.
package struct OpenIDConfiguration: Sendable {
  /// A fault of the configuration. Final until the configuration changes.
  package enum ConfigurationError: Error, Sendable, Equatable {
    /// The issuer is not an https URL, or is http to another host than this one, or has parts that do not belong.
    case issuer
    /// The client's id is empty, too long or not one line of printable ASCII.
    case clientID
    /// The client's secret is too long or not one line of printable ASCII.
    case clientSecret
    /// The name is longer than `IdentityLimits.nameBytesMax` or not one readable line.
    case name
  }

  /// The issuer, exactly as the provider writes it.
  package let issuer: String
  /// The provider's name on the login button.
  package let name: String
  let clientID: String
  /// The client's secret. Empty for a public client.
  let clientSecret: Secret
  /// The URL to which the provider redirects after a login.
  let redirectURI: String

  /// Checks and keeps the configuration.
  ///
  /// - Parameters:
  ///   - issuer: The issuer exactly as the provider writes it, with or without a slash at the end.
  ///   - clientSecret: The client's secret. Empty for a public client.
  ///   - name: The provider's name. If empty, the issuer's host is used.
  ///   - redirectURI: A URL of this site, registered at the provider.
  /// - Throws: `ConfigurationError`.
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

  /// URL of the provider's metadata. (OpenID Connect Discovery 1.0, section 4.1.)
  var discovery: URL? {
    URL(endpoint: (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration")
  }
}
