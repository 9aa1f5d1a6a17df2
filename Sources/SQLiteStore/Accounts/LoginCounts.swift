package import Domain
import Foundation
import GRDB
import Store

/// Counts of wrong passwords. `storeLoginCounts` does not wait for the disk. If the latest counts are lost, a client
/// has a few more attempts.
extension SQLiteDatabase {
  package func storeLoginCounts(
    _ counts: [LoginThrottle.Key: LoginThrottle.Count], removing removed: [LoginThrottle.Key], unixMs: Int64
  ) {
    guard !counts.isEmpty || !removed.isEmpty else { return }
    submit(
      { db in
        for (key, count) in counts {
          try db.execute(
            sql: "INSERT OR REPLACE INTO login_count (scope, digest, tries, last_ms) VALUES (?, ?, ?, ?)",
            arguments: [key.scope.rawValue, Data(key.digest), count.attempts, count.lastMs])
        }
        for key in removed {
          try db.execute(
            sql: "DELETE FROM login_count WHERE scope = ? AND digest = ?",
            arguments: [key.scope.rawValue, Data(key.digest)])
        }
        guard !counts.isEmpty else { return }
        try db.execute(
          sql: """
            DELETE FROM login_count WHERE (scope, digest) IN (
              SELECT scope, digest FROM login_count WHERE last_ms <= ? ORDER BY last_ms LIMIT \(2 * counts.count))
            """, arguments: [unixMs - Limits.loginAttemptsExpiryMs])
      }, then: { _ in })
  }

  package func loginCounts(unixMs: Int64) throws -> [LoginThrottle.Key: LoginThrottle.Count] {
    let rows = try pool.read { db in
      try Row.fetchAll(
        db, sql: "SELECT * FROM login_count WHERE last_ms > ? ORDER BY last_ms DESC LIMIT ?",
        arguments: [unixMs - Limits.loginAttemptsExpiryMs, Limits.loginCountsMax / 2])
    }
    return rows.reduce(into: [:]) { counts, row in
      guard let scope = UInt8(exactly: row["scope"] as Int64).flatMap(LoginThrottle.Scope.init) else { return }
      let key = LoginThrottle.Key(scope: scope, digest: Array(row["digest"] as Data))
      counts[key] = LoginThrottle.Count(attempts: row["tries"], lastMs: row["last_ms"])
    }
  }

  package func addresses(email: String, unixMs: Int64) async throws -> [IPAddress] {
    try await pool.read { db in
      try String.fetchAll(
        db,
        sql: """
          SELECT address FROM session JOIN account ON account.id = session.account
          WHERE email = ? AND expires_ms > ? ORDER BY session.created_ms DESC LIMIT ?
          """, arguments: [email, unixMs, Limits.sessionsShownMax]
      ).compactMap { IPAddress($0) }
    }
  }
}
