package import Domain
import GRDB

/// The queue as it is on disk, for the operator.
extension IngestDatabase {
  /// A post; nil when there is none.
  package func queueEntry(_ id: PostID) async throws -> QueueEntry? {
    try await pool.read { db in
      try Row.fetchOne(db.cachedStatement(sql: QueueEntry.select), arguments: [Int64(id.rawValue)]).map(QueueEntry.init)
    }
  }

  /// Those that are there, in the order of the ids: `Limits.adminPostsMax` at most.
  package func queueEntries(_ ids: [PostID]) async throws -> [QueueEntry] {
    try await operatorReader.read { db in
      let statement = try db.cachedStatement(sql: QueueEntry.select)
      return try ids.compactMap { id in
        try Row.fetchOne(statement, arguments: [Int64(id.rawValue)]).map(QueueEntry.init)
      }
    }
  }

  /// When the oldest post that is not settled was accepted, ms since 1970, UTC; nil when all are.
  package func oldestQueuedMs() async throws -> Int64? {
    try await pool.read { db in
      try Int64.fetchOne(
        db.cachedStatement(
          sql: "SELECT created_ms FROM post INDEXED BY post_queued WHERE state = 0 ORDER BY id LIMIT 1"))
    }
  }

  /// Since when the queue is paused, ms since 1970, UTC; nil when it is not. Waits for the disk, on the calling
  /// thread.
  package func pausedMs() throws -> Int64? { try pool.read(IngestDatabase.pausedMs) }

  private static func pausedMs(_ db: Database) throws -> Int64? {
    try Int64.fetchOne(db, sql: "SELECT since_ms FROM pause")
  }

  /// Pauses the queue, or resumes it with nil; where it is paused already, since then. On disk when `then` is called,
  /// on the commits' queue and in the order of the commits, with since when it is paused; a failure may be tried again.
  package func setPaused(sinceMs: Int64?, then: @escaping @Sendable (Result<Int64?, StoreError>) -> Void) {
    writer.submit(
      { db in
        if let sinceMs {
          try db.execute(sql: "INSERT OR IGNORE INTO pause (one, since_ms) VALUES (1, ?)", arguments: [sinceMs])
        } else {
          try db.execute(sql: "DELETE FROM pause")
        }
        return try IngestDatabase.pausedMs(db)
      }, then: then)
  }
}

extension QueueEntry {
  /// All that an operator sees of a post, by its id.
  static let select = "SELECT * FROM post WHERE id = ? AND state <> 4"

  /// Throws for a row that cannot be read.
  init(_ row: Row) throws {
    let post = try Post(row)
    guard let state = QueueState(post.state) else {
      throw StoreError.unusable(path: "post", reason: "post \(post.id) is deleted")
    }
    self.init(
      id: post.id, state: state, account: post.account, place: post.place, link: post.link,
      attempts: row["attempts"], leaseLosses: row["lease_losses"], reason: post.reason,
      label: post.outcome?.label ?? "", createdMs: post.createdMs, updatedMs: post.updatedMs)
    trace = TraceContext(column: row["traceparent"])
  }
}
