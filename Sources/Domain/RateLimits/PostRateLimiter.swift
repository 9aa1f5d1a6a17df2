/// Rate limiter for the posts of each account: a minute's worth at once, then at a steady rate. A pure state machine:
/// times are milliseconds of a clock that never goes back.
package struct PostRateLimiter: Sendable {
  private let full: TokenBucket
  /// An account without an entry has a full bucket.
  private var buckets: [AccountID: TokenBucket] = [:]
  /// Number of entries at which full buckets are removed.
  private var sweptAt = Limits.postRatesSweptAt

  /// - Parameter perMinute: within `Limits.postsPerMinuteRange`.
  package init(perMinute: Int) { full = TokenBucket(perMinute: perMinute) }

  /// Accounts of which something is known.
  var count: Int { buckets.count }

  /// Takes the right to make posts.
  ///
  /// - Returns: how many the account may make now, `wanted` at most.
  package mutating func consume(_ wanted: Int, by account: AccountID, nowMs: Int64) -> Int {
    sweep(nowMs: nowMs)
    return buckets[account, default: full].consume(wanted, nowMs: nowMs)
  }

  /// Takes the right to make `wanted` posts, or none. See `TokenBucket.takeAll`.
  ///
  /// - Returns: 0, or the milliseconds to wait.
  package mutating func consumeAll(_ wanted: Int, by account: AccountID, nowMs: Int64) -> Int64 {
    sweep(nowMs: nowMs)
    return buckets[account, default: full].consumeAll(wanted, nowMs: nowMs)
  }

  /// Returns the right to make posts that were not made.
  package mutating func refund(_ count: Int, to account: AccountID) { buckets[account]?.refund(count) }

  /// Until the account may make one: 1 or more milliseconds.
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
