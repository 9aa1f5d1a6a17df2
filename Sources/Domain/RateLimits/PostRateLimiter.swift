/// Rate limiter for the posts of each account: a burst of one minute's posts, then a steady rate. A pure state machine:
/// times are milliseconds of a monotonic clock.
package struct PostRateLimiter: Sendable {
  private let full: TokenBucket
  /// Buckets by account. An account without an entry has a full bucket.
  private var buckets: [AccountID: TokenBucket] = [:]
  /// Number of entries at which full buckets are removed.
  private var sweptAt = Limits.postRatesSweptAt

  /// - Parameter perMinute: Rate in `Limits.postsPerMinuteRange`.
  package init(perMinute: Int) { full = TokenBucket(perMinute: perMinute) }

  /// Number of remembered accounts.
  var count: Int { buckets.count }

  /// Consumes up to `wanted` tokens, one for each post.
  ///
  /// - Returns: the number of posts that the account may make now, at most `wanted`.
  package mutating func consume(_ wanted: Int, by account: AccountID, nowMs: Int64) -> Int {
    sweep(nowMs: nowMs)
    return buckets[account, default: full].consume(wanted, nowMs: nowMs)
  }

  /// Consumes `wanted` tokens, or none. See `TokenBucket.consumeAll`.
  ///
  /// - Returns: 0, or the milliseconds to wait.
  package mutating func consumeAll(_ wanted: Int, by account: AccountID, nowMs: Int64) -> Int64 {
    sweep(nowMs: nowMs)
    return buckets[account, default: full].consumeAll(wanted, nowMs: nowMs)
  }

  /// Refunds tokens for posts that were not accepted.
  package mutating func refund(_ count: Int, to account: AccountID) { buckets[account]?.refund(count) }

  /// Returns the time until the account may post, in milliseconds, 1 or more.
  package func pauseMs(of account: AccountID, nowMs: Int64) -> Int64 {
    max(1, buckets[account, default: full].pauseMs(nowMs: nowMs))
  }

  private mutating func sweep(nowMs: Int64) {
    guard buckets.count >= sweptAt else { return }
    buckets = buckets.filter { !$0.value.isFull(nowMs: nowMs) }
    // With many accounts, do not sweep at every post.
    sweptAt = max(Limits.postRatesSweptAt, 2 * buckets.count)
  }
}
