package import Foundation

extension URL {
  /// Parses the URL of an endpoint. The scheme must be https, or http to this host, which crosses no network. Returns
  /// nil for any other text, and for a URL with a user, a password or a fragment.
  package init?(endpoint text: String) {
    guard let url = URL(string: text), let host = url.host(percentEncoded: false)?.lowercased(), !host.isEmpty,
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), url.user == nil, url.password == nil,
      url.fragment == nil, url.scheme == "https" || url.scheme == "http" && URL.isLoopback(host)
    else { return nil }
    self = url
  }

  /// Parses the base URL of a server and removes a slash at its end. Returns nil for a URL with a query, and for every
  /// text that is not a URL of an endpoint.
  package init?(server text: String) {
    guard let url = URL(endpoint: text.hasSuffix("/") ? String(text.dropLast()) : text), url.query == nil else {
      return nil
    }
    self = url
  }

  private static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || host == "::1" || host == "[::1]" || host.wholeMatch(of: #/127(\.\d{1,3}){3}/#) != nil
  }
}
