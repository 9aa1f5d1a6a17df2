package import Foundation
package import Messaging

/// An error that prevents a load test, or a read of the store. Its text states the fault. The command line adds the
/// name of the option that causes the fault.
package enum LoadTestError: Error, CustomStringConvertible {
  /// The file of places cannot be read as lines of UTF-8.
  case placesUnreadable(path: String)
  /// Ingest does not accept a line of the file of places. Lines count from 1.
  case placeRefused(path: String, line: Int)
  /// The file of places has no lines, or more than `LoadLimits.placesMax`.
  case placesCount(path: String, count: Int)
  /// The gazetteer has no city of `LoadLimits.populationMin` people or more.
  case noCities(path: String)
  /// Ingest refuses the account. The problem is ingest's text.
  case notLoggedIn(problem: String)
  /// Ingest does not respond to a login.
  case unreachable(server: URL, reason: String)
  /// None of the feeds sends its list.
  case silentFeed([Endpoint])
  /// The feeds publish another ingest's posts.
  case foreignFeed([Endpoint])
  /// Ingest refuses a request about the store, or does not respond.
  case storeUnreadable(path: String, problem: String)

  package var description: String {
    switch self {
    case .placesUnreadable(let path): "cannot read \(path) as lines of UTF-8."
    case .placeRefused(let path, let line): "line \(line) of \(path) is not a valid place."
    case .placesCount(let path, let count): "\(path) has \(count) places, not 1 to \(LoadLimits.placesMax)."
    case .noCities(let path): "the gazetteer \(path) has no cities."
    case .notLoggedIn(let problem): "login failed: \(problem)."
    case .unreachable(let server, let reason): "cannot reach \(server): \(reason)"
    case .silentFeed(let feeds): "the feed \(LoadTestError.list(feeds)) does not answer."
    case .foreignFeed(let feeds): "the feed \(LoadTestError.list(feeds)) belongs to another ingest."
    case .storeUnreadable(let path, let problem): "cannot read the store (GET \(path)): \(problem)."
    }
  }

  /// Returns addresses as a setting writes them.
  package static func list(_ endpoints: [Endpoint]) -> String {
    endpoints.map(\.description).joined(separator: ",")
  }
}
