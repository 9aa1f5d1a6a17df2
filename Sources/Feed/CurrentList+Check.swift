import Domain
import HTTPTypes
import Web

extension CurrentList {
  /// Checks that the feed has a list, and that ingest has not been silent for longer than `Limits.livenessMs`.
  ///
  /// - Returns: nil, because this check has no remarks.
  /// - Throws: `feed_unavailable` or `feed_stale`. Both are temporary.
  func check() throws(Problem) -> String? {
    guard state != nil else { throw .feedUnavailable }
    guard !isStale else {
      throw Problem(
        .serviceUnavailable, "feed_stale",
        "ingest is silent, so the list may be stale; this feed still serves it, marked as stale",
        retryAfterSeconds: Limits.retrySoonSeconds)
    }
    return nil
  }
}

extension Problem {
  /// The problem of a feed without a list.
  static var feedUnavailable: Problem {
    Problem(
      .serviceUnavailable, "feed_unavailable", "this feed has not received the list from ingest yet; try again later",
      retryAfterSeconds: Limits.retrySoonSeconds)
  }
}
