/// Pacer of requests: two requests are never closer together than an interval. Unused permits do not accumulate,
/// because a provider's "at most one per second" permits no burst. A pure state machine: times are milliseconds of a
/// monotonic clock.
package struct RequestPacer: Sendable, Equatable {
  /// Interval between two requests, in milliseconds, 1 or more.
  package let intervalMs: Int64
  /// Earliest time of the next request.
  package private(set) var nextMs = Int64.min

  /// Rounds the interval up, so that requests are never faster than the rate.
  ///
  /// - Parameter perSecond: rate, greater than 0.
  package init(perSecond: Double) { intervalMs = max(1, Int64((1_000 / perSecond).rounded(.up))) }

  /// Acquires the permit for one request. Returns false before `nextMs`.
  ///
  /// - Parameter pauseMs: Pause after this request, if it is longer than the interval.
  package mutating func tryAcquire(nowMs: Int64, pauseMs: Int64 = 0) -> Bool {
    guard nowMs >= nextMs else { return false }
    nextMs = nowMs + max(intervalMs, pauseMs)
    return true
  }

  /// Reserves the next free permit, and returns its time: now, or later.
  package mutating func reserve(nowMs: Int64) -> Int64 {
    let atMs = max(nowMs, nextMs)
    nextMs = atMs + intervalMs
    return atMs
  }
}
