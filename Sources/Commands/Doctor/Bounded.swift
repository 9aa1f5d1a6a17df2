import Domain
import Foundation

/// Runs blocking work on its own thread, and waits for its result.
///
/// - Returns: The result, or nil if the work takes longer than the limit. The work then continues without effect.
func bounded<Value: Sendable>(_ limit: Duration, _ work: @escaping @Sendable () -> Value) async -> Value? {
  let outcome = OneShot<Value?>()
  Thread.detachNewThread { outcome.set(work()) }
  let timer = Task {
    try await Task.sleep(for: limit)
    outcome.set(nil)
  }
  defer { timer.cancel() }
  return await outcome.uncancelledValue()
}
