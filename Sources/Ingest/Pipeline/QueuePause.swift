import Synchronization

/// Whether the operator has paused the queue, for those who only want to know. Any thread.
final class QueuePause: Sendable {
  private let since: Mutex<Int64?>

  init(sinceMs: Int64?) { since = Mutex(sinceMs) }

  /// Since when, ms since 1970, UTC; nil when it is not paused.
  var sinceMs: Int64? {
    get { since.withLock { $0 } }
    set { since.withLock { $0 = newValue } }
  }
}
