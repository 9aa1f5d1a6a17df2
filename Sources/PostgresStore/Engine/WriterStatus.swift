import Domain
import Store
import Synchronization

/// The writer's state, for other threads.
final class WriterStatus: Sendable {
  /// A part of the store that needs the database.
  enum Part: Sendable, CaseIterable { case writer, beat }

  private struct State: Sendable {
    /// Time since which each part cannot reach the database, in milliseconds since 1970, UTC.
    var unavailableMs: [Part: Int64] = [:]
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
  var unavailableSinceMs: Int64? { state.withLock { $0.unavailableMs.values.min() } }

  /// Records that a part cannot reach the database. Returns true if it could before.
  @discardableResult
  func markUnavailable(_ part: Part, unixMs: Int64) -> Bool {
    state.withLock { state in
      guard state.unavailableMs[part] == nil else { return false }
      state.unavailableMs[part] = unixMs
      return true
    }
  }

  /// Records that a part reaches the database. Returns true if it could not before.
  @discardableResult
  func markAvailable(_ part: Part) -> Bool { state.withLock { $0.unavailableMs.removeValue(forKey: part) != nil } }

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
