/// What a test waited for, in vain.
struct TimeoutError: Error, CustomStringConvertible {
  let description: String
}

/// Waits until the body has a value; throws `TimeoutError` when the time is over.
///
/// - Parameter what: completes "waited in vain until …".
func eventually<Value>(
  _ what: String, within limit: Duration = .seconds(120), _ body: () async throws -> Value?
) async throws -> Value {
  let end = ContinuousClock.now + limit
  repeat {
    if let value = try await body() { return value }
    try await Task.sleep(for: .milliseconds(20))
  } while ContinuousClock.now < end
  // A busy machine may have overslept the end: the last word is the condition's.
  if let value = try await body() { return value }
  throw TimeoutError(description: "waited \(limit) in vain until \(what)")
}

/// Waits until the condition holds; throws `TimeoutError` when the time is over.
func eventually(
  _ what: String, within limit: Duration = .seconds(120), _ condition: () async throws -> Bool
) async throws {
  try await eventually(what, within: limit) { try await condition() ? () : nil }
}
