import Domain
import Foundation
import HTTPClient

/// The Facebook app with which people log in. Create the configuration at startup, to report an invalid one then.
package struct FacebookConfiguration: Sendable {
  /// A fault of the configuration. Final until the configuration changes.
  package enum ConfigurationError: Error, Sendable, Equatable {
    /// The app's id is not 1 to `IdentityLimits.credentialBytesMax` digits.
    case appID
    /// The app's secret is empty, too long or not one word of printable ASCII.
    case appSecret
    /// The Graph API's URL is not https (or http to this host), or has a user, password, query or fragment.
    case graph
  }

  /// URL of Facebook's Graph API, with the version that this code was written for.
  package static let defaultGraph = "https://graph.facebook.com/v24.0"

  let appID: String
  let appSecret: Secret
  let graph: URL

  /// Validates the settings and creates the configuration.
  ///
  /// - Parameter graph: The URL of the Graph API, with its version.
  /// - Throws: `ConfigurationError`.
  package init(
    appID: String, appSecret: String, graph: String = FacebookConfiguration.defaultGraph
  ) throws(ConfigurationError) {
    guard (1...IdentityLimits.credentialBytesMax).contains(appID.utf8.count),
      appID.utf8.allSatisfy({ (48...57).contains($0) })
    else { throw .appID }
    guard (1...IdentityLimits.credentialBytesMax).contains(appSecret.utf8.count),
      appSecret.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw .appSecret }
    guard let url = URL(server: graph) else { throw .graph }
    self.appID = appID
    self.appSecret = Secret(appSecret)
    self.graph = url
  }
}
