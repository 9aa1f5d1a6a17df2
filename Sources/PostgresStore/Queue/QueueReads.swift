package import Domain
import Store

extension PostgresDatabase: QueueReader {
  package func deadCounts() async throws -> (all: Int, byReason: [QueueStatus.DeadCount]) {
    try await operatorReads.run { connection in
      let counts = try connection.query(QueueReads.deadCounts).map {
        QueueStatus.DeadCount(reason: $0.text(0), count: Int($0.int(1)))
      }
      return (counts.reduce(0) { $0 + $1.count }, Array(counts.prefix(Limits.deadReasonsMax)))
    }
  }

  package func deadPosts(reason: String?, after: PostID?, limit: Int) async throws -> [QueueEntry] {
    try await operatorReads.run { connection in
      let ids = try connection.query(
        DeadPosts.ids(reason), .int8(Int64(after?.rawValue ?? 0)), .int8(Int64(limit)), .text(reason)
      ).map { $0.int(0) }
      return try connection.query(QueueReads.entries, .int8s(ids)).map { try QueueEntry($0) }
    }
  }

  package func queueEntries(_ ids: [PostID]) async throws -> [QueueEntry] {
    try await operatorReads.run { connection in
      let entries = try connection.query(QueueReads.entries, .int8s(ids.map { Int64($0.rawValue) })).map {
        try QueueEntry($0)
      }
      let byID = Dictionary(entries.map { ($0.id, $0) }) { first, _ in first }
      return ids.compactMap { byID[$0] }
    }
  }

  package func oldestQueuedMs() async throws -> Int64? {
    try await oldestQueued()
  }

  package func history(of post: PostID) async throws -> [PostEvent] {
    try await quickReads.run { connection in
      try connection.query(
        QueueReads.history, .int8(Int64(post.rawValue)), .int8(Int64(Limits.postEventsShownMax))
      ).compactMap { row in
        // Skip kinds of later versions.
        guard let kind = row.integer(0, as: UInt8.self).flatMap(PostEvent.Kind.init) else { return nil }
        return PostEvent(kind: kind, atMs: row.int(1), reason: Verdict.Reason(code: row.text(2), detail: row.text(3)))
      }.reversed()
    }
  }

  /// Returns the acceptance time of the oldest queued post, and raises the lower bound of the queue to it.
  func oldestQueued() async throws -> Int64? {
    try await status.queuedFrom.raise { from in
      let row = try await quickReads.run { connection in
        try connection.query(QueueReads.oldest, .int8(from)).first.map { ($0.integer(0), $0.integer(1), $0.int(2)) }
      }
      guard let (id, createdMs, highest) = row else { return (nil, nil) }
      // Later posts have higher ids than all posts that are stored now.
      return (id ?? highest + 1, createdMs)
    }
  }
}

private enum QueueReads {
  static let deadCounts = Statement(
    "dead_counts",
    """
    SELECT coalesce(reason_code, ''), count(*) FROM outcome WHERE state = 3 GROUP BY 1 ORDER BY 2 DESC, 1
    """)

  static let entries = Statement(
    "queue_entries",
    """
    SELECT \(Post.columns) FROM \(Post.tables) WHERE post.id = ANY($1::int8[]) AND state IS DISTINCT FROM 4
    ORDER BY post.id
    """)

  static let history = Statement(
    "history",
    """
    SELECT kind, at_ms, code, detail FROM post_event WHERE post = $1::int8 ORDER BY id DESC LIMIT $2::int8
    """)

  /// The oldest queued post, or NULLs, and the highest id of all posts.
  static let oldest = Statement(
    "oldest_queued",
    """
    SELECT oldest.id, oldest.created_ms, coalesce((SELECT max(id) FROM post), 0)
    FROM (SELECT) AS one LEFT JOIN (
      SELECT id, created_ms FROM post
      WHERE id >= $1::int8 AND NOT EXISTS (SELECT FROM outcome WHERE outcome.id = post.id) ORDER BY id LIMIT 1)
      AS oldest ON true
    """)
}
