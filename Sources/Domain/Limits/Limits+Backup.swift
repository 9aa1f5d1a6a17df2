/// Limits of backup and restore.
extension Limits {
  /// Range of `backup --keep`, in backups. The maximum is more than two years of daily backups.
  package static let backupsKeptRange = 1...1_000
  /// Free bytes that a backup needs beside the size of the database. A running ingest writes about this much during the
  /// copy.
  package static let backupMarginBytes: Int64 = 67_108_864
  /// Maximum length of the path of a folder for backups, in bytes: PATH_MAX of Linux, without the final zero.
  package static let backupPathBytesMax = 4_095
  /// Maximum size of a backup's manifest, in bytes. Ingest writes less than 1 KB.
  package static let backupManifestBytesMax = 65_536
  /// Bytes of a backup that are copied and hashed together.
  package static let backupChunkBytes = 1_048_576
  /// Page cache of a connection that copies or checks a backup, in KiB. Each page is read once, so a small cache
  /// suffices.
  package static let backupCacheKiB = 2_048
  /// Maximum number of deletions on the list of deletions after a start of ingest: 24 MB. A start removes the oldest.
  package static let deletionsKeptMax = 1_000_000
  /// Deletions that a start reads together, to find the last group.
  package static let deletionsReadTogether = 1_000
  /// Maximum step of the clock between the creation of an account and its deletion, in milliseconds. An earlier
  /// deletion on the list belongs to another account with the same id.
  package static let deletionClockStepMs: Int64 = 3_600_000
  /// Interval between two requests of `backup` for the state of the backup, in milliseconds.
  package static let backupPollMs: Int64 = 100
  /// Time for which `backup` waits for an ingest that restarts, in milliseconds. Then it makes the backup itself.
  package static let backupIngestWaitMs: Int64 = 5_000
  /// Starts of ingest that a restored database skips. Lease tokens contain the number of the start, and must only rise:
  /// workers may hold results of starts after the backup. The high-water file shows these starts, unless it is lost.
  package static let restoreGenerationStep: UInt32 = 1_000
}
