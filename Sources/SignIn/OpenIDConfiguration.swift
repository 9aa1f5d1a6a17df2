import Domain
import Foundation
import HTTPClient

/// The OpenID Connect provider with which people log in, and ingest's registration there. Create the configuration at
/// startup, to report an invalid one then.
package struct OpenIDConfiguration: Sendable {
  /// A fault of the configuration. Final until the configuration changes.
  package enum ConfigurationError: Error, Sendable, Equatable {
    /// The issuer is not https (or http to this host), or has a user, password, query or fragment.
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
  /// The provider's name on the sign-in button.
  package let name: String
  let clientID: String
  /// The client's secret. Empty for a public client.
  let clientSecret: Secret
  /// The URL to which the provider redirects after a login.
  let redirectURI: String

  /// Validates the settings and creates the configuration.
  ///
  /// - Parameters:
  ///   - issuer: The issuer exactly as the provider writes it, with or without a slash at the end.
  ///   - clientSecret: The client's secret. Empty for a public client.
  ///   - name: The provider's name. An empty name selects the issuer's host.
  ///   - redirectURI: A URL of this site, registered at the provider.
  /// - Throws: `ConfigurationError`.
  package init(
    issuer: String, clientID: String, clientSecret: String, name: String, redirectURI: String
  ) throws(ConfigurationError) {
    guard let url = URL(server: issuer) else { throw .issuer }
    let isCredential = { (text: String) in
      text.utf8.count <= IdentityLimits.credentialBytesMax && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
    guard !clientID.isEmpty, isCredential(clientID) else { throw .clientID }
    guard isCredential(clientSecret) else { throw .clientSecret }
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
