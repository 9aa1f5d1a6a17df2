import Hummingbird
import Web

/// Authorization to view the map, for everybody or for clients with a session.
struct MapAuthorization: Sendable {
  let mapAccess: MapAccess
  let sessions: Sessions
  let site: Site

  /// Authorizes a request.
  ///
  /// - Throws: `Problem.unauthorized` if the map is members-only and the request has no session.
  func authorize(_ request: Request) async throws {
    guard mapAccess.isMembersOnly else { return }
    _ = try await AuthenticatedCaller.authenticate(request, sessions: sessions, site: site)
  }
}
