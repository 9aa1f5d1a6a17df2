import Domain
import HTTPTypes
import Hummingbird
import Messaging
import Web

/// Who calls, and how: by cookie, as browsers do, or by bearer token.
struct AuthenticatedCaller: Sendable {
  let session: Session
  let token: String

  var account: Account { session.account }

  /// Throws `Problem.unauthorized`, or a refusal of a write that another site has sent.
  static func authenticate(_ request: Request, sessions: Sessions, site: Site) async throws -> AuthenticatedCaller {
    let token = try token(of: request, site: site)
    guard let session = try await sessions.session(token: token, unixMs: WallClock.unixMs) else {
      throw Problem.unauthorized
    }
    return AuthenticatedCaller(session: session, token: token)
  }

  /// What might be a session's.
  static func token(of request: Request, site: Site) throws(Problem) -> String {
    let token: String
    if let header = request.headers[.authorization] {
      guard header.prefix(7).lowercased() == "bearer " else { throw Problem.unauthorized }
      token = String(header.dropFirst(7))
    } else {
      guard let cookie = request.cookies[site.cookieName] else { throw Problem.unauthorized }
      if request.method != .get, request.method != .head { try site.requireSameOrigin(request, allowsCORSOrigins: false) }
      token = cookie.value
    }
    guard token.utf8.count == Limits.sessionTokenBytes else { throw Problem.unauthorized }
    return token
  }

  /// Nil for somebody without a session.
  static func authenticateIfPresent(_ request: Request, sessions: Sessions, site: Site) async throws -> AuthenticatedCaller? {
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
