import Foundation
import Glibc
package import OnTheMap
import Synchronization
package import Telemetry

/// The writer's knowledge of a full disk. Any thread.
final class DiskRoom: Sendable {
  private struct State: Sendable {
    var fullMs: Int64?
    var refused = 0
  }

  private let state = Mutex(State())

  /// When the disk became full, ms since 1970, UTC; nil while it has room.
  var fullMs: Int64? { state.withLock { $0.fullMs } }

  /// Notes that the disk is full.
  ///
  /// - Parameter refused: writes of callers that did not fit.
  func fill(refused: Int, unixMs: Int64) {
    state.withLock { state in
      state.fullMs = state.fullMs ?? unixMs
      state.refused += refused
    }
  }

  /// Notes that the disk has room again.
  func empty() { state.withLock { $0.fullMs = nil } }

  /// Returns the number of writes that did not fit since the last call.
  func takeRefused() -> Int {
    state.withLock { state in
      defer { state.refused = 0 }
      return state.refused
    }
  }
}

/// The room on the disk, for readiness, operators and metrics.
extension IngestDatabase {
  /// When the disk became full, ms since 1970, UTC; nil while it has room. Any thread; returns at once.
  package var diskFullMs: Int64? { writer.room.fullMs }

  /// Why nothing is stored until the next start; nil while the disk works. Any thread; returns at once.
  package var stopReason: StoreError? { writer.stopReason }

  /// The room on the disk now. Any thread; asks the file system.
  package var disk: DiskStatus {
    var status = DiskStatus(fullMs: diskFullMs)
    status.databaseBytes = bytes(of: path) + bytes(of: path + "-wal")
    if let (free, size) = space { (status.freeBytes, status.sizeBytes) = (free, size) }
    return status
  }

  /// Looks at the disk. Call this every `Limits.diskLookMs`.
  ///
  /// The disk becomes full with a write that does not fit, or with less than `Limits.diskFullBytes` free. It has room
  /// again with `Limits.diskRoomBytes` free and a trial commit that succeeds. A quota or the file system itself may
  /// refuse writes although bytes are free; only a commit shows that.
  ///
  /// - Returns: whether the disk is full, and the writes of callers that did not fit since the last look.
  package func lookAtDisk() async -> (isFull: Bool, refused: Int) {
    let free = space?.free
    if diskFullMs == nil {
      if let free, free < Limits.diskFullBytes { writer.room.fill(refused: 0, unixMs: unixMs) }
    } else if free ?? .max >= Limits.diskRoomBytes, await writer.tries() {
      writer.room.empty()
    }
    return (diskFullMs != nil, writer.room.takeRefused())
  }

  /// The sizes of the files and of the room for them at a scrape. Any thread; asks the file system.
  package var samples: [Sample] {
    let disk = disk
    var samples = [
      Metric.storeBytes.sample(bytes(of: path)), Metric.storeWAL.sample(bytes(of: path + "-wal")),
      Metric.storeFull.sample(disk.fullMs == nil ? 0 : 1),
    ]
    if disk.sizeBytes > 0 {
      samples += [Metric.storeFree.sample(disk.freeBytes), Metric.storeSize.sample(disk.sizeBytes)]
    }
    return samples
  }

  private var unixMs: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

  /// Size of a file; 0 where it is not there.
  private func bytes(of path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }

  /// What this process may still fill, and the size of the file system, in bytes; nil where the kernel does not tell.
  /// Root may fill the blocks that are reserved for root.
  private var space: (free: Int64, size: Int64)? {
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
