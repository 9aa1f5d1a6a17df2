/// Token bucket that holds a second's worth of tokens and fills at a rate: bursts are served at once, floods at the
/// rate. A pure state machine: times are milliseconds of a clock that never goes back.
package struct TokenBucket: Sendable {
  private let perSecond: Int
  private var tokens: Double
  private var filledMs: Int64 = 0

  /// Full.
  ///
  /// - Parameter perSecond: 1 or more.
  package init(perSecond: Int) {
    self.perSecond = perSecond
    tokens = Double(perSecond)
  }

  /// Takes tokens.
  ///
  /// - Returns: how many there were, `wanted` at most.
  package mutating func take(_ wanted: Int, nowMs: Int64) -> Int {
    let rate = Double(perSecond)
    tokens = min(rate, tokens + rate * Double(max(0, nowMs - filledMs)) / 1_000)
    filledMs = nowMs
    let taken = min(wanted, Int(tokens))
    tokens -= Double(taken)
    return taken
  }
}
