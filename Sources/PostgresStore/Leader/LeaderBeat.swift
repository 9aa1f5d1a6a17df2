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

  /// Raises the counter on the writer's server. Returns false if another process leads. A server that does not answer
  /// is not a reason to stop: the next commit shows who leads.
  ///
  /// A beat on a server that the writer has left would let the standby depose the leader. If the writer's server is
  /// away, the beat finds another one. The writer must then follow: its check shows whether that server confirms
  /// commits.
  private func beat() -> Bool {
    do {
      return try connection.withLock { connection in
        if connection?.isUsable != true || !connector.primary.isCurrent(connection?.host) {
          connection = try connector.connect()
        }
        let rows = try connection?.transaction(within: .milliseconds(Limits.leaderSilenceMs)) {
          try $0.query(LeaderRow.beat, .int8(term))
        }
        let isCurrent = connector.primary.isCurrent(connection?.host)
        let isBack = status.markAvailable(.beat)
        if isBack { logger.notice("database reachable again") }
        if isBack || !isCurrent { check() }
        // A former primary has the term of a takeover that it could not confirm.
        return rows?.changedCount == 1 || !isCurrent
      }
    } catch {
      if status.markUnavailable(.beat, unixMs: Int64(Date().timeIntervalSince1970 * 1_000)) {
        logger.warning("database unreachable: retrying", metadata: ["error": "\(error)"])
      }
      return true
    }
  }
}
