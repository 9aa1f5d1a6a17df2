import Synchronization

/// Lower bound of the queued posts' ids, as an integer of the database.
final class QueueFloor: Sendable {
  /// Stores a higher bound.
  static let store = Statement(
    "raise_floor", "UPDATE meta SET queued_from = $1::int8 WHERE one = 1 AND queued_from < $1::int8")

  private struct State: Sendable {
    var value: Int64
    /// Number of times that the bound has been lowered.
    var lowered = 0
  }

  private let state: Mutex<State>

  init(_ value: Int64) { state = Mutex(State(value: value)) }

  var value: Int64 { state.withLock { $0.value } }

  /// Lowers the bound, because a post below it is queued again. Call this after the commit, before its completion.
  func lower(to id: Int64) {
    state.withLock { state in
      state.value = min(state.value, id)
      state.lowered += 1
    }
  }

  /// Raises the bound to the result of a read, unless the bound was lowered since the read began.
  ///
  /// - Parameter read: Reads the lowest queued post at or above the bound, and a value to return. A nil bound raises
  ///   nothing.
  func raise<Value>(_ read: (Int64) async throws -> (bound: Int64?, value: Value)) async rethrows -> Value {
    let before = state.withLock { $0 }
    let (bound, value) = try await read(before.value)
    if let bound {
      state.withLock { state in
        if state.lowered == before.lowered { state.value = Swift.max(state.value, bound) }
      }
    }
    return value
  }
}
