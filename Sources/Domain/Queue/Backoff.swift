/// Pause of a failed job: full jitter, a random time up to a cap that doubles with each failure, so that jobs
/// that failed together do not come back together. A worker may ask for more: `Settlement` takes the longer of the two.
/// (Brooker, "Exponential Backoff And Jitter", 2015.)
package enum Backoff {
  /// - Parameters:
  ///   - attempts: failures so far, 1 or more.
  ///   - baseMs: the cap after the first failure, 1 or more.
  ///   - capMs: the cap after many.
  ///   - random: the caller's, so that a simulation can be repeated.
  /// - Returns: ms, 1 … `capMs`.
  package static func pauseMs(
    attempts: Int, baseMs: Int64 = Limits.backoffBaseMs, capMs: Int64 = Limits.backoffCapMs,
    using random: inout some RandomNumberGenerator
  ) -> Int64 {
    let doublings = min(max(attempts - 1, 0), Limits.pauseDoublingsMax)
    let cap = min(baseMs << Int64(doublings), capMs)
    return Int64.random(in: 1...cap, using: &random)
  }
}
