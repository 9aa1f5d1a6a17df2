package import Domain
import GRDB
package import Store

extension SQLiteDatabase {
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

  package func set(_ account: AccountID, _ change: AccountChange) async throws {
    switch change {
    case .disabled(let sinceMs): try await setDisabled(account, sinceMs: sinceMs)
    case .enabled: try await setDisabled(account, sinceMs: nil)
    case .isOperator(let isOperator):
      try await write { db in
        try db.execute(
          sql: "UPDATE account SET is_operator = ? WHERE id = ?", arguments: [isOperator, account.rawValue])
      } reporting: {
        .account(account)
      }
    }
  }

  private func setDisabled(_ account: AccountID, sinceMs: Int64?) async throws {
    try await write { db in
      try db.execute(
        sql: """
          UPDATE account SET disabled_ms = CASE WHEN :since IS NULL THEN NULL ELSE coalesce(disabled_ms, :since) END
          WHERE id = :id
          """, arguments: ["since": sinceMs, "id": account.rawValue])
      guard sinceMs != nil else { return }
      try db.execute(sql: "DELETE FROM session WHERE account = ?", arguments: [account.rawValue])
    } reporting: {
      .account(account)
    }
  }
}
