import Domain
import HTTPTypes
import Hummingbird
import Messaging
import Web

/// The public site as the operator has configured it: its origin, its reverse proxies, and the sites whose pages may
/// use the API.
struct Site: Sendable {
  /// The site's origin, such as "https://example.org". Empty if it is not configured.
  let origin: String
  let proxies: TrustedProxies
  /// Origins of other sites whose pages may use the API.
  let allowedOrigins: Set<String>

  /// True if a reverse proxy terminates TLS for the service.
  var isSecure: Bool { origin.hasPrefix("https://") }

  /// Returns the origin at which a client reaches the site: the configured one, or the request's host over HTTP. Nil if
  /// the host is not a plain name or address.
  func origin(for request: Request) -> String? {
    guard origin.isEmpty else { return origin }
    let plain = /(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]+)?/
    guard let authority = request.head.authority, authority.wholeMatch(of: plain) != nil else { return nil }
    return "http://\(authority)"
  }

  /// Returns the source of a request, by the connection and the forwarded addresses of trusted proxies.
  func source(of request: Request, _ context: ConnectionContext) -> LoginSource {
    let forwarded = request.headers[values: .xForwardedFor]
    let address = context.peer.map { proxies.client(of: $0, forwardedFor: forwarded) }
    return LoginSource(address: address, agent: request.headers[.userAgent] ?? "")
  }

  /// Checks that no other site made a browser send the request. A browser sends and keeps cookies, and it states the
  /// request's origin. Other clients state no origin and pass.
  ///
  /// - Parameter allowsCORSOrigins: True if pages of `allowedOrigins` pass. False for requests that a cookie
  ///   authenticates, because those pages have tokens.
  /// - Throws: `Problem` with status 403 for a request from another site.
  func requireSameOrigin(_ request: Request, allowsCORSOrigins: Bool = true) throws(Problem) {
    if allowsCORSOrigins, let origin = request.headers[.origin], allowedOrigins.contains(origin) { return }
    let forbidden = Problem(
      .forbidden, "cross_site", "another site sent this request; send it from this site, or with a bearer token")
    if let fetchSite = request.headers[.secFetchSite] {
      guard fetchSite == "same-origin" || fetchSite == "none" else { throw forbidden }
    } else if let origin = request.headers[.origin] {
      guard isOwn(origin, of: request) else { throw forbidden }
    }
  }

  /// Returns true if an `Origin` is this site's: the configured one, or the request's host with the configured scheme.
  /// Without a configured origin either scheme passes, because TLS may end at a reverse proxy.
  private func isOwn(_ origin: String, of request: Request) -> Bool {
    guard origin != self.origin else { return true }
    guard let authority = request.head.authority, !authority.isEmpty else { return false }
    let schemes = self.origin.isEmpty ? ["http", "https"] : [isSecure ? "https" : "http"]
    return schemes.contains { origin == "\($0)://\(authority)" }
  }
}

extension HTTPField.Name {
  static let xForwardedFor = Self("X-Forwarded-For")!
  static let secFetchSite = Self("Sec-Fetch-Site")!
}
