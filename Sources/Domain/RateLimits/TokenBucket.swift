/// Token bucket: permits a burst of up to its capacity, and refills at a steady rate. A pure state machine: times are
/// milliseconds of a monotonic clock.
package struct TokenBucket: Sendable {
  /// Number of tokens added per period.
  private let tokens: Int64
  private let periodMs: Int64
  /// Capacity in units. One token is `periodMs` units, and each millisecond adds `tokens` units, so levels are whole
  /// numbers.
  private let capacity: Int64
  private var units: Int64
  private var filledMs: Int64 = 0

  /// Creates a full bucket.
  ///
  /// - Parameters:
  ///   - tokens: Number of tokens added per period, 1 or more.
  ///   - periodMs: Length of the period, 1 or more.
  ///   - capacity: Maximum number of tokens, 1 or more. The product of `capacity` and `periodMs` must fit into 63 bits.
  package init(tokens: Int, periodMs: Int64, capacity: Int) {
    (self.tokens, self.periodMs) = (Int64(tokens), periodMs)
    self.capacity = Int64(capacity) * periodMs
    units = self.capacity
  }

  /// Creates a full bucket with a capacity of one second.
  ///
  /// - Parameter perSecond: Tokens per second, 1 or more.
  package init(perSecond: Int) { self.init(tokens: perSecond, periodMs: 1_000, capacity: perSecond) }

  /// Creates a full bucket with a capacity of one minute.
  ///
  /// - Parameter perMinute: Tokens per minute, 1 or more.
  package init(perMinute: Int) { self.init(tokens: perMinute, periodMs: 60_000, capacity: perMinute) }

  /// Consumes tokens.
  ///
  /// - Returns: the number consumed, from 0 to `wanted`.
  package mutating func consume(_ wanted: Int, nowMs: Int64) -> Int {
    fill(nowMs: nowMs)
    let consumed = max(0, min(Int64(wanted), units / periodMs))
    units -= consumed * periodMs
    return Int(consumed)
  }

  /// Consumes `wanted` tokens, or none. A full bucket also serves a request above its capacity, and then gives no token
  /// until the debt is refilled. Otherwise such a request would wait forever.
  ///
  /// - Returns: 0, or the milliseconds to wait.
  package mutating func consumeAll(_ wanted: Int, nowMs: Int64) -> Int64 {
    fill(nowMs: nowMs)
    let cost = Int64(wanted) * periodMs
    let pauseMs = pauseMs(lacking: min(capacity, cost) - units)
    if pauseMs == 0 { units -= cost }
    return pauseMs
  }

  /// Refunds tokens that were consumed and not used.
  package mutating func refund(_ count: Int) { units = min(capacity, units + Int64(count) * periodMs) }

  /// Returns the time until a token is available, in milliseconds. 0 if there is one.
  package func pauseMs(nowMs: Int64) -> Int64 { pauseMs(lacking: periodMs - level(nowMs: nowMs)) }

  /// Returns true if the bucket is full.
  package func isFull(nowMs: Int64) -> Bool { level(nowMs: nowMs) == capacity }

  private mutating func fill(nowMs: Int64) {
    units = level(nowMs: nowMs)
    filledMs = max(filledMs, nowMs)
  }

  private func level(nowMs: Int64) -> Int64 {
    let elapsedMs = max(0, nowMs - filledMs)
    // Compare before multiplying, because the product could overflow.
    return elapsedMs >= pauseMs(lacking: capacity - units) ? capacity : units + tokens * elapsedMs
  }

  private func pauseMs(lacking: Int64) -> Int64 { lacking <= 0 ? 0 : (lacking + tokens - 1) / tokens }
}
