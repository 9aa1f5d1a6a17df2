import Domain
import HTTPTypes
import Hummingbird
import Messaging
import Web

/// The site that people open, as the operator has configured it: its address, its reverse proxies, and the
/// origins of other sites whose pages may use the API.
struct Site: Sendable {
  /// "https://example.org", or empty.
  let origin: String
  let proxies: TrustedProxies
  /// Origins of others whose pages may use the API.
  let allowedOrigins: Set<String>

  /// Whether TLS ends in front of the service.
  var isSecure: Bool { origin.hasPrefix("https://") }

  /// Who sends a request, by the connection and what trusted proxies say of it.
  func source(of request: Request, _ context: ConnectionContext) -> LoginSource {
    let forwarded = request.headers[values: .xForwardedFor]
    let address = context.peer.map { proxies.client(of: $0, forwardedFor: forwarded) }
    return LoginSource(address: address, agent: request.headers[.userAgent] ?? "")
  }

  /// Throws a `Problem` where another site has made a browser send this. A browser sends cookies with it, and keeps
  /// those that come back; it also says where it comes from. Other clients do not, and are none of our business.
  ///
  /// - Parameter allowsCORSOrigins: whether partners may; not where a cookie says who asks: they have tokens.
  func requireSameOrigin(_ request: Request, allowsCORSOrigins: Bool = true) throws(Problem) {
    if allowsCORSOrigins, let origin = request.headers[.origin], allowedOrigins.contains(origin) { return }
    let forbidden = Problem(
      .forbidden, "cross_site", "another site has sent this; send it from this site, or with a bearer token")
    if let from = request.headers[.secFetchSite] {
      guard from == "same-origin" || from == "none" else { throw forbidden }
    } else if let origin = request.headers[.origin] {
      guard isOwn(origin, of: request) else { throw forbidden }
    }
  }

  /// True if an `Origin` is this site's: the configured one, or the request's host with the configured origin's scheme.
  /// Without a configured origin either scheme passes, since TLS may end at a reverse proxy.
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
