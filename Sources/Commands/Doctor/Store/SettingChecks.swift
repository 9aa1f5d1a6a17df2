import Domain
import PostgresStore

/// Rules for the settings of a PostgreSQL server.
enum SettingChecks {
  static func checks(_ found: PostgresInspection) -> [Check] {
    [durability(found.settings), checksums(found.settings), readOnly(found), timeouts(found)]
  }

  private static func durability(_ settings: ServerSettings) -> Check {
    let id = "store-durability"
    guard settings.fsync else {
      return .failure(
        id, "fsync is off: a power loss can damage the database, and loses acknowledged posts",
        remedy: "Set fsync = on")
    }
    guard settings.fullPageWrites else {
      return .failure(
        id, "full_page_writes is off: a power loss can leave half-written pages", remedy: "Set full_page_writes = on")
    }
    return .ok(
      id,
      "fsync and full_page_writes are on. Ingest sets synchronous_commit to on; the default is "
        + settings.synchronousCommit)
  }

  private static func checksums(_ settings: ServerSettings) -> Check {
    let id = "store-checksums"
    guard !settings.checksums else { return .ok(id, "data_checksums is on") }
    return .warning(
      id, "data_checksums is off: damage by the disk stays unnoticed",
      remedy: "Stop the server, and run: pg_checksums --enable")
  }

  private static func readOnly(_ found: PostgresInspection) -> Check {
    let id = "store-read-only"
    guard found.settings.isReadOnly else { return .ok(id, "sessions may write by default") }
    return .failure(
      id, "default_transaction_read_only is on: ingest finds no server that accepts writes",
      remedy: reset("default_transaction_read_only", to: "off", found.server))
  }

  private static func timeouts(_ found: PostgresInspection) -> Check {
    let (id, settings) = ("store-timeouts", found.settings)
    let limits = [
      ("transaction_timeout", settings.transactionMs, "it can end a commit that waits for a standby"),
      ("idle_session_timeout", settings.idleSessionMs, "it ends ingest's sessions between two posts"),
    ]
    if let (name, ms, reason) = limits.first(where: { $0.1 > 0 }) {
      return .failure(
        id, "\(name) is \(ms) ms: \(reason)", .init(ms, "ms"), remedy: reset(name, to: "0", found.server))
    }
    let text = "no timeout ends ingest's sessions"
    guard let timeout = settings.statementTimeout else { return .ok(id, text) }
    return .ok(id, "\(text). The role's statement_timeout of \(timeout) has no effect: ingest sets its own")
  }

  /// Returns the remedy for a setting. A setting of a role in a database takes precedence over all others.
  private static func reset(_ name: String, to value: String, _ server: ServerState) -> String {
    "Run: ALTER ROLE \(SQLText.identifier(server.role)) IN DATABASE \(SQLText.identifier(server.database)) SET "
      + "\(name) = \(value)"
  }
}
