import Domain
import GRDB
import Synchronization

/// Allocator of the numbers that only rise: post ids, sequence numbers, and the lowest post that may have an
/// idempotency key. Use the allocator only within a write, because writes run one at a time. A number whose write is
/// rolled back is skipped.
final class SequenceAllocator: Sendable {
  private struct Last: Sendable {
    var post: PostID?
    var seq: UInt64
    var keyedFrom: Int64
  }
  private let last: Mutex<Last>
  private let highWater: HighWater

  init(_ pool: DatabasePool, highWater: HighWater) throws {
    self.highWater = highWater
    let (post, seq, keyedFrom) = try pool.read { db in
      (
        try Int64.fetchOne(db, sql: "SELECT max(id) FROM post"),
        try SequenceAllocator.lastSeq(db),
        try Int64.fetchOne(db, sql: "SELECT keyed_from FROM meta")
      )
    }
    last = Mutex(Last(post: post.flatMap { PostID($0) }, seq: seq, keyedFrom: keyedFrom ?? 0))
  }

  /// Returns the sequence number of the latest durable change: the highest of a published post or of a deletion, which
  /// only `meta` records.
  ///
  /// - Parameter hasDeletions: False for an older schema without `meta.deleted_seq`.
  static func lastSeq(_ db: Database, hasDeletions: Bool = true) throws -> UInt64 {
    let deleted = hasDeletions ? "(SELECT deleted_seq FROM meta)" : "0"
    let seq = try Int64.fetchOne(
      db.cachedStatement(
        sql: "SELECT max(0, coalesce((SELECT max(seq) FROM post WHERE seq IS NOT NULL), 0), coalesce(\(deleted), 0))"))
    return UInt64(max(0, seq ?? 0))
  }

  /// Returns the next post's id, which stays free until `markUsed`.
  func nextPost(unixMs: Int64) -> PostID { last.withLock { PostID.following($0.post, unixMs: unixMs) } }

  /// Returns the next posts' ids, which stay free until `markUsed`.
  func nextPosts(_ count: Int, unixMs: Int64) -> [PostID] {
    var last = last.withLock(\.post)
    return (0..<count).map { _ in
      let id = PostID.following(last, unixMs: unixMs)
      last = id
      return id
    }
  }

  /// Marks an id as used by a post.
  func markUsed(_ id: PostID) {
    last.withLock { $0.post = id }
    highWater.record(post: id.rawValue)
  }

  /// Sequence number of the next change, until `advanceSeq`.
  var nextSeq: UInt64 { last.withLock { $0.seq + 1 } }

  /// Marks the next sequence number as used by a change.
  func advanceSeq() {
    let seq = last.withLock { last in
      last.seq += 1
      return last.seq
    }
    highWater.record(seq: seq)
  }

  /// Lowest id of a post that may have an idempotency key. `meta.keyed_from` is authoritative. This copy only decides
  /// when to read that column. After a rollback the copy is too high for a while, which delays the removal of keys.
  var keyedFrom: Int64 {
    get { last.withLock { $0.keyedFrom } }
    set { last.withLock { $0.keyedFrom = newValue } }
  }

  /// Records the id of a new account, which SQLite has assigned.
  func recordAccount(_ id: Int64) { highWater.record(account: id) }
}
