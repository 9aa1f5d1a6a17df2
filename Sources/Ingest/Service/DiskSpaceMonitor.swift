import Domain
import Logging
import Messaging
import ServiceLifecycle
import Store

/// Checks the disk once a second, so that readiness follows it even without posts. Logs when it is full and when it has
/// room again.
struct DiskSpaceMonitor: Service {
  let database: any StoreHealth
  let logger: Logger

  /// Runs until graceful shutdown.
  func run() async {
    var news = DiskFullLog()
    while !Task.isShuttingDownGracefully, !Task.isCancelled {
      let (isFull, refused) = await database.checkDisk()
      if let line = news.line(isFull: isFull, refused: refused, nowMs: Reactor.nowMs) { log(line) }
      try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .milliseconds(Limits.diskCheckMs)) }
    }
  }

  private func log(_ line: DiskFullLog.Line) {
    let disk = database.space.status
    var metadata: Logger.Metadata = ["freeBytes": "\(disk.freeBytes)", "databaseBytes": "\(disk.databaseBytes)"]
    switch line {
    case .full(let refused):
      metadata["refused"] = "\(refused)"
      logger.error(
        "disk full or nearly full: refusing writes that do not fit with 507, no restart needed", metadata: metadata)
    case .recovered(let refused):
      metadata["refused"] = "\(refused)"
      logger.notice("disk has room again", metadata: metadata)
    }
  }
}
