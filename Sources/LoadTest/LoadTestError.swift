package import Foundation
package import Messaging

/// Why a load test cannot begin, or cannot read the store. The texts say what to do; the command line puts its options'
/// names to those that a setting causes.
package enum LoadTestError: Error, CustomStringConvertible {
  /// The file of places cannot be read as lines of UTF-8.
  case placesUnreadable(path: String)
  /// A line of the file of places, counted from 1, is none that ingest accepts.
  case placeRefused(path: String, line: Int)
  /// The file of places has none, or more than `LoadLimits.placesMax`.
  case placesCount(path: String, count: Int)
  /// The gazetteer has no towns.
  case noTowns(path: String)
  /// Ingest refuses the account; the problem is in its words.
  case notLoggedIn(problem: String)
  /// Ingest does not answer a login.
  case unreachable(server: URL, reason: String)
  /// The feed does not send its list.
  case silentFeed(Endpoint)
  /// The feed publishes another ingest's posts.
  case foreignFeed(Endpoint)
  /// Ingest refuses a question about the store, or does not answer it.
  case storeUnreadable(path: String, problem: String)

  package var description: String {
    switch self {
    case .placesUnreadable(let path): "\(path) cannot be read as lines of UTF-8."
    case .placeRefused(let path, let line): "line \(line) of \(path) is no place that a post may have."
    case .placesCount(let path, let count): "\(path) has \(count) places."
    case .noTowns(let path): "the gazetteer \(path) has no towns."
    case .notLoggedIn(let problem): "Not logged in: \(problem)."
    case .unreachable(let server, let reason): "\(server) cannot be reached: \(reason)"
    case .silentFeed(let feed): "the feed \(feed) does not answer."
    case .foreignFeed(let feed): "the feed \(feed) is another ingest's."
    case .storeUnreadable(let path, let problem): "The store cannot be read (GET \(path)): \(problem)."
    }
  }
}
