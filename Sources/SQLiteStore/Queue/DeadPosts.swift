package import Domain
import GRDB
import Store

extension SQLiteDatabase {
  package func deadCounts() async throws -> (all: Int, byReason: [QueueStatus.DeadCount]) {
    try await operatorReader.read { db in
      let counts = try Row.fetchAll(
        db.cachedStatement(
          sql: """
            SELECT reason_code, count(*) FROM post INDEXED BY post_dead_reason WHERE state = 3
            GROUP BY reason_code ORDER BY 2 DESC, 1
            """)
      ).map { QueueStatus.DeadCount(reason: $0[0] ?? "", count: $0[1]) }
      return (counts.reduce(0) { $0 + $1.count }, Array(counts.prefix(Limits.deadReasonsMax)))
    }
  }

  package func deadPosts(reason: String?, after: PostID?, limit: Int) async throws -> [QueueEntry] {
    try await operatorReader.read { db in
      try Row.fetchAll(
        db.cachedStatement(sql: "SELECT * FROM post WHERE id IN (\(deadIDs(reason))) ORDER BY id"),
        arguments: deadArguments(reason, after, limit)
      ).map(QueueEntry.init)
    }
  }
}

extension SQLiteEngine {
  func retryDead(
    _ selection: DeadSelection, limit: Int, _ unixMs: Int64, _ db: Database
  ) throws -> PostWriteResult.RetriedPosts {
    let (ids, next) = try selected(selection, limit: limit, db)
    var change = QueueChange(next: next)
    var jobs: [Job] = []
    for id in ids {
      let row = try Row.fetchOne(db.cachedStatement(sql: QueueEntry.select), arguments: [Int64(id.rawValue)])
      let entry = try row.map(QueueEntry.init)
      guard let row, let entry, entry.state == .dead else {
        change.unchanged.append(.init(id: id, state: entry?.state))
        continue
      }
      try db.cachedStatement(
        sql: """
          UPDATE post SET state = 0, attempts = 0, lease_losses = 0, due_ms = 0, reason_code = NULL, reason = NULL,
            updated_ms = ? WHERE id = ? AND state = 3
          """
      ).run(db, .integer(unixMs), .integer(id.rawValue))
      try addEvent(.retried, nil, of: id, unixMs, db)
      change.done.append(id)
      let position = Coordinate(row["lat_e7"], row["lon_e7"])
      var job = Job(id: JobID(id), account: entry.account, query: entry.place, clientCoordinate: position)
      job.trace = TraceContext(column: row["traceparent"])
      jobs.append(job)
    }
    return PostWriteResult.RetriedPosts(change: change, jobs: jobs)
  }

  /// Discards dead posts. Their owners see that the operator discarded the post, and why it was dead.
  func discard(_ ids: [PostID], _ unixMs: Int64, _ db: Database) throws -> QueueChange {
    var change = QueueChange()
    for id in ids {
      let row = try Row.fetchOne(db.cachedStatement(sql: QueueEntry.select), arguments: [Int64(id.rawValue)])
      let entry = try row.map(QueueEntry.init)
      guard let entry, entry.state == .dead else {
        change.unchanged.append(.init(id: id, state: entry?.state))
        continue
      }
      let detail = entry.reason?.detail ?? "no worker could geocode this place"
      try db.cachedStatement(
        sql:
          "UPDATE post SET state = 2, reason_code = 'discarded', reason = ?, updated_ms = ? WHERE id = ? AND state = 3"
      ).run(db, .text("discarded by the operator: \(detail)"), .integer(unixMs), .integer(id.rawValue))
      try addEvent(.discarded, nil, of: id, unixMs, db)
      change.done.append(id)
    }
    return change
  }
}

private func deadIDs(_ reason: String?) -> String {
  reason == nil
    ? "SELECT id FROM post INDEXED BY post_dead WHERE state = 3 AND id > ? ORDER BY id LIMIT ?"
    : """
    SELECT id FROM post INDEXED BY post_dead_reason WHERE state = 3 AND reason_code = ? AND id > ? ORDER BY id LIMIT ?
    """
}

private func deadArguments(_ reason: String?, _ after: PostID?, _ limit: Int) -> StatementArguments {
  let page: StatementArguments = [Int64(after?.rawValue ?? 0), limit]
  return reason.map { [$0] + page } ?? page
}

/// Returns the selected posts, dead or not, and the start of the next page.
private func selected(
  _ selection: DeadSelection, limit: Int, _ db: Database
) throws -> (ids: [PostID], next: PostID?) {
  switch selection {
  case .posts(let ids):
    // Retry a post once, even if the selection names it twice.
    var seen: Set<PostID> = []
    return (ids.filter { seen.insert($0).inserted }, nil)
  case .all(let reason, let after):
    let ids = try Int64.fetchAll(
      db.cachedStatement(sql: deadIDs(reason)), arguments: deadArguments(reason, after, limit)
    ).compactMap { PostID($0) }
    return (ids, ids.count == limit ? ids.last : nil)
  }
}
