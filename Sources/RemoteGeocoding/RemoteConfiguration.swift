import Domain
import Foundation
import HTTPClient

/// Which provider is asked, and how. Made once, at the start: what is wrong with it is said then.
package struct RemoteConfiguration: Sendable, Equatable {
  /// What is wrong, and what is wanted instead; never with the key. Final until the configuration changes.
  package enum ConfigurationError: Error, Sendable, Equatable {
    /// Not an https address, or http to a host other than this one, or with parts that do not belong.
    case url
    /// A public server wants to know whom to write to, and nothing was said.
    case contactMissing
    /// Neither a mail address nor a link.
    case contact
    /// Not one line of printable ASCII.
    case key
    /// The provider knows no keys.
    case keyUnused
  }

  /// Whose way of asking and answering the server has.
  package let provider: Provider
  /// Without a slash at its end.
  let base: URL
  /// A mail address or a link; empty where none is known.
  let contact: String
  /// Empty where none is needed.
  let key: Secret
  /// Whether it is a server that many applications share, with rules of its own: one request a second, one at a time.
  var isPublic: Bool

  /// - Parameters:
  ///   - url: the server's address, with the path in front of the provider's own ("https://geo.example.org/nominatim").
  ///     Plain http only to this host.
  ///   - contact: a mail address or a link, or empty; the public Nominatim demands one.
  ///   - key: Pelias' `api_key`, or empty.
  /// - Throws: `Mistake`.
  package init(provider: Provider, url: String, contact: String = "", key: String = "") throws(ConfigurationError) {
    guard let base = URL(server: url), let host = base.host(percentEncoded: false)?.lowercased() else { throw .url }
    guard contact.isEmpty || RemoteConfiguration.isContact(contact) else { throw .contact }
    guard key.isEmpty || provider == .pelias else { throw .keyUnused }
    guard key.utf8.count <= RemoteLimits.keyBytesMax, key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw .key
    }
    let name = host.hasSuffix(".") ? String(host.dropLast()) : host
    let isNominatims = name == "nominatim.openstreetmap.org" || name.hasSuffix(".nominatim.openstreetmap.org")
    guard !isNominatims || !contact.isEmpty else { throw .contactMissing }
    self.provider = provider
    self.base = base
    self.contact = contact
    self.key = Secret(key)
    isPublic = isNominatims || name == "photon.komoot.io"
  }

  /// What the provider wants between two requests of the whole deployment, in ms; 0 where it is one's own.
  package var intervalMs: Int64 { isPublic ? RequestPacer(perSecond: RemoteLimits.publicPerSecond).intervalMs : 0 }

  /// Whom the server talks to: public ones turn away libraries that do not say.
  var userAgent: String { contact.isEmpty ? "onthemap/1.0" : "onthemap/1.0 (\(contact))" }

  /// For logs: the server without its path.
  var server: String { "\(provider.rawValue) at \(base.host(percentEncoded: false) ?? "")" }

  private static func isContact(_ text: String) -> Bool {
    guard text.utf8.count <= RemoteLimits.contactBytesMax, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      return false
    }
    return text.wholeMatch(of: #/[^@()<>"\\]+@[^@()<>"\\]+|https?:\/\/[^()<>"\\]+/#) != nil
  }
}
