import Domain
import GRDB
import Store

/// Statements that store posts with their idempotency keys. Use them within one write.
struct AcceptStatements {
  private let db: Database
  private let singleInsert: Statement

  init(_ db: Database) throws {
    self.db = db
    singleInsert = try db.cachedStatement(sql: AcceptStatements.insertOne)
  }

  private static let insertOne = insert(rows: 1)
  private static let insertSeveral = insert(rows: Limits.postsPerInsert)

  private static func insert(rows: Int) -> String {
    """
    INSERT INTO post (id, account, place, link, link_text, state, lat_e7, lon_e7, created_ms, updated_ms, traceparent,
      idempotency_key, request_hash)
    VALUES \(Array(repeating: "(?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?)", count: rows).joined(separator: ", "))
    ON CONFLICT (account, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING
    """
  }

  /// Stores a post.
  ///
  /// - Returns: false if the post's key was already used. `IdempotencyKeys.earlierPost` then returns the earlier post.
  func insert(
    _ submission: Submission, _ id: PostID, _ account: AccountID, _ idempotency: Idempotency?,
    _ unixMs: Int64
  ) throws -> Bool {
    try singleInsert.run(db, columns(submission, id, account, idempotency, unixMs)) == 1
  }

  /// Stores `Limits.postsPerInsert` posts.
  ///
  /// - Returns: false if at least one of their keys was already used. `IdempotencyKeys.earlierPost` then returns the
  ///   stored post of each key.
  func insert(
    _ posts: ArraySlice<NewPost>, _ ids: [PostID],
    _ account: AccountID, _ unixMs: Int64
  ) throws -> Bool {
    var all: [BoundValue] = []
    all.reserveCapacity(12 * posts.count)
    for (post, id) in zip(posts, ids) { all += columns(post.submission, id, account, post.idempotency, unixMs) }
    return try db.cachedStatement(sql: AcceptStatements.insertSeveral).run(db, all) == posts.count
  }

  private func columns(
    _ submission: Submission, _ id: PostID, _ account: AccountID, _ idempotency: Idempotency?,
    _ unixMs: Int64
  ) -> [BoundValue] {
    [
      .integer(id.rawValue), .integer(account.rawValue), .text(submission.place), .text(submission.link),
      submission.linkText.map { .text($0) } ?? .null,
      .integer(submission.coordinate?.latitudeE7), .integer(submission.coordinate?.longitudeE7), .integer(unixMs),
      .integer(unixMs), submission.trace.map { .text($0.description) } ?? .null,
      idempotency.map { .text($0.key) } ?? .null, idempotency.map { .blob($0.requestHash) } ?? .null,
    ]
  }
}
