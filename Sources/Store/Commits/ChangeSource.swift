package import Domain
import Synchronization

/// A store that reports its changes.
package protocol ObservableStore: Sendable {
  /// Source of the store's durable changes: the commits of this process, and of other processes that may write.
  var changes: ChangeSource { get }
}

/// A durable change of the store's data.
package enum StoreChange: Sendable {
  /// Changes of the list, by ascending sequence number: posts that were published, edited, deleted or got a new name.
  case list([FeedChange])
  /// Unpublished posts were deleted.
  case unlisted([PostID])
  /// Queued posts were published or rejected, or are dead.
  case settled([PostID])
  /// The queue was paused at this time, in milliseconds since 1970, UTC. Nil after a resumption.
  case paused(sinceMs: Int64?)
  /// An account's own data, role, password or sessions changed.
  case account(AccountID)
  /// The session of a token has ended.
  case session(tokenHash: [UInt8])

  /// The part of the change that ingest's core must process. Nil if there is none.
  package var committed: IngestCore.Committed? {
    switch self {
    case .list(let changes): .changed(changes)
    case .paused(let sinceMs): .paused(sinceMs != nil)
    case .unlisted, .settled, .account, .session: nil
    }
  }
}

/// Source of durable changes for observers. Caches and waiting requests observe the source, because another process may
/// change the store too.
///
/// The store calls observers for one change at a time, in commit order, before the completion of the write that made
/// the change. An observer must not block. Observers stay until the store ends.
package final class ChangeSource: Sendable {
  private let observers = Mutex<[@Sendable (StoreChange) -> Void]>([])

  package init() {}

  /// Adds an observer. Call this before the first write whose change it must see.
  package func observe(_ observer: @escaping @Sendable (StoreChange) -> Void) {
    observers.withLock { $0.append(observer) }
  }

  /// Reports a change to all observers. Stores call this after the commit.
  package func report(_ change: StoreChange) {
    for observer in observers.withLock({ $0 }) { observer(change) }
  }
}
