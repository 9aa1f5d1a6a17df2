import Foundation

/// The state of a PostgreSQL database and of its server, as one session sees it.
package struct PostgresInspection: Sendable, Equatable {
  package var server: ServerState
  package var rights: RightsState
  package var settings: ServerSettings
  package var replication: ReplicationState
  package var activity: ActivityState
  package var clock: ClockOffset
  /// Nil if the tables are missing, or the role may not read them.
  package var leader: LeaderState?
}

/// The reason for which a database could not be inspected.
package enum InspectionError: Error, Equatable, Sendable {
  /// No server answered, accepted the role, or was a primary. Retry.
  case unreachable(String)
  /// The server is too old, or its database has another encoding. Do not retry until an operator acts.
  case unusable(String)
  /// The server refused or ended a read.
  case failed(String)
}

/// The server of an inspection, and the connection to it.
package struct ServerState: Sendable, Equatable {
  /// Host and port of the primary.
  package var host: String
  /// True if the connection does not leave this machine.
  package var isLocal: Bool
  /// True if TLS protects the connection.
  package var isEncrypted: Bool
  /// Mode of TLS, as in libpq's `sslmode`.
  package var tlsMode: String
  /// True if another process than the announced one answers, as behind a pooler.
  package var isPooled: Bool
  /// False if the session lacks the settings that the connection's start demanded.
  package var keepsSettings: Bool
  /// Version of PostgreSQL, such as "15.20 (Debian 15.20-0+deb12u1)".
  package var version: String
  /// Encoding of the database, such as "UTF8".
  package var encoding: String
  /// Name of the role.
  package var role: String
  /// Name of the database.
  package var database: String
}

/// The tables of the database, and the rights of the role on them.
package struct RightsState: Sendable, Equatable {
  /// The rights of the role on one table.
  package struct Table: Sendable, Equatable {
    /// Name of the table.
    package var name: String
    /// True if the table exists in the search path.
    package var isThere: Bool
    /// The missing ones of SELECT, INSERT, UPDATE and DELETE.
    package var missing: [String]
    /// True if the role is a member of the table's owner, which a migration requires.
    package var isOwned: Bool
  }

  /// The schema in which new tables go. Nil if the role may use no schema of its search path.
  package var schema: String?
  /// True if the role may create tables in the schema.
  package var canCreate: Bool
  /// The tables that this program uses.
  package var tables: [Table]
  /// Number of the database's latest migration. Nil without tables, or without the right to read them.
  package var version: Int64?
  /// Lowest number of a migration that a program must know to use the database. Nil as for `version`.
  package var readableBy: Int64?
  /// Number of the latest migration that this program knows.
  package var knownVersion: Int64
}

extension [RightsState.Table] {
  /// The existing tables on which the role lacks rights.
  package var denied: Self { filter { $0.isThere && !$0.missing.isEmpty } }

  /// Returns the statement that gives a role all rights on these tables.
  package func grant(to role: String) -> String {
    let names = map { SQLText.identifier($0.name) }.joined(separator: ", ")
    return "GRANT SELECT, INSERT, UPDATE, DELETE ON \(names) TO \(SQLText.identifier(role))"
  }
}

/// Settings of the server, as a session of the role has them.
package struct ServerSettings: Sendable, Equatable {
  /// True if commits are on disk when the server acknowledges them.
  package var fsync: Bool
  /// True if the server writes whole pages after a checkpoint, which repairs pages that were half written.
  package var fullPageWrites: Bool
  /// True if pages have checksums.
  package var checksums: Bool
  /// Durability of a commit by default, such as "on". The writer sets its own.
  package var synchronousCommit: String
  /// True if the server restarts itself after the crash of one of its processes.
  package var restartAfterCrash: Bool
  /// True if sessions may not write by default.
  package var isReadOnly: Bool
  /// Idle time after which the server ends a session, in milliseconds. 0 for none.
  package var idleSessionMs: Int64
  /// Duration of a transaction after which the server ends the session, in milliseconds. 0 for none.
  package var transactionMs: Int64
  /// Timeout of statements that the role or the database has by default, such as "30s". Nil for none. The server's own
  /// default is not in it.
  package var statementTimeout: String?
}

/// The standbys of the server.
package struct ReplicationState: Sendable, Equatable {
  /// A connected standby, or another receiver of the log.
  package struct Receiver: Sendable, Equatable {
    /// Name by which the server's settings select it.
    package var name: String
    /// State such as "streaming". Nil if the role may not see it.
    package var state: String?
    /// Part in commits: "sync", "quorum", "potential" or "async". Nil if the role may not see it.
    package var syncState: String?
  }

  /// The value of `synchronous_standby_names`.
  package var standbyNames: String
  /// Standbys and other receivers that are connected now.
  package var receivers: [Receiver]

  /// Number of standbys whose acknowledgement each commit requires. 0 without synchronous replication.
  package var requiredStandbys: Int {
    let names = standbyNames.trimmingCharacters(in: .whitespaces)
    guard !names.isEmpty else { return 0 }
    // ANY 2 (…), FIRST 2 (…) and 2 (…) have a number. A plain list requires its first standby.
    let number = #/^(?:(?:ANY|FIRST)\s+)?(\d+)\s*\(/#.ignoresCase()
    return names.firstMatch(of: number).flatMap { Int($0.output.1) } ?? 1
  }
}

/// Sessions and other users of the server.
package struct ActivityState: Sendable, Equatable {
  /// A session of another client.
  package struct Session: Sendable, Equatable {
    /// Process of the server, for `pg_terminate_backend`.
    package var process: Int64
    /// Name of the program, as it calls itself.
    package var application: String
    /// Name of the role.
    package var user: String
    /// Age of the transaction, or of its idleness, in seconds. Nil if the role may not see it.
    package var seconds: Int64?
    /// Age of the snapshot in transactions. 0 without one.
    package var transactions: Int64
  }

  /// A replication slot that no receiver uses.
  package struct Slot: Sendable, Equatable {
    /// Name of the slot.
    package var name: String
    /// Size of the log that the server keeps for it, in bytes.
    package var retainedBytes: Int64
    /// Age of the oldest row versions that the server keeps for it, in transactions. 0 for none.
    package var transactions: Int64
  }

  /// A transaction that is prepared for a two-phase commit.
  package struct PreparedTransaction: Sendable, Equatable {
    /// Identifier, for `ROLLBACK PREPARED`.
    package var identifier: String
    /// Name of the role.
    package var user: String
    /// Age in seconds.
    package var seconds: Int64
    /// Age in transactions.
    package var transactions: Int64
  }

  /// A limit of sessions, and the number of those that count.
  package struct SessionCount: Sendable, Equatable {
    /// Highest number of sessions. Nil for no limit.
    package var limit: Int64?
    /// Number of sessions now, without that of the inspection.
    package var used: Int64
  }

  /// True if the role may see the state of other roles' sessions.
  package var seesAll: Bool
  /// Session or standby with the oldest snapshot of this database. Nil without one.
  package var oldestSnapshot: Session?
  /// Sessions of this database that are idle within a transaction, the longest first.
  package var idleTransactions: [Session]
  /// Inactive slots that keep a part of the log, the largest first.
  package var slots: [Slot]
  /// Prepared transactions of this database, the oldest first.
  package var preparedTransactions: [PreparedTransaction]
  /// Sessions of the server, without those that it reserves.
  package var serverSessions: SessionCount
  package var roleSessions: SessionCount
  package var databaseSessions: SessionCount
  /// Number of the role's sessions in this database, without that of the inspection.
  package var ownSessions: Int64
}

/// Difference between the clocks of the server and of this host.
package struct ClockOffset: Sendable, Equatable {
  /// Time of the server minus the time of this host, in milliseconds.
  package var offsetMs: Int64
  /// Largest error of the offset, in milliseconds: half the round trip.
  package var errorMs: Int64
}

/// The leader's row, and its sign of life.
package struct LeaderState: Sendable, Equatable {
  /// Number of starts of ingest.
  package var term: Int64
  /// False after a graceful shutdown of the leader.
  package var isHeld: Bool
  /// True if the beat or the term rose during the inspection.
  package var isAlive: Bool
}
