/// Rate limiter for new accounts by network: a burst of `Limits.signUpsOfNetworkMax` accounts, then one per
/// `Limits.signUpIntervalMs`. A pure state machine: the caller supplies the time, in milliseconds of a monotonic clock.
package struct SignUpRateLimiter: Sendable {
  private static let full = TokenBucket(
    tokens: 1, periodMs: Limits.signUpIntervalMs, capacity: Limits.signUpsOfNetworkMax)

  /// Networks with a sign-up. When `newer` is full, it replaces `older`, and the limiter forgets the networks of
  /// `older`.
  private var newer: [IPAddress?: TokenBucket] = [:]
  private var older: [IPAddress?: TokenBucket] = [:]

  package init() {}

  /// Number of remembered networks, at most `Limits.signUpNetworksMax`.
  var count: Int { newer.count + older.count }

  /// Counts a sign-up, unless its network has to wait.
  ///
  /// - Parameter network: An IPv4 address or an IPv6 /64. Nil if it is unknown.
  /// - Returns: 0, or the milliseconds to wait. A refused sign-up does not count.
  package mutating func consume(_ network: IPAddress?, nowMs: Int64) -> Int64 {
    var bucket = newer[network] ?? older[network] ?? SignUpRateLimiter.full
    let pauseMs = bucket.consumeAll(1, nowMs: nowMs)
    if pauseMs == 0 { set(bucket, for: network) }
    return pauseMs
  }

  /// Refunds a sign-up that created no account.
  package mutating func refund(_ network: IPAddress?) {
    guard var bucket = newer[network] ?? older[network] else { return }
    bucket.refund(1)
    set(bucket, for: network)
  }

  private mutating func set(_ bucket: TokenBucket, for network: IPAddress?) {
    older[network] = nil
    newer[network] = bucket
    guard newer.count > Limits.signUpNetworksMax / 2 else { return }
    older = newer
    newer = [:]
  }
}
