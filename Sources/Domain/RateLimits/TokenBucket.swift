/// A bucket that holds one token and fills at a rate: whoever takes one may do something, and no two are ever closer
/// together than the interval. One token only, because a provider's "one a second at most" allows no burst. Times are
/// milliseconds of a clock that never goes back.
package struct TokenBucket: Sendable, Equatable {
  /// Between two tokens, 1 or more.
  package let intervalMs: Int64
  /// The next token is there from this time on.
  package private(set) var nextMs = Int64.min

  /// Rounded up: never faster than the rate.
  ///
  /// - Parameter perSecond: greater than 0.
  package init(perSecond: Double) { intervalMs = max(1, Int64((1_000 / perSecond).rounded(.up))) }

  /// Takes the token. False when there is none yet.
  ///
  /// - Parameter pauseMs: until the next one, where that is longer than the interval.
  package mutating func take(nowMs: Int64, pauseMs: Int64 = 0) -> Bool {
    guard nowMs >= nextMs else { return false }
    nextMs = nowMs + max(intervalMs, pauseMs)
    return true
  }

  /// Takes the next token that nobody has taken, and returns when it is there: now, or later.
  package mutating func reserve(nowMs: Int64) -> Int64 {
    let atMs = max(nowMs, nextMs)
    nextMs = atMs + intervalMs
    return atMs
  }
}
