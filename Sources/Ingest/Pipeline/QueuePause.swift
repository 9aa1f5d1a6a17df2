import Store
import Synchronization

/// The operator's pause of the queue, as the store holds it. Any thread.
final class QueuePause: Sendable {
  private struct State {
    var sinceMs: Int64?
    var actor: String?
  }

  private let state: Mutex<State>

  /// Creates the pause from its stored state and follows the store's changes.
  ///
  /// - Parameter sinceMs: Start of the pause, in milliseconds since 1970, UTC. Nil if the queue is not paused.
  init(sinceMs: Int64?, changes: ChangeSource) {
    state = Mutex(State(sinceMs: sinceMs))
    changes.observe { [weak self] change in
      guard case .paused(let sinceMs) = change else { return }
      self?.state.withLock { if $0.sinceMs != sinceMs { $0 = State(sinceMs: sinceMs) } }
    }
  }

  /// Start of the pause, in milliseconds since 1970, UTC. Nil if the queue is not paused.
  var sinceMs: Int64? { state.withLock { $0.sinceMs } }

  /// First name of the operator who paused the queue. Nil if the command line paused it, and after a restart, because
  /// the store holds only the time.
  var actor: String? { state.withLock { $0.actor } }

  /// Names the operator who began a pause. Ignored for any other pause, because a second operator does not begin one.
  func name(_ actor: String?, ofPauseAtMs sinceMs: Int64?) {
    state.withLock { if $0.sinceMs == sinceMs { $0.actor = actor } }
  }
}
