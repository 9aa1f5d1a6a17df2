import Domain
import Store

extension Writer {
  /// Settles jobs in the order of the records. The number of round trips does not depend on the number of records. Call
  /// this within a transaction.
  func settle(
    _ records: [SettlementRecord], _ unixMs: Int64, number: Int64, _ connection: PostgresConnection
  ) throws -> SettlementResult {
    var result = SettlementResult()
    var rest = records[...]
    while !rest.isEmpty {
      // The posts of a part are distinct, so the order within a part does not matter. A job that dies after its last
      // lost lease has two records, in two parts.
      var posts: Set<PostID> = []
      let part = rest.prefix { posts.insert($0.post).inserted }
      rest = rest.dropFirst(part.count)
      let settled = try settle(verdicts: part.filter(\.isVerdict), unixMs, number: number, connection)
      result.entries += settled.entries
      result.notQueued.formUnion(settled.notQueued)
      let others = part.filter { !$0.isVerdict }
      result.notQueued.formUnion(try settle(others: others, unixMs, number: number, connection))
    }
    return result
  }

  private func settle(
    verdicts: [SettlementRecord], _ unixMs: Int64, number: Int64, _ connection: PostgresConnection
  ) throws -> SettlementResult {
    let missing = verdicts.filter { $0.job?.content == nil }.map(\.post)
    let seqBefore = numbers.lastSeq
    let contents = try PostContent.load(missing, connection)
    let jobs = verdicts.compactMap { $0.job?.account }
    try accounts.load(Set(jobs + contents.values.map(\.account)), connection)
    var batch = SettleBatch(number: number)
    for record in verdicts { batch.add(record, contents[record.post], unixMs, &numbers) }
    try batch.send(connection)
    let settled = batch.results(stored: try batch.receive(connection), accounts)
    stored.seq = max(stored.seq, settled.highestSeq)
    numbers.releaseSeqs(above: max(seqBefore, settled.highestSeq))
    return settled.result(of: batch.records.indices)
  }

  /// Settles jobs without a verdict. Returns the posts that are not queued.
  private func settle(
    others records: [SettlementRecord], _ unixMs: Int64, number: Int64, _ connection: PostgresConnection
  ) throws -> Set<PostID> {
    for record in records { try record.send(unixMs, number: number, connection) }
    var notQueued: Set<PostID> = []
    var events: [(post: PostID, kind: PostEvent.Kind, reason: Verdict.Reason?)] = []
    for record in records {
      guard try record.receive(connection) else {
        notQueued.insert(record.post)
        continue
      }
      if let event = record.event { events.append((record.post, event.kind, event.reason)) }
    }
    try addEvents(events, unixMs, connection)
    return notQueued
  }
}

extension SettlementRecord {
  /// Event of a settlement without a verdict. Nil for a failure that leaves no trace.
  fileprivate var event: (kind: PostEvent.Kind, reason: Verdict.Reason?)? {
    switch settlement {
    case .verdict: nil
    case .dead(let reason, _): (.died, reason)
    case .retry(_, _, let reason): reason.map { (.failed, $0) }
    case .leaseLost: (.leaseLost, nil)
    }
  }

  /// Sends the statements of a settlement without a verdict.
  fileprivate func send(_ unixMs: Int64, number: Int64, _ connection: PostgresConnection) throws(PostgresError) {
    let id = Parameter.int8(Int64(post.rawValue))
    switch settlement {
    case .verdict: preconditionFailure("Verdicts are settled in batches.")
    case .dead(let reason, let attempts):
      if let attempts { try connection.send(Settlements.countAttempts, [id, .int8(Int64(attempts))]) }
      try connection.send(
        Settlements.die, [id, .text(reason.code), .text(reason.detail), .int8(unixMs), .int8(number)])
    case .retry(let attempts, let pauseMs, _):
      try connection.send(Settlements.postpone, [id, .int8(Int64(attempts)), .int8(unixMs + pauseMs)])
    case .leaseLost: try connection.send(Settlements.countLoss, [id])
    }
  }

  /// Receives the results of `send`. Returns false if the post is not queued.
  fileprivate func receive(_ connection: PostgresConnection) throws(PostgresError) -> Bool {
    if case .dead(_, .some) = settlement { _ = try connection.receive() }
    return try connection.receive().count == 1
  }
}

/// Statements of settlements without a verdict. A post is queued while it has no outcome.
private enum Settlements {
  static let isQueued = """
    SELECT id FROM post WHERE id = $1::int8 AND NOT EXISTS (SELECT FROM outcome WHERE outcome.id = post.id)
    """

  static let die = Statement(
    "die",
    """
    INSERT INTO outcome (id, state, reason_code, reason, updated_ms, commit_number)
    SELECT id, 3, $2::text, $3::text, $4::int8, $5::int8 FROM (\(isQueued)) AS queued
    ON CONFLICT (id) DO NOTHING RETURNING id
    """)

  static let countAttempts = Statement(
    "count_attempts",
    """
    INSERT INTO attempt (id, attempts, lease_losses, due_ms)
    SELECT id, $2::int8, 0, 0 FROM (\(isQueued)) AS queued
    ON CONFLICT (id) DO UPDATE SET attempts = excluded.attempts
    """)

  static let postpone = Statement(
    "postpone",
    """
    INSERT INTO attempt (id, attempts, lease_losses, due_ms)
    SELECT id, $2::int8, 0, $3::int8 FROM (\(isQueued)) AS queued
    ON CONFLICT (id) DO UPDATE SET attempts = excluded.attempts, due_ms = excluded.due_ms RETURNING id
    """)

  static let countLoss = Statement(
    "count_loss",
    """
    INSERT INTO attempt (id, attempts, lease_losses, due_ms) SELECT id, 0, 1, 0 FROM (\(isQueued)) AS queued
    ON CONFLICT (id) DO UPDATE SET lease_losses = attempt.lease_losses + 1 RETURNING id
    """)
}
