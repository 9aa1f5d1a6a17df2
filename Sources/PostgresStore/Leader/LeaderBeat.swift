import Dispatch
import Domain
import Foundation
import Logging
import Synchronization

/// The leader's sign of life: a counter in the database that rises every `Limits.leaderBeatMs`. Any thread.
final class LeaderBeat: Sendable {
  private let connector: PostgresConnector
  private let term: Int64
  private let status: WriterStatus
  private let logger: Logger
  private let check: @Sendable () -> Void
  private let connection = Mutex<PostgresConnection?>(nil)
  private let isStopped = Atomic(false)
  private let queue = DispatchQueue(label: "onthemap.beat")

  /// - Parameter check: Called when another process leads, or the database was away: makes the writer check both.
  init(
    _ connector: PostgresConnector, term: Int64, status: WriterStatus, logger: Logger,
    check: @escaping @Sendable () -> Void
  ) {
    (self.connector, self.term, self.status) = (connector, term, status)
    (self.logger, self.check) = (logger, check)
  }

  func start() { schedule() }

  func stop() { isStopped.store(true, ordering: .relaxed) }

  private func schedule() {
    queue.asyncAfter(deadline: .now() + .milliseconds(Int(Limits.leaderBeatMs))) { [weak self] in
      guard let self, !isStopped.load(ordering: .relaxed) else { return }
      if beat() { schedule() } else { check() }
    }
  }

  /// Raises the counter. Returns false if another process leads. A server that does not answer is not a reason to stop:
  /// the next commit shows who leads.
  private func beat() -> Bool {
    do {
      return try connection.withLock { connection in
        if connection?.isUsable != true { connection = try connector.connect() }
        let rows = try connection?.transaction(within: .milliseconds(Limits.leaderSilenceMs)) {
          try $0.query(LeaderRow.beat, .int8(term))
        }
        if status.markAvailable(.beat) {
          logger.notice("database reachable again")
          check()
        }
        return rows?.changedCount == 1
      }
    } catch {
      if status.markUnavailable(.beat, unixMs: Int64(Date().timeIntervalSince1970 * 1_000)) {
        logger.warning("database unreachable: retrying", metadata: ["error": "\(error)"])
      }
      return true
    }
  }
}
