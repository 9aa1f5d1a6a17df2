import Domain
import Foundation
import Logging
import Store
import Synchronization

/// Log of the times in which reads fail because the database cannot be reached, or is too slow. Any thread.
///
/// The log has one line at the start, and one at the end with the number of failed reads. A line for each request would
/// fill it.
final class ReadOutage: Sendable {
  private struct Current: Sendable {
    let start: ContinuousClock.Instant
    let sinceMs: Int64
    var latest: ContinuousClock.Instant
    var failed = 1
  }

  private let current = Mutex<Current?>(nil)
  private let logger: Logger

  init(_ logger: Logger) { self.logger = logger }

  /// Records the failure of a read. Logs each error that has another cause, because its caller does not log it.
  func recordFailure(_ error: any Error, at now: ContinuousClock.Instant) {
    guard case .unavailable(let reason) = StoreError(read: error) else { return }
    guard error is StoreError || (error as? PostgresError)?.meaning == .repeatable else {
      logger.error("read failed", metadata: ["error": "\(error)"])
      return
    }
    let isNew = current.withLock { current in
      guard current == nil else {
        current?.failed += 1
        current?.latest = now
        return false
      }
      current = Current(start: now, sinceMs: Int64(Date().timeIntervalSince1970 * 1_000), latest: now)
      return true
    }
    if isNew { logger.warning("reads failing: refusing requests that need them", metadata: ["error": "\(reason)"]) }
  }

  /// Records a read that has succeeded. The outage ends if the latest failure is longer ago than the longest pause
  /// between two attempts to connect. Otherwise, an overload in which some reads fail would log each change.
  func recordSuccess(at now: ContinuousClock.Instant) {
    let ended = current.withLock { current -> Current? in
      guard let outage = current, now - outage.latest > .milliseconds(Limits.postgresRetryMs.upperBound) else {
        return nil
      }
      current = nil
      return outage
    }
    guard let ended else { return }
    logger.notice(
      "reads recovered",
      metadata: [
        "since": "\(timestamp(unixMs: ended.sinceMs))", "seconds": "\((now - ended.start).components.seconds)",
        "failed_reads": "\(ended.failed)",
      ])
  }
}
