import Domain
import PostgresStore

/// Rules for the sessions, slots and transactions of a PostgreSQL server.
enum ActivityChecks {
  static func checks(_ found: PostgresInspection) -> [Check] {
    let activity = found.activity
    return [
      snapshot(activity), idleTransactions(activity), slots(activity), prepared(activity), sessions(found),
    ]
  }

  private static func snapshot(_ activity: ActivityState) -> Check {
    let id = "store-snapshot"
    guard let oldest = activity.oldestSnapshot else { return .ok(id, "no other session has a snapshot") }
    let measure = Check.Measure(oldest.transactions, "transactions")
    let age = oldest.seconds.map { "\($0) s and " } ?? ""
    let text = "the oldest snapshot has an age of \(age)\(counted(Int(oldest.transactions), "transaction"))"
    guard
      oldest.seconds ?? 0 > Limits.postgresSnapshotSeconds || oldest.transactions > Limits.postgresSnapshotTransactions
    else { return .ok(id, text, measure) }
    return .warning(
      id, "\(text): \(name(oldest)) keeps the server from removing old row versions", measure,
      remedy: oldest.seconds == nil ? "If it is a standby, end the long query there. \(end(oldest))" : end(oldest))
  }

  private static func idleTransactions(_ activity: ActivityState) -> Check {
    let id = "store-idle-transactions"
    let idle = activity.idleTransactions.filter { $0.seconds ?? 0 > Limits.postgresIdleSeconds }
    guard let longest = idle.first, let seconds = longest.seconds else {
      guard activity.seesAll else {
        return .notChecked(id, "the role may not see the state of other roles' sessions. Grant it pg_monitor")
      }
      return .ok(id, "no session is idle within a transaction for more than \(Limits.postgresIdleSeconds) s")
    }
    return .warning(
      id, "\(name(longest)) is idle within a transaction for \(seconds) s\(others(idle.count)), and keeps its locks",
      .init(seconds, "s"), remedy: end(longest))
  }

  private static func slots(_ activity: ActivityState) -> Check {
    let id = "store-slots"
    guard let largest = activity.slots.first else { return .ok(id, "no inactive replication slot keeps log files") }
    let megabytes = (largest.retainedBytes + 500_000) / 1_000_000
    let rows =
      largest.transactions > 0 ? ", and row versions of \(counted(Int(largest.transactions), "transaction"))" : ""
    return .warning(
      id,
      "the inactive replication slot \(largest.name) keeps \(megabytes) MB of the log\(rows)"
        + "\(others(activity.slots.count)): it can fill the disk",
      .init(largest.retainedBytes, "bytes"),
      remedy: "Start the slot's standby, or run: \(largest.dropCommand)")
  }

  private static func prepared(_ activity: ActivityState) -> Check {
    let id = "store-prepared-transactions"
    let old = activity.preparedTransactions.filter { $0.seconds > Limits.postgresIdleSeconds }
    guard let oldest = old.first else { return .ok(id, "no prepared transaction is old") }
    return .warning(
      id,
      "\(oldest.user)'s prepared transaction \(oldest.identifier) is \(oldest.seconds) s old\(others(old.count)): it "
        + "keeps its locks and old row versions",
      .init(oldest.seconds, "s"),
      remedy: "If nothing finishes it, run: \(oldest.rollbackCommand)")
  }

  private static func sessions(_ found: PostgresInspection) -> Check {
    let (id, activity) = ("store-sessions", found.activity)
    let (role, database) = (SQLText.identifier(found.server.role), SQLText.identifier(found.server.database))
    let limits = [
      (activity.serverSessions, "server", "Raise max_connections, or end other sessions"),
      (activity.roleSessions, "role", "Run: ALTER ROLE \(role) CONNECTION LIMIT -1"),
      (activity.databaseSessions, "database", "Run: ALTER DATABASE \(database) CONNECTION LIMIT -1"),
    ]
    let free = limits.compactMap { count, name, remedy in
      count.limit.map { (count: max(0, $0 - count.used), name: name, remedy: remedy) }
    }
    guard let fewest = free.min(by: { $0.count < $1.count }) else { return .ok(id, "no limit of sessions") }
    let wanted = Limits.postgresIngests * Limits.postgresIngestSessions
    // Sessions of an ingest that runs are among the used ones.
    let needed = max(0, wanted - activity.ownSessions)
    let text =
      "the \(fewest.name) permits \(counted(Int(fewest.count), "more session")); the role has "
      + "\(activity.ownSessions), and ingest with a standby needs \(wanted)"
    let measure = Check.Measure(fewest.count, "sessions")
    guard fewest.count >= needed else { return .warning(id, text, measure, remedy: fewest.remedy) }
    return .ok(id, text, measure)
  }

  /// Names a session for an operator.
  private static func name(_ session: ActivityState.Session) -> String {
    let application = session.application.isEmpty ? "no name" : session.application
    return "process \(session.process) (\(application), role \(session.user.isEmpty ? "unknown" : session.user))"
  }

  private static func end(_ session: ActivityState.Session) -> String {
    "If nothing needs the session, run: \(session.endCommand)"
  }

  private static func others(_ count: Int) -> String { count > 1 ? " (and \(count - 1) more)" : "" }
}
