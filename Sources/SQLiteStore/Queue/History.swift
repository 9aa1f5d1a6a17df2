package import Domain
import GRDB

/// Events of posts with failures. A post without failures has no event, so its history costs nothing.
extension SQLiteDatabase {
  package func history(of post: PostID) async throws -> [PostEvent] {
    try await pool.read { db in
      try Row.fetchAll(
        db.cachedStatement(
          sql: "SELECT kind, at_ms, code, detail FROM post_event WHERE post = ? ORDER BY id DESC LIMIT ?"),
        arguments: [Int64(post.rawValue), Limits.postEventsShownMax]
      ).compactMap { row in
        // Skip kinds of later versions.
        guard let kind = UInt8(exactly: row[0] as Int64).flatMap(PostEvent.Kind.init) else { return nil }
        return PostEvent(kind: kind, atMs: row[1], reason: Verdict.Reason(code: row[2], detail: row[3]))
      }.reversed()
    }
  }
}

/// Adds an event to a post's history, within a write. Above `Limits.postEventsMax`, deletes the oldest event of all
/// posts.
func addEvent(
  _ kind: PostEvent.Kind, _ reason: Verdict.Reason?, of post: PostID, _ unixMs: Int64, _ db: Database
) throws {
  try db.cachedStatement(sql: "INSERT INTO post_event (post, at_ms, kind, code, detail) VALUES (?, ?, ?, ?, ?)").run(
    db, .integer(post.rawValue), .integer(unixMs), .integer(kind.rawValue), .text(reason?.code ?? ""),
    .text(reason?.detail ?? ""))
  try db.cachedStatement(sql: "DELETE FROM post_event WHERE id <= ?").run(
    db, .integer(db.lastInsertedRowID - Int64(Limits.postEventsMax)))
}
