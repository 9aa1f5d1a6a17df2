import Domain
import Store

extension Writer {
  /// Settles jobs in the order of the records. Call this within a transaction.
  func settle(
    _ records: [SettlementRecord], _ unixMs: Int64, number: Int64, _ connection: PostgresConnection
  ) throws -> SettlementResult {
    var result = SettlementResult()
    var rest = records[...]
    while let record = rest.first {
      let verdicts = rest.prefix { $0.isVerdict }
      guard verdicts.isEmpty else {
        let settled = try settle(verdicts: verdicts, unixMs, number: number, connection)
        result.entries += settled.entries
        result.notQueued.formUnion(settled.notQueued)
        rest = rest.dropFirst(verdicts.count)
        continue
      }
      if try !settle(record, unixMs, number: number, connection) { result.notQueued.insert(record.post) }
      rest = rest.dropFirst()
    }
    return result
  }

  private func settle(
    verdicts: ArraySlice<SettlementRecord>, _ unixMs: Int64, number: Int64, _ connection: PostgresConnection
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

  /// Settles a job without a verdict. Returns false if the post is not queued.
  private func settle(
    _ record: SettlementRecord, _ unixMs: Int64, number: Int64, _ connection: PostgresConnection
  ) throws -> Bool {
    let id = Int64(record.post.rawValue)
    switch record.settlement {
    case .verdict: preconditionFailure("Verdicts are settled in batches.")
    case .dead(let reason, let attempts):
      let rows = try connection.query(
        Settlements.die, .int8(id), .text(reason.code), .text(reason.detail), .int8(unixMs), .int8(number))
      guard rows.count == 1 else { return false }
      if let attempts { _ = try connection.query(Settlements.countAttempts, .int8(id), .int8(Int64(attempts))) }
      try addEvent(.died, reason, of: record.post, unixMs, connection)
    case .retry(let attempts, let pauseMs, let reason):
      let rows = try connection.query(
        Settlements.postpone, .int8(id), .int8(Int64(attempts)), .int8(unixMs + pauseMs))
      guard rows.count == 1 else { return false }
      if let reason { try addEvent(.failed, reason, of: record.post, unixMs, connection) }
    case .leaseLost:
      guard try connection.query(Settlements.countLoss, .int8(id)).count == 1 else { return false }
      try addEvent(.leaseLost, nil, of: record.post, unixMs, connection)
    }
    return true
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
    INSERT INTO attempt (id, attempts, lease_losses, due_ms) VALUES ($1::int8, $2::int8, 0, 0)
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
