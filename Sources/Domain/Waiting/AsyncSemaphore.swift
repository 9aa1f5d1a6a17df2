import DequeModule
import Synchronization

/// Counting semaphore for tasks, with a bounded FIFO queue. Any thread.
package final class AsyncSemaphore: Sendable {
  private struct State: Sendable {
    var free: Int
    var waiters: Deque<CheckedContinuation<Bool, Never>> = []
  }

  private let state: Mutex<State>
  private let waitingMax: Int

  /// - Parameters:
  ///   - permits: Maximum number of tasks with a permit, 1 or more.
  ///   - waitingMax: Maximum number of waiting tasks. With 0, no task waits.
  package init(permits: Int, waitingMax: Int = 0) {
    state = Mutex(State(free: permits))
    self.waitingMax = waitingMax
  }

  /// Number of tasks that wait for a permit.
  var waitingCount: Int { state.withLock { $0.waiters.count } }

  /// Runs a function with a permit. A cancelled task keeps its position in the queue.
  ///
  /// - Returns: the function's value. Nil if all permits are in use and the queue is full.
  package func withPermit<Value, Failure>(
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value? {
    guard await acquire() else { return nil }
    defer { release() }
    return try await body()
  }

  private func acquire() async -> Bool {
    await withCheckedContinuation { continuation in
      let hasPermit: Bool? = state.withLock { state in
        if state.free > 0 {
          state.free -= 1
          return true
        }
        guard state.waiters.count < waitingMax else { return false }
        state.waiters.append(continuation)
        return nil
      }
      if let hasPermit { continuation.resume(returning: hasPermit) }
    }
  }

  /// Passes the permit to the first task in the queue.
  private func release() {
    let next = state.withLock { state in
      let next = state.waiters.popFirst()
      if next == nil { state.free += 1 }
      return next
    }
    next?.resume(returning: true)
  }
}
