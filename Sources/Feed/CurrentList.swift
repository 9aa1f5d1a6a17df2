import Domain
import HTTPTypes
import Synchronization
import Web

/// The list for HTTP clients, as received from ingest. The reactor never waits here for the encoding of responses. Any
/// thread.
final class CurrentList: Sendable {
  private struct Latest: Sendable {
    /// History of the list. Nil before the first list of ingest.
    var history: FeedHistory?
    /// Staleness. It may be set before the first list arrives.
    var isStale = true
    /// Number of the revision, which rises with each change.
    var number: UInt64 = 0
    /// The current revision. Nil until a request needs it.
    var revision: ListRevision?

    mutating func change(_ body: (inout Latest) -> Void) {
      // Release the revision first. If no request holds it, the history changes without a copy.
      revision = nil
      number += 1
      body(&self)
    }
  }

  private let latest = Mutex(Latest())

  /// The current list. Nil before the first one.
  var state: FeedState? { latest.withLock { $0.history?.state } }

  /// The current revision of the list, the same object until the next change. Nil before the first list.
  var revision: ListRevision? {
    latest.withLock { latest in
      if let revision = latest.revision { return revision }
      latest.revision = latest.history.map { ListRevision($0, isStale: latest.isStale, number: latest.number) }
      return latest.revision
    }
  }

  /// Checks that the feed has a list, and that ingest has not been silent for longer than `Limits.livenessMs`.
  ///
  /// - Returns: nil, because this check has no remarks.
  /// - Throws: `feed_unavailable` or `feed_stale`. Both are temporary.
  func check() throws(Problem) -> String? {
    let (hasList, isStale) = latest.withLock { ($0.history != nil, $0.isStale) }
    guard hasList else { throw .feedUnavailable }
    guard !isStale else {
      throw Problem(
        .serviceUnavailable, "feed_stale",
        "ingest is silent, so the list may be stale; this feed still serves it, marked as stale",
        retryAfterSeconds: Limits.retrySoonSeconds)
    }
    return nil
  }

  /// Replaces the list: after a start, after a gap, or for another epoch.
  func replace(_ state: FeedState) {
    latest.withLock { $0.change { $0.history = FeedHistory(state: state) } }
  }

  /// Appends changes, and replaces the list with the list after the changes.
  func change(_ changes: [FeedChange], to state: FeedState) {
    latest.withLock { $0.change { $0.history?.append(changes, to: state) } }
  }

  /// Sets the staleness: true while ingest is silent. The list begins stale.
  func set(isStale: Bool) {
    latest.withLock { $0.change { $0.isStale = isStale } }
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
