import Domain
import GRDB
import Store

extension SQLiteEngine {
  func settle(_ records: [SettlementRecord], _ unixMs: Int64, _ db: Database) throws -> SettlementResult {
    var settled = SettlementResult()
    let publishStatement = try db.cachedStatement(sql: publishSQL)
    settled.entries.reserveCapacity(records.count)
    for index in records.indices {
      let post = records[index].post
      let isQueued: Bool
      switch records[index].settlement {
      case .verdict(.published(let published)):
        let draft = try records[index].job.flatMap(EntryDraft.init) ?? draft(post, db)
        let entry = try draft.flatMap {
          try publish(post, $0, published, (numbers, names), unixMs, publishStatement, db)
        }
        if let entry { settled.entries.append(entry) }
        isQueued = entry != nil
      case .verdict(.rejected(let reason)): isQueued = try end(post, .rejected, reason, unixMs, db)
      case .dead(let reason, let attempts):
        isQueued = try end(post, .dead, reason, attempts: attempts, unixMs, db)
        if isQueued { try addEvent(.died, reason, of: post, unixMs, db) }
      case .retry(let attempts, let pauseMs, let reason):
        let changed = try db.cachedStatement(
          sql: "UPDATE post SET attempts = ?, due_ms = ? WHERE id = ? AND state = 0"
        ).run(db, .integer(attempts), .integer(unixMs + pauseMs), .integer(post.rawValue))
        isQueued = changed == 1
        if isQueued, let reason { try addEvent(.failed, reason, of: post, unixMs, db) }
      case .leaseLost:
        let changed = try db.cachedStatement(
          sql: "UPDATE post SET lease_losses = lease_losses + 1 WHERE id = ? AND state = 0"
        ).run(db, .integer(post.rawValue))
        isQueued = changed == 1
        if isQueued { try addEvent(.leaseLost, nil, of: post, unixMs, db) }
      }
      if !isQueued { settled.notQueued.insert(post) }
    }
    return settled
  }
}

private let publishSQL = """
  UPDATE post SET state = 1, lat_e7 = ?, lon_e7 = ?, label = ?, country = ?, agreement = ?, place_match = ?,
    seq = ?, updated_ms = ? WHERE id = ? AND state = 0
  """

/// Content of a post, unchanged since its acceptance.
private struct EntryDraft {
  let account: AccountID
  let place: String
  let link: String
  let createdMs: Int64
  let trace: TraceContext?

  /// Copies a job's content. Nil for a job that the store read at startup, without its content.
  init?(_ job: Job) {
    guard let draft = job.content else { return nil }
    account = job.account
    place = job.query
    link = draft.link
    createdMs = draft.createdMs
    trace = job.trace
  }

  init(_ row: Row) {
    account = AccountID(rawValue: row[0])
    place = row[1]
    link = row[2]
    createdMs = row[3]
    trace = TraceContext(column: row[4])
  }
}

/// Publishes a post. Nil if the post was settled before.
private func publish(
  _ post: PostID, _ draft: EntryDraft, _ published: Verdict.Published,
  _ memory: (numbers: SequenceAllocator, names: AccountNameCache),
  _ unixMs: Int64, _ statement: Statement, _ db: Database
) throws -> FeedEntry? {
  let seq = memory.numbers.nextSeq
  let changed = try statement.run(
    db, .integer(published.coordinate.latitudeE7), .integer(published.coordinate.longitudeE7), .text(published.label),
    .text(published.countryCode), .integer(published.agreement.rawValue),
    published.match.map { .integer($0.rawValue) } ?? .null, .integer(seq), .integer(unixMs), .integer(post.rawValue))
  guard changed == 1 else { return nil }
  memory.numbers.advanceSeq()
  let name = try memory.names.name(draft.account) ?? name(draft.account, memory.names, db)
  return FeedEntry(
    id: post, seq: seq, account: draft.account, firstName: name.first, lastName: name.last, place: draft.place,
    label: published.label, countryCode: published.countryCode, link: draft.link, coordinate: published.coordinate,
    agreement: published.agreement, createdMs: draft.createdMs, updatedMs: unixMs,
    trace: draft.trace)
}

private func draft(_ post: PostID, _ db: Database) throws -> EntryDraft? {
  try Row.fetchOne(
    db.cachedStatement(
      sql: "SELECT account, place, link, created_ms, traceparent FROM post WHERE id = ? AND state = 0"),
    arguments: [Int64(post.rawValue)]
  ).map(EntryDraft.init)
}

private func name(_ account: AccountID, _ names: AccountNameCache, _ db: Database) throws -> AccountNameCache.Name {
  let row = try Row.fetchOne(
    db.cachedStatement(sql: "SELECT first_name, last_name FROM account WHERE id = ?"), arguments: [account.rawValue])
  let name = AccountNameCache.Name(first: row?[0] ?? "", last: row?[1] ?? "")
  names.set(name, for: account)
  return name
}

/// Rejects a post or marks it as dead. Returns false if the post was settled before.
private func end(
  _ post: PostID, _ state: Post.State, _ reason: Verdict.Reason, attempts: Int? = nil, _ unixMs: Int64, _ db: Database
) throws -> Bool {
  let changed = try db.cachedStatement(
    sql: "UPDATE post SET state = ?, reason_code = ?, reason = ?, updated_ms = ? WHERE id = ? AND state = 0"
  ).run(
    db, .integer(state.rawValue), .text(reason.code), .text(reason.detail), .integer(unixMs), .integer(post.rawValue))
  if changed == 1, let attempts {
    _ = try db.cachedStatement(sql: "UPDATE post SET attempts = ? WHERE id = ?")
      .run(db, .integer(attempts), .integer(post.rawValue))
  }
  return changed == 1
}
