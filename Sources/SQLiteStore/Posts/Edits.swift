import Domain
import GRDB
import Store

extension SQLiteEngine {
  /// Deletes a post. A row without content remains, so that its id is never reused, and a retry with its key creates no
  /// second post.
  func delete(
    _ post: PostID, _ account: AccountID, _ unixMs: Int64, _ db: Database
  ) throws -> PostWriteResult.Deletion {
    guard let (state, listedAt) = try stateAndSeq(of: post, account, db) else { return .notFound }
    deletions.record(.post(post), unixMs: unixMs)
    return try SecureDeletion.erase(in: db) {
      try erase(post, listedAt: state == .published ? listedAt : nil, unixMs, numbers, db)
        .map { .listed($0) } ?? .unlisted
    }
  }

  func edit(
    _ post: PostID, _ account: AccountID, _ submission: Submission, _ published: Verdict.Published, _ unixMs: Int64,
    _ db: Database
  ) throws -> PostWriteResult.Edit {
    guard let (state, _) = try stateAndSeq(of: post, account, db) else { return .notFound }
    guard state != .queued else { return .queued }
    try db.cachedStatement(
      sql: """
        UPDATE post SET state = 1, place = ?, link = ?, link_text = ?, lat_e7 = ?, lon_e7 = ?, label = ?,
          country = ?, agreement = ?, place_match = ?, reason_code = NULL, reason = NULL,
          traceparent = coalesce(?, traceparent), seq = ?, updated_ms = ? WHERE id = ?
        """
    ).run(
      db, .text(submission.place), .text(submission.link), submission.linkText.map { .text($0) } ?? .null,
      .integer(published.coordinate.latitudeE7),
      .integer(published.coordinate.longitudeE7), .text(published.label), .text(published.countryCode),
      .integer(published.agreement.rawValue), published.match.map { .integer($0.rawValue) } ?? .null,
      submission.trace.map { .text($0.description) } ?? .null, .integer(numbers.nextSeq), .integer(unixMs),
      .integer(post.rawValue))
    let row = try Row.fetchOne(
      db.cachedStatement(sql: "\(FeedEntry.select) WHERE post.id = ?"), arguments: [Int64(post.rawValue)])
    guard let entry = row.flatMap(FeedEntry.init) else {
      throw StoreError.unusable(path: path, reason: "post \(post) cannot be read")
    }
    numbers.advanceSeq()
    return .published(entry.traced(submission.trace))
  }
}

/// Erases a post's content, and removes the post from the map. Its row remains, so that its id is never reused.
///
/// - Parameter listedAt: Sequence number of a post on the map, else nil.
/// - Returns: the change for feeds. Nil if the post was not on the map.
func erase(
  _ post: PostID, listedAt: UInt64?, _ unixMs: Int64, _ numbers: SequenceAllocator, _ db: Database
) throws -> FeedChange? {
  let next = try listedAt.flatMap { try entry(behind: $0, db) }
  try db.cachedStatement(
    sql: """
      UPDATE post SET state = 4, place = '', link = '', link_text = NULL, lat_e7 = NULL, lon_e7 = NULL, label = NULL,
        country = NULL, agreement = NULL, place_match = NULL, reason_code = NULL, reason = NULL, seq = NULL,
        traceparent = NULL, updated_ms = ? WHERE id = ?
      """
  ).run(db, .integer(unixMs), .integer(post.rawValue))
  // Reasons quote the post's text.
  try db.cachedStatement(sql: "DELETE FROM post_event WHERE post = ?").run(db, .integer(post.rawValue))
  guard listedAt != nil else { return nil }
  let seq = numbers.nextSeq
  try db.cachedStatement(sql: "UPDATE meta SET deleted_seq = ?").run(db, .integer(seq))
  numbers.advanceSeq()
  return .remove(post, seq: seq, backfill: next)
}

/// Returns the state of an account's post, and its sequence number, or 0 if the post is not on the map. Nil if there is
/// no such post.
private func stateAndSeq(
  of post: PostID, _ account: AccountID, _ db: Database
) throws -> (state: Post.State, listedAt: UInt64)? {
  let row = try db.cachedStatement(
    sql: "SELECT state, seq FROM post WHERE id = ? AND account = ? AND state <> 4"
  ).first(db, .integer(post.rawValue), .integer(account.rawValue)) { ($0.integer(0), $0.integer(1)) }
  guard let row else { return nil }
  guard let state = UInt8(exactly: row.0).flatMap(Post.State.init), let seq = UInt64(exactly: row.1) else {
    throw StoreError.unusable(path: "post", reason: "a row of the table cannot be read: \(post.rawValue)")
  }
  return (state, seq)
}

/// Returns the entry that moves onto the list when the post with a sequence number leaves the list. Nil if the post is
/// not on the list, or if there is no further entry.
private func entry(behind seq: UInt64, _ db: Database) throws -> FeedEntry? {
  // Read only the index first, because the query skips a hundred entries.
  let next = try db.cachedStatement(
    sql: "SELECT seq FROM post WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT 1 OFFSET \(Limits.feedEntriesMax)"
  ).first(db) { $0.integer(0) }
  guard let next, seq > next else { return nil }
  return try Row.fetchOne(db.cachedStatement(sql: "\(FeedEntry.select) WHERE seq = ?"), arguments: [next])
    .flatMap(FeedEntry.init)
}
