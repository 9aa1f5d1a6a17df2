import Hummingbird
import Web

/// Those who may see what is on the map: everybody, or everybody with a session.
struct MapAuthorization: Sendable {
  let viewing: MapAccess
  let sessions: Sessions
  let site: Site

  /// Throws `Problem.unauthorized` where the map is closed to whoever asks.
  func authorize(_ request: Request) async throws {
    if viewing.isClosed { _ = try await AuthenticatedCaller.authenticate(request, sessions: sessions, site: site) }
  }
}
