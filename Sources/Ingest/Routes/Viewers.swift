import Hummingbird
import Web

/// Those who may see what is on the map: everybody, or everybody with a session.
struct Viewers: Sendable {
  let viewing: Viewing
  let sessions: Sessions
  let site: Site

  /// Throws `Problem.unauthorized` where the map is closed to whoever asks.
  func admit(_ request: Request) async throws {
    if viewing.isClosed { _ = try await Caller.identify(request, sessions: sessions, site: site) }
  }
}
