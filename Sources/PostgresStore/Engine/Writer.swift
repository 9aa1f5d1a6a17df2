import Domain
import Foundation
import Logging
import Store

/// The state of the writing session: its connection, and what it knows about the database. One thread at a time.
final class Writer {
  let term: Int64
  let status: WriterStatus
  var numbers: Numbers
  var accounts = AccountCache()
  var keyExpiry = KeyExpiry()
  private let connector: PostgresConnector
  private let logger: Logger
  private let meters = WriterMeters()
  private var connection: PostgresConnection?
  /// Lowest post that the transaction in progress queues again.
  var requeued: Int64?
  /// Numbers that the transaction in progress stores.
  var stored = HistoryCheck.Mark()
  /// Numbers of durable commits, which the database must have after each reconnection.
  private var durable = HistoryCheck.Mark()
  private var markersSincePruning: Int64 = 0

  /// - Parameter connection: Connection on which the term began.
  init(
    _ connector: PostgresConnector, _ connection: PostgresConnection, _ term: LeaderTerm, status: WriterStatus,
    logger: Logger
  ) {
    (self.connector, self.connection, self.term) = (connector, connection, term.number)
    connector.primary.lead(on: connection.host)
    (self.numbers, self.status, self.logger) = (term.numbers, status, logger)
  }

  /// Commits a group of writes. Durable on return.
  ///
  /// Repeats the group until its outcome is known: after the loss of the connection, a timeout, or a conflict.
  func commit(_ writes: [PostgresEngine.Write]) throws -> [PostgresEngine.Output] {
    let start = ContinuousClock.now
    let number = numbers.nextCommit()
    let before = (numbers: numbers, keyExpiry: keyExpiry)
    var attempt = CommitAttempt(writes, number: number)
    var failures = 0
    while true {
      do {
        let connection = try usableConnection()
        stored = HistoryCheck.Mark()
        let outputs = try attempt.run(self, connection)
        let duration = ContinuousClock.now - start
        durable.raise(to: stored)
        // A read of the queue that began before the commit must not raise the bound above these posts.
        if let requeued { status.queuedFrom.lower(to: requeued) }
        requeued = nil
        status.markAvailable(.writer)
        status.times.add(duration)
        meters.commit(duration)
        if failures > 0 {
          logger.notice("group committed after \(failures) repetitions", metadata: ["writes": "\(writes.count)"])
        }
        return outputs
      } catch let error as PostgresError where [.repeatable, .timedOut].contains(error.meaning) {
        attempt.recordFailure(error, wasCommitSent: connection?.isSyncSent == true)
        accounts.forget()
        keyExpiry = before.keyExpiry
        failures += 1
        try prepareRepetition(after: error, failures: failures)
      } catch {
        accounts.forget()
        if writes.count == 1 { meters.count(error) }
        guard !attempt.isUnknown || (error as? PostgresError)?.meaning == .deposed else {
          // The writes must not be tried alone with other numbers. A restart reads what is stored.
          throw WriterStop(reason: "the outcome of the last commit is unknown: \(error)")
        }
        // Nothing was stored, so the numbers are free again.
        (numbers, keyExpiry) = before
        throw error
      }
    }
  }

  /// Returns the connection, or opens another one and checks the history of its database.
  ///
  /// A server that did not answer in time may be a former primary, whose commits no standby server confirms. It comes
  /// last in the next attempt. Its own commit stays unconfirmed, and the repetition elsewhere has the same numbers.
  private func usableConnection() throws -> PostgresConnection {
    if let connection, connection.isUsable { return connection }
    if let connection, connection.isSilent { connector.primary.moveLast(connection.host) }
    connection = nil
    let new = try connector.connect()
    // Until the check succeeds. A former primary fails it, because the check waits for a standby server.
    connector.primary.moveLast(new.host)
    try HistoryCheck(term: term, mark: durable).run(on: new, logger: logger)
    connection = new
    connector.primary.lead(on: new.host)
    logger.notice("database reconnected", metadata: ["server": "\(new.server)"])
    return new
  }

  /// Waits before a repetition. Throws when the store is closing.
  private func prepareRepetition(after error: PostgresError, failures: Int) throws {
    meters.countRepetition()
    if connection?.isUsable != true {
      status.markUnavailable(.writer, unixMs: Int64(Date().timeIntervalSince1970 * 1_000))
    }
    if failures == 1 || failures.isMultiple(of: 20) {
      logger.warning(
        "commit not confirmed: repeating it", metadata: ["error": "\(error)", "repetitions": "\(failures)"])
    }
    guard !status.isClosing else { throw WriterStop(reason: "the outcome of the last commit is unknown: \(error)") }
    // A conflict with another session ends soon. A server that is away needs more time.
    let first = connection?.isUsable == true ? 1 : Limits.postgresRetryMs.lowerBound
    let cap = min(first << min(failures, 10), Limits.postgresRetryMs.upperBound)
    usleep(UInt32(Int64.random(in: first...cap)) * 1_000)
  }

  /// Records a marker, and removes old markers now and then. Call this within a transaction.
  func addMarker(_ number: Int64, _ connection: PostgresConnection) throws {
    _ = try connection.query(CommitMarker.insert, .int8(number))
    stored.marker = number
    markersSincePruning += 1
    guard markersSincePruning >= Limits.postgresMarkersKept else { return }
    markersSincePruning = 0
    // The history check needs the latest durable marker, also if this commit's answer is lost.
    let oldest = min(number - Limits.postgresMarkersKept, durable.marker)
    _ = try connection.query(CommitMarker.prune, .int8(oldest))
  }

  /// Ends the term. A standby then takes over immediately.
  func release() {
    guard let connection, connection.isUsable else { return }
    _ = try? connection.transaction(within: .milliseconds(Limits.postgresConnectMs)) {
      try $0.query(LeaderRow.release, .int8(term))
    }
  }
}

/// Markers of commits whose outcome the other tables do not show.
enum CommitMarker {
  static let insert = Statement("add_marker", "INSERT INTO commit_marker (number) VALUES ($1::int8)")
  static let find = Statement("marker", "SELECT count(*) FROM commit_marker WHERE number = $1::int8")
  static let prune = Statement("prune_markers", "DELETE FROM commit_marker WHERE number < $1::int8")
}
