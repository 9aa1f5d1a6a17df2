import Domain
import Store

extension Writer {
  /// Deletes a post. Its rows without content remain, so that its id is never reused, and a retry with its key creates
  /// no second post. Call this within a transaction.
  func delete(
    _ post: PostID, _ account: AccountID, _ unixMs: Int64, number: Int64, _ connection: PostgresConnection
  ) throws -> PostWriteResult.Deletion {
    guard let (state, listedAt) = try stateAndSeq(of: post, account, connection) else { return .notFound }
    let change = try erase(
      post, listedAt: state == .published ? listedAt : nil, unixMs, number: number, connection)
    return change.map { .listed($0) } ?? .unlisted
  }

  /// Edits a post. Call this within a transaction.
  func edit(
    _ post: PostID, _ account: AccountID, _ submission: Submission, _ published: Verdict.Published, _ unixMs: Int64,
    _ connection: PostgresConnection
  ) throws -> PostWriteResult.Edit {
    guard let (state, _) = try stateAndSeq(of: post, account, connection) else { return .notFound }
    guard state != .queued else { return .queued }
    let (id, seq) = (Int64(post.rawValue), numbers.nextSeq())
    _ = try connection.query(
      Edits.replaceContent, .int8(id), .text(submission.place), .text(submission.link), .text(submission.linkText),
      .text(submission.trace?.description))
    _ = try connection.query(
      Edits.publish, .int8(id), .int8(Int64(published.coordinate.latitudeE7)),
      .int8(Int64(published.coordinate.longitudeE7)), .text(published.label), .text(published.countryCode),
      .int8(Int64(published.agreement.rawValue)), .int8(published.match.map { Int64($0.rawValue) }),
      .int8(Int64(seq)), .int8(unixMs))
    guard let entry = try entry(of: id, connection) else {
      throw StoreError.unusable(path: connection.server, reason: "post \(post) cannot be read")
    }
    stored.seq = seq
    return .published(entry.traced(submission.trace))
  }

  /// Erases a post's content, and removes the post from the map.
  ///
  /// - Parameter listedAt: Sequence number of a post on the map, else nil.
  /// - Returns: the change for feeds. Nil if the post was not on the map.
  func erase(
    _ post: PostID, listedAt: UInt64?, _ unixMs: Int64, number: Int64, _ connection: PostgresConnection
  ) throws -> FeedChange? {
    let next = try listedAt.flatMap { try entry(behind: $0, connection) }
    let id = Int64(post.rawValue)
    try connection.send(Edits.eraseContent, [.int8(id)])
    try connection.send(Edits.eraseOutcome, [.int8(id), .int8(unixMs), .int8(number)])
    // Reasons quote the post's text.
    try connection.send(Edits.eraseEvents, [.int8(id)])
    for _ in 0..<3 { _ = try connection.receive() }
    guard listedAt != nil else { return nil }
    let seq = numbers.nextSeq()
    _ = try connection.query(Edits.recordDeletion, .int8(Int64(seq)))
    stored.seq = seq
    return .remove(post, seq: seq, backfill: next)
  }

  /// Returns the entry of a published post.
  func entry(of id: Int64, _ connection: PostgresConnection) throws -> FeedEntry? {
    try connection.query(Edits.entry, .int8(id)).first.flatMap(FeedEntry.init)
  }

  /// Returns the state of an account's post, and its sequence number if it is on the map. Nil if there is no such post.
  private func stateAndSeq(
    of post: PostID, _ account: AccountID, _ connection: PostgresConnection
  ) throws -> (state: Post.State, listedAt: UInt64?)? {
    let row = try connection.query(Edits.state, .int8(Int64(post.rawValue)), .int8(account.rawValue)).first
    guard let row else { return nil }
    guard let state = row.integer(0, as: UInt8.self).flatMap(Post.State.init) else {
      throw StoreError.unusable(path: connection.server, reason: "post \(post) has an unknown state")
    }
    return (state, row.integer(1, as: UInt64.self))
  }

  /// Returns the entry that moves onto the list when the post with a sequence number leaves the list. Nil if the post
  /// is not on the list, or if there is no further entry.
  private func entry(behind seq: UInt64, _ connection: PostgresConnection) throws -> FeedEntry? {
    // Read only the index first, because the query skips a hundred entries.
    let next = try connection.query(Edits.firstBehindList).first?.integer(0, as: UInt64.self)
    guard let next, seq > next else { return nil }
    return try connection.query(Edits.entryAt, .int8(Int64(next))).first.flatMap(FeedEntry.init)
  }
}

private enum Edits {
  static let state = Statement(
    "state_and_seq",
    """
    SELECT coalesce(state, 0), seq FROM post LEFT JOIN outcome ON outcome.id = post.id
    WHERE post.id = $1::int8 AND account = $2::int8 AND state IS DISTINCT FROM 4
    """)

  static let replaceContent = Statement(
    "replace_content",
    """
    UPDATE post SET place = $2::text, link = $3::text, link_text = $4::text,
      traceparent = coalesce($5::text, traceparent) WHERE id = $1::int8
    """)

  static let publish = Statement(
    "publish_edit",
    """
    UPDATE outcome SET state = 1, lat_e7 = $2::int8, lon_e7 = $3::int8, label = $4::text, country = $5::text,
      agreement = $6::int8, place_match = $7::int8, reason_code = NULL, reason = NULL, seq = $8::int8,
      updated_ms = $9::int8 WHERE id = $1::int8
    """)

  static let eraseContent = Statement(
    "erase_content",
    """
    UPDATE post SET place = '', link = '', link_text = NULL, lat_e7 = NULL, lon_e7 = NULL, traceparent = NULL
    WHERE id = $1::int8
    """)

  static let eraseOutcome = Statement(
    "erase_outcome",
    """
    INSERT INTO outcome (id, state, updated_ms, commit_number) VALUES ($1::int8, 4, $2::int8, $3::int8)
    ON CONFLICT (id) DO UPDATE SET state = 4, lat_e7 = NULL, lon_e7 = NULL, label = NULL, country = NULL,
      agreement = NULL, place_match = NULL, reason_code = NULL, reason = NULL, seq = NULL, updated_ms = $2::int8
    """)

  static let eraseEvents = Statement("erase_events", "DELETE FROM post_event WHERE post = $1::int8")

  static let recordDeletion = Statement("record_deletion", "UPDATE meta SET deleted_seq = $1::int8 WHERE one = 1")

  static let firstBehindList = Statement(
    "first_behind_list",
    "SELECT seq FROM outcome WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT 1 OFFSET \(Limits.feedEntriesMax)")

  static let entry = Statement(
    "entry",
    "SELECT \(FeedEntry.columns) FROM \(FeedEntry.tables) WHERE outcome.id = $1::int8 AND seq IS NOT NULL")

  static let entryAt = Statement(
    "entry_at", "SELECT \(FeedEntry.columns) FROM \(FeedEntry.tables) WHERE seq = $1::int8")
}
