package import Domain
import Foundation
import Metrics
package import Store
import Synchronization
import Telemetry

/// Metrics of scans.
struct ScanMeters: Sendable {
  private let done = Metric.storeScans.counter("done")
  private let refused = Metric.storeScans.counter("refused")
  private let ended = Metric.storeScans.counter("ended")

  func countSuccess() { done.increment() }

  func count(_ error: StoreError) {
    switch error {
    case .tooManyScans: refused.increment()
    case .scanEnded: ended.increment()
    default: break
    }
  }
}

extension PostgresDatabase: StoreHealth {
  package var diskFullMs: Int64? { status.fullMs }

  package var unavailableSinceMs: Int64? { status.unavailableSinceMs }

  package var stopReason: StoreError? { committer.stopReason }

  package var commits: QueueStatus.Commits { status.times.commits }

  package var space: StoreSpace {
    var space = size.withLock { $0 }
    space.fullMs = diskFullMs
    return space
  }

  /// Checks whether the server's disk accepts a write after it was full. The server does not report its free space.
  package func checkDisk() async -> (isFull: Bool, refused: Int) {
    if diskFullMs != nil, await trialCommit() { status.markRecovered() }
    await maintain()
    return (diskFullMs != nil, status.drainRefusedCount())
  }

  /// Keeps the lower bound of the queue near its oldest post. Stores it, and reads the size of the database, now and
  /// then.
  private func maintain() async {
    _ = try? await oldestQueued()
    let isDue = maintained.withLock { last in
      guard ContinuousClock.now - last >= .milliseconds(Limits.postgresFloorMs) else { return false }
      last = .now
      return true
    }
    guard isDue else { return }
    try? await write { [status] connection, _ in
      // The writer has committed all requeued posts whose ids are below the bound.
      _ = try connection.query(QueueFloor.store, .int8(status.queuedFrom.value))
    }
    if let bytes = try? await operatorReads.run({ try PostgresDatabase.readBytes($0) }) {
      size.withLock { $0.dataBytes = bytes }
    }
  }

  package func failure() async -> StoreError? { await committer.failures.first { _ in true } }

  /// Commits one row, to test if the disk has space. Returns true if the commit is durable.
  private func trialCommit() async -> Bool {
    await withCheckedContinuation { continuation in
      committer.submit(
        .other { _, _ in {} },
        completion: CommitCompletion { result in continuation.resume(returning: (try? result.get()) != nil) })
    }
  }

  /// Reads the size of the database. Blocks on the network.
  func readSpace() throws -> StoreSpace {
    var space = StoreSpace()
    space.dataBytes = try operatorReads.runBlocking { try PostgresDatabase.readBytes($0) }
    return space
  }

  private static func readBytes(_ connection: PostgresConnection) throws -> Int64 {
    try connection.query(Statement("size", "SELECT pg_database_size(current_database())")).first?.int(0) ?? 0
  }
}

extension WriterStatus {
  /// Records the failure of a caller's write.
  func recordFailure(_ error: StoreError) {
    if error.isFull { markFull(unixMs: Int64(Date().timeIntervalSince1970 * 1_000)) }
  }
}
