import Domain
import Store

extension Writer {
  /// Queues dead posts again. Call this within a transaction.
  func retryDead(
    _ selection: DeadSelection, limit: Int, _ unixMs: Int64, _ connection: PostgresConnection
  ) throws -> PostWriteResult.RetriedPosts {
    let (ids, next) = try selected(selection, limit: limit, connection)
    var change = QueueChange(next: next)
    var jobs: [Job] = []
    let found = try entries(ids, connection)
    for id in ids {
      guard let (entry, coordinate) = found[id], entry.state == .dead else {
        change.unchanged.append(.init(id: id, state: found[id]?.entry.state))
        continue
      }
      change.done.append(id)
      var job = Job(id: JobID(id), account: entry.account, query: entry.place, clientCoordinate: coordinate)
      job.trace = entry.trace
      jobs.append(job)
    }
    guard let lowest = change.done.min() else { return PostWriteResult.RetriedPosts(change: change, jobs: jobs) }
    let done = change.done.map { Int64($0.rawValue) }
    requeued = min(requeued ?? .max, Int64(lowest.rawValue))
    try connection.send(QueueStatements.requeue, [.int8s(done)])
    try connection.send(QueueStatements.resetAttempts, [.int8s(done), .int8(unixMs)])
    try connection.send(QueueStatements.lowerFloor, [.int8(Int64(lowest.rawValue))])
    for _ in 0..<3 { _ = try connection.receive() }
    try addEvents(change.done.map { ($0, .retried, nil) }, unixMs, connection)
    return PostWriteResult.RetriedPosts(change: change, jobs: jobs)
  }

  /// Discards dead posts. Their owners see that the operator discarded the post, and why it was dead. Call this within
  /// a transaction.
  func discard(_ ids: [PostID], _ unixMs: Int64, _ connection: PostgresConnection) throws -> QueueChange {
    var change = QueueChange()
    let found = try entries(ids, connection)
    var done: Set<PostID> = []
    for id in ids {
      let entry = found[id]?.entry
      guard let entry, entry.state == .dead, done.insert(id).inserted else {
        change.unchanged.append(.init(id: id, state: done.contains(id) ? .rejected : entry?.state))
        continue
      }
      let detail = entry.reason?.detail ?? "no worker could geocode this place"
      try connection.send(
        QueueStatements.discard,
        [.int8(Int64(id.rawValue)), .text("discarded by the operator: \(detail)"), .int8(unixMs)])
      change.done.append(id)
    }
    for _ in change.done { _ = try connection.receive() }
    try addEvents(change.done.map { ($0, .discarded, nil) }, unixMs, connection)
    return change
  }

  /// Pauses or resumes the queue. Returns the start of the pause, or nil. Call this within a transaction.
  func setPaused(sinceMs: Int64?, _ connection: PostgresConnection) throws -> Int64? {
    if let sinceMs {
      _ = try connection.query(QueueStatements.pause, .int8(sinceMs))
    } else {
      _ = try connection.query(QueueStatements.resume)
    }
    return try connection.query(QueueStatements.paused).first?.integer(0)
  }

  /// Adds events to the histories of posts. Above `Limits.postEventsMax`, deletes the oldest events of all posts. Call
  /// this within a transaction. Ids rise by 1, so earlier calls have deleted the events far below.
  func addEvents(
    _ events: [(post: PostID, kind: PostEvent.Kind, reason: Verdict.Reason?)], _ unixMs: Int64,
    _ connection: PostgresConnection
  ) throws {
    let ids = events.map { _ in numbers.nextEvent() }
    guard let first = ids.first, let last = ids.last else { return }
    try connection.send(
      QueueStatements.addEvents,
      [
        .int8s(ids), .int8s(events.map { Int64($0.post.rawValue) }), .int4s(events.map { Int32($0.kind.rawValue) }),
        .texts(events.map { $0.reason?.code ?? "" }), .texts(events.map { $0.reason?.detail ?? "" }), .int8(unixMs),
      ])
    let kept = Int64(Limits.postEventsMax)
    try connection.send(QueueStatements.pruneEvents, [.int8(first - kept), .int8(last - kept)])
    for _ in 0..<2 { _ = try connection.receive() }
  }

  /// Returns the selected posts, dead or not, and the start of the next page.
  private func selected(
    _ selection: DeadSelection, limit: Int, _ connection: PostgresConnection
  ) throws -> (ids: [PostID], next: PostID?) {
    switch selection {
    case .posts(let ids):
      // Retry a post once, even if the selection names it twice.
      var seen: Set<PostID> = []
      return (ids.filter { seen.insert($0).inserted }, nil)
    case .all(let reason, let after):
      let ids = try connection.query(
        DeadPosts.ids(reason), .int8(Int64(after?.rawValue ?? 0)), .int8(Int64(limit)), .text(reason)
      ).compactMap { PostID($0.int(0)) }
      return (ids, ids.count == limit ? ids.last : nil)
    }
  }

  /// Returns the posts with these ids, and the coordinates that their clients gave.
  private func entries(
    _ ids: [PostID], _ connection: PostgresConnection
  ) throws -> [PostID: (entry: QueueEntry, coordinate: Coordinate?)] {
    let rows = try connection.query(QueueStatements.entries, .int8s(ids.map { Int64($0.rawValue) }))
    var entries: [PostID: (entry: QueueEntry, coordinate: Coordinate?)] = [:]
    for row in rows.map({ $0 }) {
      let entry = try QueueEntry(row)
      entries[entry.id] = (entry, Coordinate(row.integer(6, as: Int32.self), row.integer(7, as: Int32.self)))
    }
    return entries
  }
}

/// Queries for dead posts.
enum DeadPosts {
  /// Returns the query for the ids of dead posts. Parameters: lower bound, maximum number, reason.
  static func ids(_ reason: String?) -> Statement {
    reason == nil
      ? Statement(
        "dead_ids",
        """
        SELECT id FROM outcome WHERE state = 3 AND id > $1::int8 AND $3::text IS NULL ORDER BY id LIMIT $2::int8
        """)
      : Statement(
        "dead_ids_by_reason",
        """
        SELECT id FROM outcome WHERE state = 3 AND reason_code = $3::text AND id > $1::int8 ORDER BY id
        LIMIT $2::int8
        """)
  }
}

private enum QueueStatements {
  static let entries = Statement(
    "queue_entries",
    "SELECT \(Post.columns) FROM \(Post.tables) WHERE post.id = ANY($1::int8[]) AND state IS DISTINCT FROM 4")

  static let requeue = Statement("requeue", "DELETE FROM outcome WHERE id = ANY($1::int8[]) AND state = 3")

  static let resetAttempts = Statement(
    "reset_attempts",
    """
    INSERT INTO attempt (id, attempts, lease_losses, due_ms, queued_ms)
    SELECT id, 0, 0, 0, $2::int8 FROM unnest($1::int8[]) AS t (id)
    ON CONFLICT (id) DO UPDATE SET attempts = 0, lease_losses = 0, due_ms = 0, queued_ms = excluded.queued_ms
    """)

  static let lowerFloor = Statement(
    "lower_floor", "UPDATE meta SET queued_from = $1::int8 WHERE one = 1 AND queued_from > $1::int8")

  static let discard = Statement(
    "discard",
    """
    UPDATE outcome SET state = 2, reason_code = 'discarded', reason = $2::text, updated_ms = $3::int8
    WHERE id = $1::int8 AND state = 3
    """)

  static let pause = Statement(
    "pause", "INSERT INTO pause (one, since_ms) VALUES (1, $1::int8) ON CONFLICT DO NOTHING")
  static let resume = Statement("resume", "DELETE FROM pause WHERE one = 1")
  static let paused = Statement("paused", "SELECT since_ms FROM pause WHERE one = 1")

  static let addEvents = Statement(
    "add_events",
    """
    INSERT INTO post_event (id, post, at_ms, kind, code, detail)
    SELECT id, post, $6::int8, kind, code, detail
    FROM unnest($1::int8[], $2::int8[], $3::int4[], $4::text[], $5::text[]) AS t (id, post, kind, code, detail)
    """)
  static let pruneEvents = Statement(
    "prune_events", "DELETE FROM post_event WHERE id > $1::int8 - 100 AND id <= $2::int8")
}
