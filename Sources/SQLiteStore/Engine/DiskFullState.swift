package import Domain
import Foundation
import Glibc
package import Store
import Synchronization

/// The writer's knowledge of a disk that is full or nearly full. It refuses nothing: each write is tried. Any thread.
final class DiskFullState: Sendable {
  /// The meaning of the free bytes of a disk.
  enum Finding: Equatable {
    case nothingNew
    /// A disk that has become full or nearly full.
    case full
    /// A disk that was full; a trial commit shows whether it still is.
    case mayHaveSpace
  }

  private struct State: Sendable {
    var fullMs: Int64?
    var refused = 0
  }

  private let state = Mutex(State())

  /// Judges the free bytes.
  ///
  /// - Parameters:
  ///   - freeBytes: nil if the kernel does not report them.
  ///   - isFull: true if the disk was full before.
  static func finding(freeBytes: Int64?, isFull: Bool) -> Finding {
    if isFull { return freeBytes ?? .max >= Limits.diskRecoveredBytes ? .mayHaveSpace : .nothingNew }
    return freeBytes ?? .max < Limits.diskFullBytes ? .full : .nothingNew
  }

  /// Time when the disk became full or nearly full, ms since 1970, UTC; nil while it has room.
  var fullMs: Int64? { state.withLock { $0.fullMs } }

  /// Notes that the disk is full or nearly full.
  ///
  /// - Parameter refused: writes of callers that did not fit.
  func markFull(refused: Int, unixMs: Int64) {
    state.withLock { state in
      state.fullMs = state.fullMs ?? unixMs
      state.refused += refused
    }
  }

  /// Notes that a caller's write failed.
  func recordFailure(_ error: StoreError) {
    if error.isFull { markFull(refused: 1, unixMs: Int64(Date().timeIntervalSince1970 * 1_000)) }
  }

  /// Notes that the disk has room again.
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

  package var stopReason: StoreError? { committer.stopReason }

  package var commits: QueueStatus.Commits { committer.engine.times.commits }

  package var space: StoreSpace {
    var space = StoreSpace()
    space.fullMs = diskFullMs
    (space.dataBytes, space.logBytes) = (bytes(of: path), bytes(of: path + "-wal"))
    if let (free, size) = fileSystem { (space.freeBytes, space.sizeBytes) = (free, size) }
    return space
  }

  /// The disk counts as full from a write that does not fit or less than `Limits.diskFullBytes` free. It has room again
  /// with `Limits.diskRecoveredBytes` free and a trial commit that succeeds. In between some writes fit and others do not. A
  /// quota or the file system itself may refuse writes although bytes are free; only a commit shows that.
  package func checkDisk() async -> (isFull: Bool, refused: Int) {
    switch DiskFullState.finding(freeBytes: fileSystem?.free, isFull: diskFullMs != nil) {
    case .full: diskFullState.markFull(refused: 0, unixMs: unixMs)
    case .mayHaveSpace: if await trialCommit() { diskFullState.markRecovered() }
    case .nothingNew: break
    }
    return (diskFullMs != nil, diskFullState.drainRefusedCount())
  }

  package func failure() async -> StoreError? { await committer.failures.first { _ in true } }

  private var unixMs: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

  /// Size of a file; 0 where it is not there.
  private func bytes(of path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }

  /// Space that this process may still fill, and the size of the file system, in bytes; nil if the kernel does not
  /// report them. Root may fill the blocks that are reserved for root.
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
