/// Rate limiter with a token bucket for each key, such as a network. A pure state machine: the caller supplies the
/// time, in milliseconds of a monotonic clock.
package struct KeyedRateLimiter<Key: Hashable & Sendable>: Sendable {
  private let full: TokenBucket
  private let keysMax: Int
  /// Keys with a request. When `newer` is full, it replaces `older`, and the limiter forgets the keys of `older`.
  private var newer: [Key: TokenBucket] = [:]
  private var older: [Key: TokenBucket] = [:]

  /// - Parameters:
  ///   - full: The full bucket of a new key.
  ///   - keysMax: Maximum number of remembered keys, 2 or more.
  package init(_ full: TokenBucket, keysMax: Int) {
    self.full = full
    self.keysMax = keysMax
  }

  /// Number of remembered keys, at most `keysMax`.
  var count: Int { newer.count + older.count }

  /// Counts a request, unless its key has to wait.
  ///
  /// - Returns: 0, or the milliseconds to wait. A refused request does not count.
  package mutating func consume(_ key: Key, nowMs: Int64) -> Int64 {
    var bucket = newer[key] ?? older[key] ?? full
    let pauseMs = bucket.consumeAll(1, nowMs: nowMs)
    if pauseMs == 0 { set(bucket, for: key) }
    return pauseMs
  }

  /// Refunds a request that had no effect.
  package mutating func refund(_ key: Key) {
    guard var bucket = newer[key] ?? older[key] else { return }
    bucket.refund(1)
    set(bucket, for: key)
  }

  private mutating func set(_ bucket: TokenBucket, for key: Key) {
    older[key] = nil
    newer[key] = bucket
    guard newer.count > keysMax / 2 else { return }
    older = newer
    newer = [:]
  }
}
