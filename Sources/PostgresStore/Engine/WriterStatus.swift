import Domain
import Store
import Synchronization

/// The writer's state, for other threads.
final class WriterStatus: Sendable {
  private struct State: Sendable {
    var unavailableSinceMs: Int64?
    var fullMs: Int64?
    var refused = 0
  }

  private let state = Mutex(State())
  private let closing = Atomic(false)
  /// Posts below this id are not queued. A lower bound, so that reads of the queue begin near its oldest post.
  let queuedFrom: QueueFloor
  /// Durations of the latest commits.
  let times = CommitTimes()

  init(queuedFrom: Int64) { self.queuedFrom = QueueFloor(queuedFrom) }

  /// True after `close`: the writer then gives up a group that it cannot commit.
  var isClosing: Bool { closing.load(ordering: .relaxed) }

  func close() { closing.store(true, ordering: .relaxed) }

  /// Time at which the database became unreachable, in milliseconds since 1970, UTC. Nil while it is reachable.
  var unavailableSinceMs: Int64? { state.withLock { $0.unavailableSinceMs } }

  func markUnavailable(unixMs: Int64) {
    state.withLock { $0.unavailableSinceMs = $0.unavailableSinceMs ?? unixMs }
  }

  func markAvailable() { state.withLock { $0.unavailableSinceMs = nil } }

  /// Time at which a write did not fit on the server's disk, in milliseconds since 1970, UTC.
  var fullMs: Int64? { state.withLock { $0.fullMs } }

  func markFull(unixMs: Int64) {
    state.withLock { state in
      state.fullMs = state.fullMs ?? unixMs
      state.refused += 1
    }
  }

  func markRecovered() { state.withLock { $0.fullMs = nil } }

  /// Returns the number of writes that did not fit since the last call.
  func drainRefusedCount() -> Int {
    state.withLock { state in
      defer { state.refused = 0 }
      return state.refused
    }
  }
}
