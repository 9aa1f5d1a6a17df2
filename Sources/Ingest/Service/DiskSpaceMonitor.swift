import Domain
import Logging
import Messaging
import ServiceLifecycle
import Store

/// Service that checks the disk once a second, so that readiness is correct even without posts. Logs when the disk is
/// full and when it has space again.
struct DiskSpaceMonitor: Service {
  let database: any StoreHealth
  let logger: Logger

  /// Runs until graceful shutdown.
  func run() async {
    var diskFullLog = DiskFullLog()
    while !Task.isShuttingDownGracefully, !Task.isCancelled {
      let (isFull, refused) = await database.checkDisk()
      if let line = diskFullLog.line(isFull: isFull, refused: refused, nowMs: Reactor.nowMs) { log(line) }
      try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .milliseconds(Limits.diskCheckMs)) }
    }
  }

  private func log(_ line: DiskFullLog.Line) {
    let disk = database.space.status
    var metadata: Logger.Metadata = ["free_bytes": "\(disk.freeBytes)", "database_bytes": "\(disk.databaseBytes)"]
    switch line {
    case .full(let refused):
      metadata["refused_writes"] = "\(refused)"
      metadata["advice"] = "free some space; no restart needed"
      logger.error("disk full or nearly full: refusing writes with 507", metadata: metadata)
    case .recovered(let refused):
      metadata["refused_writes"] = "\(refused)"
      logger.notice("disk space recovered", metadata: metadata)
    }
  }
}
