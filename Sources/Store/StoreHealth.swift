package import Domain

/// The state of a store and of its disk, for readiness, operators and metrics. Any thread.
package protocol StoreHealth: Sendable {
  /// Time at which the disk became full or nearly full, in milliseconds since 1970, UTC. Nil while it has space. Does
  /// not block.
  var diskFullMs: Int64? { get }

  /// Time at which the database became unreachable, in milliseconds since 1970, UTC. Nil while it is reachable, and
  /// always nil for a store in the process. Does not block.
  var unavailableSinceMs: Int64? { get }

  /// Reason why nothing is stored until the next start. Nil while the store works. Does not block.
  var stopReason: StoreError? { get }

  /// Current space on the disk. May query the file system.
  var space: StoreSpace { get }

  /// Durations of the latest commits. Does not block.
  var commits: QueueStatus.Commits { get }

  /// Checks the disk. Call this every `Limits.diskCheckMs`.
  ///
  /// A disk counts as full from the first write that does not fit, or when it is nearly full, until a trial commit
  /// succeeds.
  ///
  /// - Returns: true if the disk counts as full, and the number of callers' writes that did not fit since the last
  ///   check.
  func checkDisk() async -> (isFull: Bool, refused: Int)

  /// Waits until the store has failed. After a failure the store writes nothing until the next start.
  ///
  /// - Returns: the reason, or nil if the task is cancelled.
  func failure() async -> StoreError?

  /// Closes the store. Durable data stays, later writes fail with `StoreError.stopped`, and later reads fail. Blocks
  /// for the disk. Call this when no write is needed any more.
  func close()
}

/// Space that a store uses and may use, in bytes.
package struct StoreSpace: Sendable {
  /// Size of the data without the write-ahead log, in bytes.
  package var dataBytes: Int64 = 0
  /// Size of the write-ahead log, in bytes.
  package var logBytes: Int64 = 0
  /// Space that the store may still use, in bytes. 0 if it is unknown.
  package var freeBytes: Int64 = 0
  /// Size of the file system, in bytes. 0 if it is unknown.
  package var sizeBytes: Int64 = 0
  /// Time at which the disk became full. See `StoreHealth.diskFullMs`.
  package var fullMs: Int64?

  package init() {}

  /// The space as an operator sees it.
  package var status: DiskStatus {
    var status = DiskStatus(fullMs: fullMs)
    status.databaseBytes = dataBytes + logBytes
    (status.freeBytes, status.sizeBytes) = (freeBytes, sizeBytes)
    return status
  }
}
