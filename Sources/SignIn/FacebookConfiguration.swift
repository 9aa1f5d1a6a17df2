import Domain
import Foundation
import HTTPClient

/// By which app at Facebook people log in. Made once, at the start: what is wrong with it is said then.
package struct FacebookConfiguration: Sendable {
  /// What is wrong. Final until the configuration changes.
  package enum ConfigurationError: Error, Sendable, Equatable {
    /// Not digits.
    case appID
    /// Not one word of printable ASCII.
    case appSecret
    /// Not an https address, or http to a host other than this one, or with parts that do not belong.
    case graph
  }

  /// Where Facebook has it, with the version that this was written for.
  package static let defaultGraph = "https://graph.facebook.com/v24.0"

  let appID: String
  let appSecret: Secret
  let graph: URL

  /// - Parameter graph: the Graph API's address, with its version.
  /// - Throws: `Mistake`.
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
