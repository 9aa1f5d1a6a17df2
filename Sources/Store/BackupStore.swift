package import Domain

/// A store that copies itself to a folder while it is in use. A database server has its own tools for backups, so its
/// store does not conform.
package protocol BackupStore: Sendable {
  /// Writes a backup with all data that was durable at the call. Other reads and writes go on. The backup is durable on
  /// return. Blocks the calling thread for the disk, for minutes if the data is large. Make one backup at a time.
  ///
  /// - Throws: `BackupError`. The folder then has no new backup. Retry when its cause is gone.
  func backUp(_ request: BackupRequest, unixMs: Int64) throws(BackupError) -> BackupSummary

  /// Time of the latest successful backup, in milliseconds since 1970, UTC. Nil if there was none. A restart keeps the
  /// time. Does not block.
  var lastBackupMs: Int64? { get }
}
