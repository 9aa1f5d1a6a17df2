import Synchronization

/// Value that is set once, and that tasks can await. The first value counts. Any thread.
package final class OneShot<Value: Sendable>: Sendable {
  private struct State: Sendable {
    var value: Value?
    var waiting: [UInt64: CheckedContinuation<Value?, Never>] = [:]
    /// Number of the next waiting task.
    var next: UInt64 = 0
  }

  private let state = Mutex(State())

  /// Creates a one-shot without a value.
  package init() {}

  /// The value, or nil before it is set.
  package var now: Value? { state.withLock { $0.value } }

  /// Sets the value, and resumes the tasks that wait for it.
  ///
  /// - Returns: false if a value was already set. That value stays.
  @discardableResult
  package func set(_ value: Value) -> Bool {
    let resumed: [CheckedContinuation<Value?, Never>]? = state.withLock { state in
      guard state.value == nil else { return nil }
      state.value = value
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for continuation in resumed ?? [] { continuation.resume(returning: value) }
    return resumed != nil
  }

  /// The value, as soon as it is set.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before the value is set.
  package var value: Value {
    get async throws(CancellationError) {
      let number = nextNumber()
      let value = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          enter(number, continuation)
          // The handler may have run before this task was registered.
          if Task.isCancelled { leave(number) }
        }
      } onCancel: {
        leave(number)
      }
      guard let value else { throw CancellationError() }
      return value
    }
  }

  /// Waits for the value, even if the task is cancelled. Use it only if the value is certain to be set.
  package func uncancelledValue() async -> Value {
    let value = await withCheckedContinuation { enter(nextNumber(), $0) }
    guard let value else { preconditionFailure("Only a cancelled wait ends without a value.") }
    return value
  }

  private func nextNumber() -> UInt64 {
    state.withLock { state in
      defer { state.next += 1 }
      return state.next
    }
  }

  private func enter(_ number: UInt64, _ continuation: CheckedContinuation<Value?, Never>) {
    let value = state.withLock { state in
      if state.value == nil { state.waiting[number] = continuation }
      return state.value
    }
    if let value { continuation.resume(returning: value) }
  }

  private func leave(_ number: UInt64) {
    state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(returning: nil)
  }
}
