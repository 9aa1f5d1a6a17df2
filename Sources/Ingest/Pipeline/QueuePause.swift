import Store
import Synchronization

/// The operator's pause of the queue, as the store holds it. Any thread.
final class QueuePause: Sendable {
  private let since: Mutex<Int64?>

  /// Creates the pause from its stored state and follows the store's changes.
  ///
  /// - Parameter sinceMs: Start of the pause, in milliseconds since 1970, UTC. Nil if the queue is not paused.
  init(sinceMs: Int64?, changes: ChangeSource) {
    since = Mutex(sinceMs)
    changes.observe { [weak self] change in
      if case .paused(let sinceMs) = change { self?.since.withLock { $0 = sinceMs } }
    }
  }

  /// Start of the pause, in milliseconds since 1970, UTC. Nil if the queue is not paused.
  var sinceMs: Int64? { since.withLock { $0 } }
}
