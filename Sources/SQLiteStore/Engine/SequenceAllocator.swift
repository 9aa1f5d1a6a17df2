import Domain
import GRDB
import Synchronization

/// The numbers that only rise: post ids, the sequence of changes, and from where on posts have their keys. Used within
/// writes, which run one at a time; a number whose write is rolled back is skipped.
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

  /// The number of the latest change that is on disk: of a post on the list, or of a deletion, which no post has.
  ///
  /// - Parameter hasDeletions: false for a database of a version that knew none.
  static func lastSeq(_ db: Database, hasDeletions: Bool = true) throws -> UInt64 {
    let deleted = hasDeletions ? "(SELECT deleted_seq FROM meta)" : "0"
    let seq = try Int64.fetchOne(
      db.cachedStatement(
        sql: "SELECT max(0, coalesce((SELECT max(seq) FROM post WHERE seq IS NOT NULL), 0), coalesce(\(deleted), 0))"))
    return UInt64(max(0, seq ?? 0))
  }

  /// The next post's id; nobody's until it is taken.
  func nextPost(unixMs: Int64) -> PostID { last.withLock { PostID.following($0.post, unixMs: unixMs) } }

  /// The next posts' ids; nobody's until they are taken.
  func nextPosts(_ count: Int, unixMs: Int64) -> [PostID] {
    var last = last.withLock(\.post)
    return (0..<count).map { _ in
      let id = PostID.following(last, unixMs: unixMs)
      last = id
      return id
    }
  }

  /// A post has the id.
  func markUsed(_ id: PostID) {
    last.withLock { $0.post = id }
    highWater.record(post: id.rawValue)
  }

  /// The next change's number; the same until it is taken.
  var nextSeq: UInt64 { last.withLock { $0.seq + 1 } }

  /// A change has the next number.
  func advanceSeq() {
    let seq = last.withLock { last in
      last.seq += 1
      return last.seq
    }
    highWater.record(seq: seq)
  }

  /// Posts below it have no idempotency key any more, or are not there. Of a rolled back write it is too great for a
  /// while: `meta.keyed_from` is what counts, and this says when to ask for that.
  var keyedFrom: Int64 {
    get { last.withLock { $0.keyedFrom } }
    set { last.withLock { $0.keyedFrom = newValue } }
  }

  /// An account has this number, which its table gave.
  func account(_ id: Int64) { highWater.record(account: id) }
}
