import GRDB
import OnTheMap

/// The statements that take in a post and its key, the one that is asked first looked up once for all. Used within
/// one write or read.
struct AcceptStatements {
  private let db: Database
  private let find: Statement

  init(_ db: Database) throws {
    self.db = db
    find = try db.cachedStatement(
      sql: """
        SELECT request_hash, post, created_ms FROM idempotency JOIN post ON post.id = idempotency.post
        WHERE idempotency.account = ? AND key = ?
        """)
  }

  /// The post that was made under this key.
  func earlier(
    _ idempotency: IngestDatabase.Idempotency, _ account: AccountID
  ) throws -> Result<IngestDatabase.Accepted, IngestDatabase.IdempotencyConflict>? {
    try find.first(db, .integer(account.rawValue), .text(idempotency.key)) { row in
      guard row.isBlob(0, idempotency.requestHash), let id = PostID(row.integer(1)) else {
        return .failure(IngestDatabase.IdempotencyConflict())
      }
      return .success(IngestDatabase.Accepted(id: id, job: nil, createdMs: row.integer(2)))
    }
  }

  /// Stores a post.
  func insert(_ submission: Submission, _ id: PostID, _ account: AccountID, _ unixMs: Int64) throws {
    try db.cachedStatement(
      sql: """
        INSERT INTO post (id, account, place, link, state, lat_e7, lon_e7, created_ms, updated_ms,
          traceparent)
        VALUES (?, ?, ?, ?, 0, ?, ?, ?, ?, ?)
        """
    ).run(
      db, .integer(id.rawValue), .integer(account.rawValue), .text(submission.place), .text(submission.link.text),
      .integer(submission.coordinate?.latitudeE7), .integer(submission.coordinate?.longitudeE7), .integer(unixMs),
      .integer(unixMs), submission.trace.map { .text($0.description) } ?? .null)
  }

  /// Notes under which key a post was made.
  func keep(_ idempotency: IngestDatabase.Idempotency, _ account: AccountID, _ id: PostID) throws {
    try db.cachedStatement(sql: "INSERT INTO idempotency (account, key, request_hash, post) VALUES (?, ?, ?, ?)").run(
      db, .integer(account.rawValue), .text(idempotency.key), .blob(idempotency.requestHash), .integer(id.rawValue))
  }

  /// So many of the oldest keys go when their time is over: two for each that comes, so that more go than come.
  func forgetKeys(unixMs: Int64, count: Int) throws {
    let oldest = PostID.following(nil, unixMs: unixMs - Limits.idempotencyDays * 86_400_000)
    try db.cachedStatement(
      sql: """
        DELETE FROM idempotency WHERE (account, key) IN
          (SELECT account, key FROM idempotency WHERE post < ? ORDER BY post LIMIT ?)
        """
    ).run(db, .integer(oldest.rawValue), .integer(count))
  }
}
