/// Backoff of a failed job, with full jitter: a random time up to a cap that doubles with each failure. Jobs that
/// failed together are thus not retried together. A worker may ask for a longer pause, which `Settlement` then uses.
/// (Brooker, "Exponential Backoff And Jitter", 2015.)
package enum Backoff {
  /// Returns the pause after a failure.
  ///
  /// - Parameters:
  ///   - attempts: Number of failures so far, 1 or more.
  ///   - baseMs: Cap after the first failure, 1 or more.
  ///   - capMs: Cap after many failures.
  ///   - random: Random source of the caller, so that a simulation is repeatable.
  /// - Returns: milliseconds, 1 … `capMs`.
  package static func pauseMs(
    attempts: Int, baseMs: Int64 = Limits.backoffBaseMs, capMs: Int64 = Limits.backoffCapMs,
    using random: inout some RandomNumberGenerator
  ) -> Int64 {
    let doublings = min(max(attempts - 1, 0), Limits.pauseDoublingsMax)
    let cap = min(baseMs << Int64(doublings), capMs)
    return Int64.random(in: 1...cap, using: &random)
  }
}
