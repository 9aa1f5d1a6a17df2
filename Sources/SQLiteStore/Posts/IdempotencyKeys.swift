import Domain
import GRDB
import Store

/// Lookup and expiry of the idempotency keys of posts. Call both within a write or a read.
enum IdempotencyKeys {
  /// Returns the account's post with this key, or a conflict if the key was used for another request. Nil for a new
  /// key.
  static func earlierPost(
    _ idempotency: Idempotency, _ account: AccountID, _ db: Database
  ) throws -> Result<AcceptedPost, IdempotencyConflict>? {
    try db.cachedStatement(
      sql: "SELECT request_hash, id, created_ms FROM post WHERE account = ? AND idempotency_key = ?"
    ).first(db, .integer(account.rawValue), .text(idempotency.key)) { row in
      guard row.isBlob(0, idempotency.requestHash), let id = PostID(row.integer(1)) else {
        return .failure(IdempotencyConflict())
      }
      return .success(AcceptedPost(id: id, job: nil, createdMs: row.integer(2)))
    }
  }

  /// Removes the keys of at most `count` of the oldest posts, if the posts are older than `Limits.idempotencyDays`. The
  /// caller removes two keys for each new post, so that the number of expired keys shrinks.
  static func removeExpired(_ numbers: SequenceAllocator, unixMs: Int64, count: Int, _ db: Database) throws {
    let end = Int64(PostID.following(nil, unixMs: unixMs - Limits.idempotencyDays * 86_400_000).rawValue)
    // Usually no key has expired, and this check costs nothing.
    guard numbers.keyedFrom < end else { return }
    let start = try Int64.fetchOne(db.cachedStatement(sql: "SELECT keyed_from FROM meta")) ?? 0
    let oldest = try Int64.fetchAll(
      db.cachedStatement(sql: "SELECT id FROM post WHERE id >= ? ORDER BY id LIMIT ?"), arguments: [start, count + 1])
    let expired = oldest.prefix(count).prefix { $0 < end }
    guard let next = oldest.dropFirst(expired.count).first ?? expired.last.map({ $0 + 1 }) else { return }
    numbers.keyedFrom = next
    if let last = expired.last {
      try db.cachedStatement(
        sql: """
          UPDATE post SET idempotency_key = NULL, request_hash = NULL
          WHERE id BETWEEN ? AND ? AND idempotency_key IS NOT NULL
          """
      ).run(db, .integer(start), .integer(last))
    }
    try db.cachedStatement(sql: "UPDATE meta SET keyed_from = ?").run(db, .integer(next))
  }
}
