package import Domain
import Store

/// Counts of wrong passwords. `storeLoginCounts` does not wait for the disk. If the latest counts are lost, a client
/// has a few more attempts.
extension PostgresDatabase {
  package func storeLoginCounts(
    _ counts: [LoginThrottle.Key: LoginThrottle.Count], removing removed: [LoginThrottle.Key], unixMs: Int64
  ) {
    guard !counts.isEmpty || !removed.isEmpty else { return }
    submit(
      { connection, _ in
        for (key, count) in counts {
          _ = try connection.query(
            LoginCountStatements.store, .int8(Int64(key.scope.rawValue)), .bytes(key.digest),
            .int8(Int64(count.attempts)), .int8(count.lastMs))
        }
        for key in removed {
          _ = try connection.query(
            LoginCountStatements.remove, .int8(Int64(key.scope.rawValue)), .bytes(key.digest))
        }
        guard !counts.isEmpty else { return }
        _ = try connection.query(
          LoginCountStatements.removeOld, .int8(unixMs - Limits.loginAttemptsExpiryMs), .int8(Int64(2 * counts.count)))
      }, then: { _ in })
  }

  package func loginCounts(unixMs: Int64) throws -> [LoginThrottle.Key: LoginThrottle.Count] {
    try quickReads.runBlocking { connection in
      let rows = try connection.query(
        LoginCountStatements.all, .int8(unixMs - Limits.loginAttemptsExpiryMs),
        .int8(Int64(Limits.loginCountsMax / 2)))
      var counts: [LoginThrottle.Key: LoginThrottle.Count] = [:]
      for row in rows.map({ $0 }) {
        guard let scope = row.integer(0, as: UInt8.self).flatMap(LoginThrottle.Scope.init) else { continue }
        counts[LoginThrottle.Key(scope: scope, digest: row.blob(1) ?? [])] = LoginThrottle.Count(
          attempts: Int(row.int(2)), lastMs: row.int(3))
      }
      return counts
    }
  }
}

private enum LoginCountStatements {
  static let store = Statement(
    "store_login_count",
    """
    INSERT INTO login_count (scope, digest, tries, last_ms) VALUES ($1::int8, $2::bytea, $3::int8, $4::int8)
    ON CONFLICT (scope, digest) DO UPDATE SET tries = excluded.tries, last_ms = excluded.last_ms
    """)
  static let remove = Statement(
    "remove_login_count", "DELETE FROM login_count WHERE scope = $1::int8 AND digest = $2::bytea")
  static let removeOld = Statement(
    "remove_old_login_counts",
    """
    DELETE FROM login_count WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM login_count WHERE last_ms <= $1::int8 ORDER BY last_ms LIMIT $2::int8))
    """)
  static let all = Statement(
    "login_counts",
    """
    SELECT scope, digest, tries, last_ms FROM login_count WHERE last_ms > $1::int8 ORDER BY last_ms DESC
    LIMIT $2::int8
    """)
}
