/// A condition that did not become true in time.
struct TimeoutError: Error, CustomStringConvertible {
  let description: String
}

/// Waits until the body has a value. Throws `TimeoutError` after `limit`.
///
/// - Parameter state: The awaited state, as a clause: "the post is published".
func eventually<Value>(
  _ state: String, within limit: Duration = .seconds(120), _ body: () async throws -> Value?
) async throws -> Value {
  let end = ContinuousClock.now + limit
  repeat {
    if let value = try await body() { return value }
    try await Task.sleep(for: .milliseconds(20))
  } while ContinuousClock.now < end
  // Check once more: a busy machine may have slept past the end.
  if let value = try await body() { return value }
  throw TimeoutError(description: "timed out after \(limit) before \(state)")
}

/// Waits until the condition is true. Throws `TimeoutError` after `limit`.
func eventually(
  _ state: String, within limit: Duration = .seconds(120), _ condition: () async throws -> Bool
) async throws {
  try await eventually(state, within: limit) { try await condition() ? () : nil }
}
