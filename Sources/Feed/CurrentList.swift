import Domain
import HTTPTypes
import Synchronization
import Web

/// The latest list for HTTP, as ingest tells it. Any thread: the reactor never waits here while bytes are made.
final class CurrentList: Sendable {
  private struct Latest: Sendable {
    /// Nil before ingest has told anything.
    var history: FeedHistory?
    /// It may be said before the list is.
    var isStale = true
    /// Rises with each change.
    var number: UInt64 = 0
    /// Once somebody has asked for it.
    var version: ListRevision?

    mutating func change(_ body: (inout Latest) -> Void) {
      // First, so that nothing is copied where nobody holds it.
      version = nil
      number += 1
      body(&self)
    }
  }

  private let latest = Mutex(Latest())

  /// The list as it stands; nil before there is one.
  var state: FeedState? { latest.withLock { $0.history?.state } }

  /// The list as it stands, for all who ask before it changes; nil before there is one.
  var version: ListRevision? {
    latest.withLock { latest in
      if let version = latest.version { return version }
      latest.version = latest.history.map { ListRevision($0, isStale: latest.isStale, number: latest.number) }
      return latest.version
    }
  }

  /// Checks that the feed has a list, and that ingest has not been silent for longer than `Limits.livenessMs`.
  ///
  /// - Returns: nil: there is never a remark.
  /// - Throws: `feed_unavailable` or `feed_stale`; both are temporary.
  func check() throws(Problem) -> String? {
    let (isListed, isStale) = latest.withLock { ($0.history != nil, $0.isStale) }
    guard isListed else { throw .feedUnavailable }
    guard !isStale else {
      throw Problem(
        .serviceUnavailable, "feed_stale",
        "ingest is silent, so the list may be old; this feed still serves it, marked as stale",
        retryAfterSeconds: Limits.retrySoonSeconds)
    }
    return nil
  }

  /// The list after a start, a gap, or another history.
  func replace(_ state: FeedState) {
    latest.withLock { $0.change { $0.history = FeedHistory(state: state) } }
  }

  /// Changes of the list, and the list after them.
  func change(_ changes: [FeedChange], to state: FeedState) {
    latest.withLock { $0.change { $0.history?.append(changes, to: state) } }
  }

  /// Whether ingest is silent. It begins stale.
  func set(isStale: Bool) {
    latest.withLock { $0.change { $0.isStale = isStale } }
  }
}

extension Problem {
  /// Problem of a feed without a list.
  static var feedUnavailable: Problem {
    Problem(
      .serviceUnavailable, "feed_unavailable", "ingest has not told this feed the list yet; try again later",
      retryAfterSeconds: Limits.retrySoonSeconds)
  }
}
