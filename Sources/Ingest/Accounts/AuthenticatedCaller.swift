import Domain
import HTTPTypes
import Hummingbird
import Messaging
import Web

/// The caller of a request, authenticated by a cookie, as in browsers, or by a bearer token.
struct AuthenticatedCaller: Sendable {
  let session: Session
  let token: String

  var account: Account { session.account }

  /// Authenticates a request.
  ///
  /// - Throws: `Problem.unauthorized`, or the refusal of a write from another site.
  static func authenticate(_ request: Request, sessions: Sessions, site: Site) async throws -> AuthenticatedCaller {
    let token = try token(of: request, site: site)
    guard let session = try await sessions.session(token: token, unixMs: WallClock.unixMs) else {
      throw Problem.unauthorized
    }
    return AuthenticatedCaller(session: session, token: token)
  }

  /// Returns the request's token without checking that it has a session.
  ///
  /// - Throws: The same problems as `authenticate`.
  static func token(of request: Request, site: Site) throws(Problem) -> String {
    let token: String
    if let header = request.headers[.authorization] {
      guard header.prefix(7).lowercased() == "bearer " else { throw Problem.unauthorized }
      token = String(header.dropFirst(7))
    } else {
      guard let cookie = request.cookies[site.cookieName] else { throw Problem.unauthorized }
      if request.method != .get, request.method != .head {
        try site.requireSameOrigin(request, allowsCORSOrigins: false)
      }
      token = cookie.value
    }
    guard token.utf8.count == Limits.sessionTokenBytes else { throw Problem.unauthorized }
    return token
  }

  /// Authenticates a request. Returns nil for a request without a session.
  static func authenticateIfPresent(_ request: Request, sessions: Sessions, site: Site) async throws
    -> AuthenticatedCaller?
  {
    do { return try await authenticate(request, sessions: sessions, site: site) } catch let problem as Problem
      where problem.status == .unauthorized
    { return nil }
  }
}

extension HTTPField.Name {
  static let idempotencyKey = Self("Idempotency-Key")!
  static let traceparent = Self("traceparent")!
  static let idempotencyReplayed = Self("Idempotency-Replayed")!
  static let prefer = Self("Prefer")!
  static let preferenceApplied = Self("Preference-Applied")!
}
