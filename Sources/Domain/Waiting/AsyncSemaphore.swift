import DequeModule
import Synchronization

/// Counting semaphore for tasks: they wait in line, first come, first served, and the line has a bound. Any thread.
package final class AsyncSemaphore: Sendable {
  private struct State: Sendable {
    var free: Int
    var waiters: Deque<CheckedContinuation<Bool, Never>> = []
  }

  private let state: Mutex<State>
  private let waitingMax: Int

  /// - Parameters:
  ///   - permits: tasks that have a permit at once, 1 or more.
  ///   - waitingMax: tasks that wait for one; with 0 nobody waits.
  package init(permits: Int, waitingMax: Int = 0) {
    state = Mutex(State(free: permits))
    self.waitingMax = waitingMax
  }

  /// Number of tasks that wait for a permit.
  var waitingCount: Int { state.withLock { $0.waiters.count } }

  /// Runs a function with a permit. A task that is cancelled keeps its place in line.
  ///
  /// - Returns: what the function returns; nil if all permits are given and the line is full.
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

  /// The first in line takes the permit over.
  private func release() {
    let next = state.withLock { state in
      let next = state.waiters.popFirst()
      if next == nil { state.free += 1 }
      return next
    }
    next?.resume(returning: true)
  }
}
