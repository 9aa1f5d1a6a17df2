package import Domain
import GRDB

/// Accounts as their operator sees and changes them: one method a transaction.
extension IngestDatabase {
  /// Accounts by rising number, without deleted ones.
  ///
  /// - Parameters:
  ///   - email: only the one with this address, in lower case; nil for all.
  ///   - after: only those with greater numbers; nil for the first page.
  ///   - limit: 1 or more.
  package func users(email: String?, after: AccountID?, limit: Int, unixMs: Int64) async throws -> [User] {
    try await operatorReader.read { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT account.*,
            (SELECT count(*) FROM session WHERE session.account = account.id AND expires_ms > :now) AS sessions,
            (SELECT count(*) FROM post WHERE post.account = account.id AND state <> 4) AS posts
          FROM account
          WHERE id > :after AND \(email == nil ? ":email IS NULL" : "email = :email") AND closed_ms IS NULL
          ORDER BY id LIMIT :limit
          """,
        arguments: ["now": unixMs, "after": after?.rawValue ?? 0, "email": email, "limit": limit]
      ).map { row in
        User(account: Account(row), disabledMs: row["disabled_ms"], sessions: row["sessions"], posts: row["posts"])
      }
    }
  }

  /// Nobody logs in to an account any more, and its sessions are over; or that is taken back. On disk on return.
  ///
  /// - Parameter sinceMs: ms since 1970, UTC; of an account that is disabled already its first one stays. Nil to take
  ///   it back.
  package func setDisabled(_ account: AccountID, sinceMs: Int64?) async throws {
    try await writer.write { db in
      try db.execute(
        sql: """
          UPDATE account SET disabled_ms = CASE WHEN :since IS NULL THEN NULL ELSE coalesce(disabled_ms, :since) END
          WHERE id = :id
          """, arguments: ["since": sinceMs, "id": account.rawValue])
      try db.execute(sql: "DELETE FROM session WHERE account = ?", arguments: [account.rawValue])
    }
  }

  /// Makes an account an operator's, or takes that back; its sessions go on. On disk on return.
  package func setOperator(_ account: AccountID, _ isOperator: Bool) async throws {
    try await writer.write { db in
      try db.execute(
        sql: "UPDATE account SET is_operator = ? WHERE id = ?", arguments: [isOperator, account.rawValue])
    }
  }
}
