/// Pacer of requests: no two are ever closer together than an interval. It saves nothing up, because a provider's "one
/// a second at most" allows no burst. A pure state machine: times are milliseconds of a clock that never goes back.
package struct RequestPacer: Sendable, Equatable {
  /// Time between two requests, in milliseconds, 1 or more.
  package let intervalMs: Int64
  /// Time from which the next request may go.
  package private(set) var nextMs = Int64.min

  /// Rounded up: never faster than the rate.
  ///
  /// - Parameter perSecond: greater than 0.
  package init(perSecond: Double) { intervalMs = max(1, Int64((1_000 / perSecond).rounded(.up))) }

  /// Takes the permit for one request. False before `nextMs`.
  ///
  /// - Parameter pauseMs: until the next one, where that is longer than the interval.
  package mutating func tryAcquire(nowMs: Int64, pauseMs: Int64 = 0) -> Bool {
    guard nowMs >= nextMs else { return false }
    nextMs = nowMs + max(intervalMs, pauseMs)
    return true
  }

  /// Takes the next free permit, and returns its time: now, or later.
  package mutating func reserve(nowMs: Int64) -> Int64 {
    let atMs = max(nowMs, nextMs)
    nextMs = atMs + intervalMs
    return atMs
  }
}
