package import Domain
import GRDB
import Store

extension SQLiteDatabase: QueueReader {
  package func queueEntries(_ ids: [PostID]) async throws -> [QueueEntry] {
    try await operatorReader.read { db in
      let statement = try db.cachedStatement(sql: QueueEntry.select)
      return try ids.compactMap { id in
        try Row.fetchOne(statement, arguments: [Int64(id.rawValue)]).map(QueueEntry.init)
      }
    }
  }

  package func oldestQueuedMs() async throws -> Int64? {
    try await pool.read { db in
      try Int64.fetchOne(
        db.cachedStatement(
          sql: "SELECT created_ms FROM post INDEXED BY post_queued WHERE state = 0 ORDER BY id LIMIT 1"))
    }
  }
}

extension SQLiteEngine {
  func setPaused(sinceMs: Int64?, _ db: Database) throws -> Int64? {
    if let sinceMs {
      try db.execute(sql: "INSERT OR IGNORE INTO pause (one, since_ms) VALUES (1, ?)", arguments: [sinceMs])
    } else {
      try db.execute(sql: "DELETE FROM pause")
    }
    return try pausedMs(db)
  }
}

/// Returns the start of the pause. Nil if the queue is not paused.
func pausedMs(_ db: Database) throws -> Int64? {
  try Int64.fetchOne(db, sql: "SELECT since_ms FROM pause")
}

extension QueueEntry {
  /// Query for an operator's view of a post, by its id.
  static let select = "SELECT * FROM post WHERE id = ? AND state <> 4"

  /// Decodes a row. Throws if it is invalid.
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
