import Domain

/// Removal of expired idempotency keys, a few with each commit of posts.
struct KeyExpiry {
  /// A removal.
  struct Batch {
    let from: Int64
    let end: Int64
    let limit: Int64

    private static let remove = Statement(
      "expire_keys",
      """
      DELETE FROM post_key WHERE post = ANY (ARRAY(
        SELECT post FROM post_key WHERE post >= $1::int8 AND post < $2::int8 ORDER BY post LIMIT $3::int8))
      RETURNING post
      """)

    func send(_ connection: PostgresConnection) throws {
      try connection.send(Batch.remove, [.int8(from), .int8(end), .int8(limit)])
    }

    /// Returns the posts whose keys are removed.
    func receive(_ connection: PostgresConnection) throws -> [Int64] { try connection.receive().map { $0.int(0) } }
  }

  /// Posts below have no key. Without this bound, each removal would first skip the index entries of all earlier ones.
  private var keyedFrom: Int64 = 0
  private var lastMs: Int64 = .min
  private var postsSince = 0

  /// Returns the next removal, at most one per second of the writes' clock. Twice the number of new posts, so that the
  /// number of expired keys shrinks.
  mutating func next(posts: Int, unixMs: Int64) -> Batch? {
    guard posts > 0 else { return nil }
    postsSince += posts
    guard lastMs == .min || abs(unixMs - lastMs) >= 1_000 else { return nil }
    let end = Int64(PostID.following(nil, unixMs: unixMs - Limits.idempotencyDays * 86_400_000).rawValue)
    defer { (lastMs, postsSince) = (unixMs, 0) }
    guard keyedFrom < end else { return nil }
    let limit = min(max(2 * postsSince, Limits.postgresKeysExpired.lowerBound), Limits.postgresKeysExpired.upperBound)
    return Batch(from: keyedFrom, end: end, limit: Int64(limit))
  }

  /// Records a removal.
  mutating func finish(_ batch: Batch, removed: [Int64]) {
    keyedFrom = removed.count < batch.limit ? batch.end : (removed.max() ?? batch.from) + 1
  }
}
