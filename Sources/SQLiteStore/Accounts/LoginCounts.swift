package import Domain
import Foundation
import GRDB

/// Wrong passwords, over a restart: one method a transaction.
extension IngestDatabase {
  /// Keeps counts, in the place of earlier ones, and drops some that are forgotten by now. Nobody waits for the disk:
  /// with the latest tries lost, somebody has a few more.
  package func keep(_ counts: [LoginThrottle.Key: LoginThrottle.Count], unixMs: Int64) {
    guard !counts.isEmpty else { return }
    writer.submit(
      { db in
        for (key, count) in counts {
          try db.execute(
            sql: "INSERT OR REPLACE INTO login_count (scope, digest, tries, last_ms) VALUES (?, ?, ?, ?)",
            arguments: [key.scope.rawValue, Data(key.digest), count.tries, count.lastMs])
        }
        try db.execute(
          sql: """
            DELETE FROM login_count WHERE (scope, digest) IN (
              SELECT scope, digest FROM login_count WHERE last_ms <= ? ORDER BY last_ms LIMIT \(2 * counts.count))
            """, arguments: [unixMs - Limits.loginTriesForgottenMs])
      }, then: { _ in })
  }

  /// Drops counts; as `keep`.
  package func forget(_ keys: [LoginThrottle.Key]) {
    guard !keys.isEmpty else { return }
    writer.submit(
      { db in
        for key in keys {
          try db.execute(
            sql: "DELETE FROM login_count WHERE scope = ? AND digest = ?",
            arguments: [key.scope.rawValue, Data(key.digest)])
        }
      }, then: { _ in })
  }

  /// The counts that are kept and not forgotten, the latest of them where there are too many.
  package func loginCounts(unixMs: Int64) throws -> [LoginThrottle.Key: LoginThrottle.Count] {
    let rows = try pool.read { db in
      try Row.fetchAll(
        db, sql: "SELECT * FROM login_count WHERE last_ms > ? ORDER BY last_ms DESC LIMIT ?",
        arguments: [unixMs - Limits.loginTriesForgottenMs, Limits.loginCountsMax / 2])
    }
    return rows.reduce(into: [:]) { counts, row in
      guard let scope = UInt8(exactly: row["scope"] as Int64).flatMap(LoginThrottle.Scope.init) else { return }
      let key = LoginThrottle.Key(scope: scope, digest: Array(row["digest"] as Data))
      counts[key] = LoginThrottle.Count(tries: row["tries"], lastMs: row["last_ms"])
    }
  }

  /// Where the account's sessions began that are not over, of the newest `Limits.sessionsShownMax`.
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
