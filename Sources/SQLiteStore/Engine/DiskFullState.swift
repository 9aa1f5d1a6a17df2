package import Domain
import Foundation
import Glibc
package import Store
import Synchronization

/// The writer's record of a full or nearly full disk. The store still attempts each write. Any thread.
final class DiskFullState: Sendable {
  /// Meaning of a disk's free bytes.
  enum Finding: Equatable {
    case unchanged
    /// The disk has become full or nearly full.
    case full
    /// The disk was full. A trial commit shows whether it still is.
    case mayHaveSpace
  }

  private struct State: Sendable {
    var fullMs: Int64?
    var refused = 0
  }

  private let state = Mutex(State())

  /// Evaluates the free bytes.
  ///
  /// - Parameters:
  ///   - freeBytes: Free bytes, or nil if the kernel does not report them.
  ///   - isFull: True if the disk was full before.
  static func finding(freeBytes: Int64?, isFull: Bool) -> Finding {
    if isFull { return freeBytes ?? .max >= Limits.diskRecoveredBytes ? .mayHaveSpace : .unchanged }
    return freeBytes ?? .max < Limits.diskFullBytes ? .full : .unchanged
  }

  /// Time at which the disk became full or nearly full, in milliseconds since 1970, UTC. Nil while it has space.
  var fullMs: Int64? { state.withLock { $0.fullMs } }

  /// Records that the disk is full or nearly full.
  ///
  /// - Parameter refused: Number of callers' writes that did not fit.
  func markFull(refused: Int, unixMs: Int64) {
    state.withLock { state in
      state.fullMs = state.fullMs ?? unixMs
      state.refused += refused
    }
  }

  /// Records the failure of a caller's write.
  func recordFailure(_ error: StoreError) {
    if error.isFull { markFull(refused: 1, unixMs: Int64(Date().timeIntervalSince1970 * 1_000)) }
  }

  /// Records that the disk has space again.
  func markRecovered() { state.withLock { $0.fullMs = nil } }

  /// Returns the number of writes that did not fit since the last call.
  func drainRefusedCount() -> Int {
    state.withLock { state in
      defer { state.refused = 0 }
      return state.refused
    }
  }
}

extension SQLiteDatabase: StoreHealth {
  package var diskFullMs: Int64? { diskFullState.fullMs }

  package var unavailableSinceMs: Int64? { nil }

  package var stopReason: StoreError? { committer.stopReason }

  package var commits: QueueStatus.Commits { committer.engine.times.commits }

  package var space: StoreSpace {
    var space = StoreSpace()
    space.fullMs = diskFullMs
    (space.dataBytes, space.logBytes) = (bytes(of: path), bytes(of: path + "-wal"))
    if let (free, size) = fileSystem { (space.freeBytes, space.sizeBytes) = (free, size) }
    return space
  }

  /// Checks the disk. A disk counts as full from a write that does not fit, or below `Limits.diskFullBytes` free. A
  /// full disk recovers with `Limits.diskRecoveredBytes` free and a successful trial commit. Between the two limits,
  /// some writes fit and others do not. A quota or the file system may refuse writes although bytes are free. Only a
  /// trial commit shows that.
  package func checkDisk() async -> (isFull: Bool, refused: Int) {
    switch DiskFullState.finding(freeBytes: fileSystem?.free, isFull: diskFullMs != nil) {
    case .full: diskFullState.markFull(refused: 0, unixMs: unixMs)
    case .mayHaveSpace: if await trialCommit() { diskFullState.markRecovered() }
    case .unchanged: break
    }
    return (diskFullMs != nil, diskFullState.drainRefusedCount())
  }

  package func failure() async -> StoreError? { await committer.failures.first { _ in true } }

  private var unixMs: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

  /// Returns the size of a file in bytes. 0 if it does not exist.
  private func bytes(of path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }

  /// Space that this process may still use, and the size of the file system, in bytes. Nil if the kernel does not
  /// report them. Root may use the blocks that are reserved for root.
  private var fileSystem: (free: Int64, size: Int64)? {
    var system = statvfs()
    guard statvfs(path, &system) == 0, system.f_blocks > 0 else { return nil }
    let blocks = geteuid() == 0 ? system.f_bfree : system.f_bavail
    func bytes(_ blocks: fsblkcnt_t) -> Int64 {
      let (bytes, isTooGreat) = UInt64(blocks).multipliedReportingOverflow(by: UInt64(system.f_frsize))
      return isTooGreat ? .max : Int64(clamping: bytes)
    }
    return (bytes(blocks), bytes(system.f_blocks))
  }
}
