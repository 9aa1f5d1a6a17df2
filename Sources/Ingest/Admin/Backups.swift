import Domain
import Logging
import Messaging
import Metrics
import Store
import Synchronization
import Telemetry

/// Runner of backups, one at a time, on a thread of its own. Any thread.
final class Backups: Sendable {
  private let store: (any BackupStore)?
  private let logger: Logger
  private let latest = Mutex<BackupState?>(nil)
  private let lastSuccess = Metric.backupLastSuccess.meter()
  private let lastDuration = Metric.backupDuration.meter()
  private let failures = Metric.backupFailures.counter()

  /// - Parameter store: The store to back up. Nil if the store makes no backups. Every `start` then throws, and the
  ///   metrics stay 0, which no alert matches.
  init(store: (any BackupStore)?, logger: Logger) {
    self.store = store
    self.logger = logger
    lastSuccess.set(Double(store?.lastBackupMs ?? 0) / 1_000)
    lastDuration.set(0)
  }

  /// State of the latest backup. Nil if there was none since the start.
  var state: BackupState? { latest.withLock { $0 } }

  /// Starts a backup, and returns immediately.
  ///
  /// - Throws: `AdminRefusal`. Retry later if a backup is running, or if the host has too many threads. Do not retry if
  ///   the store makes no backups.
  func start(_ request: BackupRequest, by operator: Operator) throws(AdminRefusal) -> BackupState {
    guard let store else { throw .noBackups }
    let unixMs = WallClock.unixMs
    let started = latest.withLock { latest -> BackupState? in
      guard latest?.outcome != .running else { return nil }
      let state = BackupState(number: (latest?.number ?? 0) + 1, startedMs: unixMs, outcome: .running)
      latest = state
      return state
    }
    guard let started else {
      throw AdminRefusal(.busy, "a backup is running; try again when it has ended")
    }
    // The folder may be on a file system that does not respond, so even its checks run on the thread.
    guard detachThread({ [self] in run(request, of: store, by: `operator`, unixMs: unixMs) }) else {
      end(.failed("the host has too many threads"))
      throw AdminRefusal(.busy, "the host has too many threads; try again later")
    }
    return started
  }

  private func run(_ request: BackupRequest, of store: any BackupStore, by operator: Operator, unixMs: Int64) {
    logger.info("backup started", metadata: ["operator": "\(`operator`)", "folder": "\(request.folder)"])
    let startMs = Reactor.nowMs
    do throws(BackupError) {
      let backup = try store.backUp(request, unixMs: unixMs)
      let durationMs = Reactor.nowMs - startMs
      lastSuccess.set(Double(unixMs) / 1_000)
      lastDuration.set(Double(durationMs) / 1_000)
      logger.notice(
        "backup completed",
        metadata: [
          "path": "\(backup.path)", "bytes": "\(backup.bytes)", "duration_ms": "\(durationMs)",
          "removed": "\(backup.removed)",
        ])
      end(.succeeded(backup))
    } catch {
      failures.increment()
      logger.error("backup failed", metadata: ["folder": "\(request.folder)", "error": "\(error)"])
      end(.failed(error.description))
    }
  }

  private func end(_ outcome: BackupState.Outcome) { latest.withLock { $0?.outcome = outcome } }
}

extension AdminRefusal {
  /// The refusal of a backup by a store that makes none. PostgreSQL is the only such store.
  fileprivate static let noBackups = AdminRefusal(
    .invalid, "this ingest uses PostgreSQL: back up the database with its own tools (deploy/PostgreSQLBackup.md)")
}
