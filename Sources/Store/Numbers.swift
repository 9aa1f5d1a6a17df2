import GRDB
import OnTheMap
import Synchronization

/// The numbers that only rise: post ids and the sequence of changes. Used within writes, which run one at a time; a
/// number whose write is rolled back is skipped.
final class Numbers: Sendable {
  private struct Last: Sendable {
    var post: PostID?
    var seq: UInt64
  }
  private let last: Mutex<Last>
  private let highWater: HighWater

  init(_ pool: DatabasePool, highWater: HighWater) throws {
    self.highWater = highWater
    let (post, seq) = try pool.read { db in
      (
        try Int64.fetchOne(db, sql: "SELECT max(id) FROM post"),
        try Int64.fetchOne(db, sql: "SELECT max(seq) FROM post WHERE seq IS NOT NULL")
      )
    }
    last = Mutex(Last(post: post.flatMap { PostID($0) }, seq: UInt64(max(0, seq ?? 0))))
  }

  /// The next post's id.
  func post(unixMs: Int64) -> PostID {
    let id = last.withLock { last in
      let id = PostID.following(last.post, unixMs: unixMs)
      last.post = id
      return id
    }
    highWater.reach(post: id.rawValue)
    return id
  }

  /// The next change's number; the same until it is taken.
  var nextSeq: UInt64 { last.withLock { $0.seq + 1 } }

  /// A change has the next number.
  func takeSeq() {
    let seq = last.withLock { last in
      last.seq += 1
      return last.seq
    }
    highWater.reach(seq: seq)
  }

  /// An account has this number, which its table gave.
  func account(_ id: Int64) { highWater.reach(account: id) }
}
