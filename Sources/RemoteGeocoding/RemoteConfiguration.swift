import Domain
import Foundation
import HTTPClient

/// Configuration of the remote provider. A process creates it once, at startup, and then reports an invalid one.
package struct RemoteConfiguration: Sendable, Equatable {
  /// A fault of the configuration. It never contains the key. Final until the configuration changes.
  package enum ConfigurationError: Error, Sendable, Equatable {
    /// The URL is malformed, is http to another host than this one, or has a user, a query or a fragment.
    case url
    /// A public server requires a contact, and there is none.
    case contactMissing
    /// The contact is neither an email address nor a link.
    case contact
    /// The key is too long or not one word of printable ASCII.
    case key
    /// The provider uses no keys.
    case keyUnused
  }

  /// The provider whose API the server speaks.
  package let provider: Provider
  /// The server's URL without a slash at the end.
  let base: URL
  /// An email address or a link. Empty if there is none.
  let contact: String
  /// The API key. Empty if the server needs none.
  let key: Secret
  /// True for a server that many applications share. Its rules allow one request a second and one at a time.
  var isPublic: Bool

  /// Validates the configuration.
  ///
  /// - Parameters:
  ///   - url: The server's URL, with the path in front of the provider's own ("https://geo.example.org/nominatim").
  ///     Plain http is allowed only to this host.
  ///   - contact: An email address, a link or an empty text. The public Nominatim requires one.
  ///   - key: The value of Pelias' `api_key`, or an empty text.
  /// - Throws: `ConfigurationError`.
  package init(provider: Provider, url: String, contact: String = "", key: String = "") throws(ConfigurationError) {
    guard let base = URL(server: url), let host = base.host(percentEncoded: false)?.lowercased() else { throw .url }
    guard contact.isEmpty || RemoteConfiguration.isContact(contact) else { throw .contact }
    guard key.isEmpty || provider == .pelias else { throw .keyUnused }
    guard key.utf8.count <= RemoteLimits.keyBytesMax, key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw .key
    }
    let name = host.hasSuffix(".") ? String(host.dropLast()) : host
    let isPublicNominatim = name == "nominatim.openstreetmap.org" || name.hasSuffix(".nominatim.openstreetmap.org")
    guard !isPublicNominatim || !contact.isEmpty else { throw .contactMissing }
    self.provider = provider
    self.base = base
    self.contact = contact
    self.key = Secret(key)
    isPublic = isPublicNominatim || name == "photon.komoot.io"
  }

  /// Minimum interval between two requests of the whole deployment, in milliseconds. 0 for a server of the operator's
  /// own.
  package var intervalMs: Int64 { isPublic ? RequestPacer(perSecond: RemoteLimits.publicPerSecond).intervalMs : 0 }

  /// The User-Agent header. Public servers refuse libraries without a contact.
  var userAgent: String { contact.isEmpty ? "onthemap/1.0" : "onthemap/1.0 (\(contact))" }

  /// The provider and the server's host, for logs.
  var server: String { "\(provider.rawValue) at \(base.host(percentEncoded: false) ?? "")" }

  private static func isContact(_ text: String) -> Bool {
    guard text.utf8.count <= RemoteLimits.contactBytesMax, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      return false
    }
    return text.wholeMatch(of: #/[^@()<>"\\]+@[^@()<>"\\]+|https?:\/\/[^()<>"\\]+/#) != nil
  }
}
