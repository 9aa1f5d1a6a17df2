package import Domain
import Synchronization

/// The latest posts for HTTP clients, as a feed or a gateway has received them. The reactor never waits here for the
/// encoding of responses. Any thread.
package final class CurrentList: Sendable {
  private struct Latest: Sendable {
    /// History of the list. Nil before the first list.
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

  /// Creates a stale list without posts, before the first one arrives.
  package init() {}

  /// The current list. Nil before the first one.
  package var state: FeedState? { latest.withLock { $0.history?.state } }

  /// True if the list may be behind the store.
  package var isStale: Bool { latest.withLock { $0.isStale } }

  /// The current revision of the list, the same object until the next change. Nil before the first list.
  package var revision: ListRevision? {
    latest.withLock { latest in
      if let revision = latest.revision { return revision }
      latest.revision = latest.history.map { ListRevision($0, isStale: latest.isStale, number: latest.number) }
      return latest.revision
    }
  }

  /// Replaces the list: after a start, after a gap, or for another epoch.
  ///
  /// - Parameter isStale: The list's staleness. Nil keeps the current one.
  package func replace(_ state: FeedState, isStale: Bool? = nil) {
    latest.withLock { latest in
      latest.change {
        $0.history = FeedHistory(state: state)
        if let isStale { $0.isStale = isStale }
      }
    }
  }

  /// Appends changes, and replaces the list with the list after the changes.
  package func change(_ changes: [FeedChange], to state: FeedState) {
    latest.withLock { $0.change { $0.history?.append(changes, to: state) } }
  }

  /// Sets the staleness: true while ingest is silent. The list begins stale.
  package func set(isStale: Bool) {
    latest.withLock { $0.change { $0.isStale = isStale } }
  }
}
