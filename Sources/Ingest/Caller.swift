import HTTPTypes
import Hummingbird
import Link
import OnTheMap
import Web

/// Who calls, and how: by cookie, as browsers do, or by bearer token.
struct Caller: Sendable {
  let account: Account
  let token: String

  /// Throws `Problem.unauthorized`, or a refusal of a write that another site has sent.
  static func identify(_ request: Request, sessions: Sessions, site: Site) async throws -> Caller {
    let token: String
    if let header = request.headers[.authorization] {
      guard header.lowercased().hasPrefix("bearer ") else { throw Problem.unauthorized }
      token = String(header.dropFirst(7))
    } else {
      guard let cookie = request.cookies[site.cookieName] else { throw Problem.unauthorized }
      try refuseOtherSites(request, site)
      token = cookie.value
    }
    guard token.utf8.count == 43, let account = try await sessions.account(token: token, unixMs: WallClock.unixMs)
    else {
      throw Problem.unauthorized
    }
    return Caller(account: account, token: token)
  }

  /// A browser sends cookies with what other sites start; it also says so.
  private static func refuseOtherSites(_ request: Request, _ site: Site) throws {
    guard request.method != .get, request.method != .head else { return }
    let forbidden = Problem(
      .forbidden, "cross_site", "another site has sent this; send it from this site, or with a bearer token")
    if let from = request.headers[.secFetchSite] {
      guard from == "same-origin" || from == "none" else { throw forbidden }
    } else if let origin = request.headers[.origin] {
      let isHost = origin.split(separator: "/").last.map(String.init) == request.head.authority
      guard origin == site.origin || isHost else { throw forbidden }
    }
  }
}

extension HTTPField.Name {
  static let secFetchSite = Self("Sec-Fetch-Site")!
  static let idempotencyKey = Self("Idempotency-Key")!
  static let idempotencyReplayed = Self("Idempotency-Replayed")!
  static let prefer = Self("Prefer")!
  static let preferenceApplied = Self("Preference-Applied")!
}
