/// Limits of `onthemap doctor` for a PostgreSQL database: timeouts, and the values from which it warns.
extension Limits {
  /// Timeout for a statement of an inspection, in milliseconds. Each reads a few rows.
  package static let postgresInspectionMs: Int64 = 5_000
  /// Maximum number of rows that an inspection reads of one kind, such as idle sessions.
  package static let postgresInspectionRowsMax: Int64 = 100
  /// Interval between two reads of the leader's beat, in milliseconds. A leader beats once meanwhile.
  package static let leaderInspectionMs: Int64 = 1_200
  /// Number of measurements of the server's clock. The one with the shortest round trip counts.
  package static let postgresClockSamples = 3
  /// Difference between the clocks of ingest's host and of the server from which `doctor` warns, in milliseconds.
  package static let postgresClockOffsetMs: Int64 = 1_000

  /// Age of the oldest snapshot from which `doctor` warns, in seconds. A dump of a large database is often faster.
  package static let postgresSnapshotSeconds: Int64 = 600
  /// Age of the oldest snapshot from which `doctor` warns, in transactions. A busy ingest commits as many in an hour.
  package static let postgresSnapshotTransactions: Int64 = 1_000_000
  /// Age of an idle or a prepared transaction from which `doctor` warns, in seconds. Such a transaction keeps its
  /// locks.
  package static let postgresIdleSeconds: Int64 = 60

  /// Number of ingests for which the server needs free sessions: the leader, and the standby that takes over.
  package static let postgresIngests: Int64 = 2
  /// Number of sessions of one ingest: writer, beat, start and operators' reads, quick reads, and scans.
  package static let postgresIngestSessions = Int64(4 + databaseReadersMax + concurrentScansMax)
}
