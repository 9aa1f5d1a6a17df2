package import Domain

/// The state of a store and of its disk, for readiness, operators and metrics. Any thread.
package protocol StoreHealth: Sendable {
  /// Time when the disk became full or nearly full, in ms since 1970, UTC. Nil while it has room. Does not wait.
  var diskFullMs: Int64? { get }

  /// The reason why nothing is stored until the next start. Nil while the store works. Does not wait.
  var stopReason: StoreError? { get }

  /// Space on the disk now. May ask the file system.
  var space: StoreSpace { get }

  /// Durations of the latest commits. Does not wait.
  var commits: QueueStatus.Commits { get }

  /// Checks the disk. Call this every `Limits.diskCheckMs`.
  ///
  /// A disk counts as full from a write that does not fit, and has room again when a trial commit succeeds.
  ///
  /// - Returns: true if the disk counts as full, and the number of callers' writes that did not fit since the last
  ///   check.
  func checkDisk() async -> (isFull: Bool, refused: Int)

  /// Waits until the store has failed: nothing is stored from then on until the next start.
  ///
  /// - Returns: the reason; nil if the task is cancelled.
  func failure() async -> StoreError?

  /// Ends the store: what is durable stays, later writes fail with `StoreError.stopped`, later reads fail. Waits for
  /// the disk. Call this once no write is needed any more.
  func close()
}

/// Space that a store takes and may take, in bytes.
package struct StoreSpace: Sendable {
  /// Size of the data, without the log.
  package var dataBytes: Int64 = 0
  /// Size of the log of recent commits.
  package var logBytes: Int64 = 0
  /// Space that the store may still fill. 0 if it is not known.
  package var freeBytes: Int64 = 0
  /// Size of the file system. 0 if it is not known.
  package var sizeBytes: Int64 = 0
  /// As `StoreHealth.diskFullMs`.
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
