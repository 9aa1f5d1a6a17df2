/// Limits of sessions on a PostgreSQL server.
extension Limits {
  /// Oldest version of PostgreSQL that the program uses, as libpq writes it. Version 14 reports to each client whether
  /// the server is a standby.
  package static let postgresVersionMin: Int32 = 140_000
  /// Timeout for each answer to the writer, in milliseconds. The slowest one on a busy server took 200 ms. After the
  /// timeout the writer opens another connection and repeats the group.
  package static let postgresCommitMs: Int64 = 5_000
  /// Timeout for the end of a failed transaction, in milliseconds. After it, the writer opens another connection.
  package static let postgresRecoveryMs: Int64 = 1_000
  /// Timeout for a row lock of the writer, in milliseconds. A transaction that waits for a standby keeps its locks,
  /// also after its client has gone.
  package static let postgresLockMs: Int64 = 2_000
  /// Time after which the server ends a session that is idle within a transaction, in milliseconds. An idle transaction
  /// holds the leader's lock.
  package static let postgresIdleMs: Int64 = 5_000
  /// Timeout for a quick read, in milliseconds. Such a read takes below 10 ms.
  package static let postgresReadMs: Int64 = 5_000
  /// Time for which a read is repeated while no server answers, in milliseconds. A failover takes a few seconds, and a
  /// gateway holds a request for 15.
  package static let postgresReadRetryMs: Int64 = 10_000
  /// Maximum number of reads that wait for a connection. Further reads fail. All HTTP connections fit.
  package static let postgresReadsWaitingMax = 16_384
  /// Interval at which the leader stores the lower bound of the queue, in milliseconds. A start reads the posts above
  /// it.
  package static let postgresFloorMs: Int64 = 60_000
  /// Timeout for the reads of a start, in milliseconds. They return the whole queue.
  package static let postgresStartMs: Int64 = 120_000
  /// Number of posts that a search reads at a time.
  package static let postgresSearchRows = 500
  /// Shortest and longest pause before the writer repeats a group, in milliseconds.
  package static let postgresRetryMs: ClosedRange<Int64> = 20...1_000
  /// Timeout for a migration, in milliseconds. The first one takes below a second.
  package static let postgresMigrationMs: Int64 = 600_000
  /// Fewest and most idempotency keys that one commit may expire. A commit expires twice its number of new posts.
  package static let postgresKeysExpired: ClosedRange<Int> = 64...10_000
  /// Number of repetitions of a transaction at the start of a term, after conflicts with other sessions.
  package static let postgresConflictsMax = 20
  /// Number of markers of commits that the database keeps. The latest one is needed.
  package static let postgresMarkersKept: Int64 = 1_000
  /// Interval of the leader's beats, in milliseconds.
  package static let leaderBeatMs: Int64 = 1_000
  /// Time without a beat after which a standby takes over, in milliseconds, on its own monotonic clock. A standby that
  /// takes over too early causes a pause, and no error.
  package static let leaderSilenceMs: Int64 = 5_000
  /// Longest pause between two reads of the beat, in milliseconds. After a longer one, the standby's wait starts again.
  package static let leaderGapMs: Int64 = 1_500
  /// Interval at which a standby reads the leader's beat, in milliseconds. A graceful handover takes this long.
  package static let leaderWatchMs: Int64 = 50
}
