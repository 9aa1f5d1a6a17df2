import Dispatch
import Domain
import Foundation
import Logging
package import Store
import Synchronization

/// A database on a PostgreSQL server, as its leader.
///
/// A single session writes. Quick reads, scans and operators' reads each have their own sessions, all on the primary.
/// Any thread.
package final class PostgresDatabase: Sendable {
  let committer: GroupCommitter<PostgresEngine>
  let status: WriterStatus
  /// Sessions for reads of a few rows.
  let quickReads: ReadPool
  /// Session for operators' reads, which may count every row.
  let operatorReads: ReadPool
  private let scanReads: ReadPool
  private let scans: ScanSlots
  private let scanMeters = ScanMeters()
  package let changes = ChangeSource()
  /// Number of this start of ingest: the leader's term.
  package let generation: UInt32
  private let starts: PostgresConnector
  let beat: LeaderBeat
  /// Time of the latest maintenance.
  let maintained = Mutex(ContinuousClock.now)
  /// Size of the database, as last read.
  let size = Mutex(StoreSpace())

  /// Connects, creates or migrates the tables, checks the role's rights, and begins a new term. A former leader cannot
  /// commit any more. Blocks on the network.
  ///
  /// - Parameters:
  ///   - former: The term to end. Nil for the current one, also if a leader holds it.
  ///   - primary: The order of the servers. A server that does not confirm the takeover comes last in the next attempt.
  /// - Throws: `StoreError.unavailable`, which may be retried, also if another process was faster. `.unusable`, which
  ///   may not be retried.
  init(
    _ address: PostgresAddress, logger: Logger, after former: LeaderTerm.Former? = nil,
    primary: PrimaryServer = PrimaryServer()
  ) throws {
    func connector(_ role: SessionRole) -> PostgresConnector {
      PostgresConnector(address: address, role: role, primary: primary)
    }
    do {
      let writing = connector(.writer)
      let connection = try writing.connect()
      // Until the writer leads on this server.
      primary.moveLast(connection.host)
      try Schema.migrate(connection, newEpoch: .random())
      try RightsState.check(connection)
      let term = try LeaderTerm.begin(connection, after: former, logger: logger)
      guard let generation = UInt32(exactly: term.number), generation <= Limits.generationMax else {
        throw StoreError.unusable(path: "\(address)", reason: "its leader row has the term \(term.number)")
      }
      self.generation = generation
      let server = connection.server
      status = WriterStatus(queuedFrom: term.queuedFrom)
      committer = GroupCommitter(
        PostgresEngine(
          Writer(writing, connection, term, status: status, logger: logger)))
      logger.info(
        "database opened",
        metadata: [
          "server": "\(server)", "address": "\(address)", "epoch": "\(term.epoch)", "generation": "\(generation)",
        ])
    } catch {
      throw (error as? StoreError) ?? StoreError(read: error)
    }
    starts = connector(.start)
    let outage = ReadOutage(logger)
    func pool(_ role: SessionRole, count: Int, timeoutMs: Int64) -> ReadPool {
      ReadPool(connector(role), count: count, timeout: .milliseconds(timeoutMs), outage: outage)
    }
    quickReads = pool(.reader, count: Limits.databaseReadersMax, timeoutMs: 2 * Limits.postgresReadMs)
    operatorReads = pool(.scan, count: 1, timeoutMs: 2 * Limits.scanMs)
    scanReads = pool(.scan, count: Limits.concurrentScansMax, timeoutMs: 2 * Limits.scanMs)
    // While no server answers, a running scan keeps its slot. The waiting ones have the same time as all other reads.
    var scanTimes = ScanTimes()
    scanTimes.waitMs = Limits.postgresReadRetryMs
    scans = ScanSlots(times: scanTimes, now: { .now }, pause: nil)
    beat = LeaderBeat(connector(.beat), term: Int64(generation), status: status, logger: logger) { [committer] in
      // The fence refuses this write if another process leads, and the committer stops. After a reconnection, the
      // writer checks the history.
      committer.submit(.other { _, _ in {} }, completion: CommitCompletion { _ in })
    }
    beat.start()
    size.withLock { $0 = (try? readSpace()) ?? StoreSpace() }
  }

  /// Runs a read of many rows when it has a slot.
  func scan<Value: Sendable>(
    for client: ScanClient, _ body: @escaping @Sendable (PostgresConnection, ScanLimit) throws -> Value
  ) async throws -> Value {
    do {
      let value = try await scans.run(for: client) { limit in
        // The pool repeats a read after an outage, which must not count for the timeout.
        try await scanReads.run { connection in try body(connection, limit.restarted(at: .now)) }
      }
      scanMeters.countSuccess()
      return value
    } catch let error as StoreError {
      scanMeters.count(error)
      throw error
    }
  }

  /// Runs `body` within the next commit.
  ///
  /// - Parameter then: completion, called like a `CommitCompletion`.
  func submit<Value: Sendable>(
    _ body: @escaping @Sendable (PostgresConnection, Writer) throws -> Value,
    then: @escaping @Sendable (Result<Value, StoreError>) -> Void
  ) {
    let write = PostgresEngine.Write.other { connection, writer in
      let value = try body(connection, writer)
      return { then(.success(value)) }
    }
    committer.submit(
      write,
      completion: CommitCompletion { [status] result in
        switch result {
        case .success(.other(let complete)): complete()
        case .success(.post): preconditionFailure("The engine completed a write with the result of another write.")
        case .failure(let error):
          status.recordFailure(error)
          then(.failure(error))
        }
      })
  }

  /// Runs `body` within the next commit. Durable on return.
  ///
  /// - Parameter change: Returns the change to report for the result of `body`, or nil.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (PostgresConnection, Writer) throws -> Value,
    reporting change: @escaping @Sendable (Value) -> StoreChange? = { _ in nil }
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      submit(body) { [changes] result in
        if case .success(let value) = result, let change = change(value) { changes.report(change) }
        continuation.resume(with: result)
      }
    }
  }

  /// Closes the connections, and ends the term, so that a standby takes over immediately.
  package func close() {
    beat.stop()
    scans.close()
    status.close()
    if committer.end() {
      committer.finish()
      committer.engine.release()
    }
    for pool in [quickReads, operatorReads, scanReads] { pool.close() }
  }

  deinit {
    beat.stop()
    for pool in [quickReads, operatorReads, scanReads] { pool.close() }
  }
}

extension PostgresDatabase: PostStore {
  package func submit(_ write: PostWrite, completion: CommitCompletion<PostWriteResult>) {
    committer.submit(
      .post(write),
      completion: CommitCompletion { [changes, status] result in
        switch result {
        case .success(.post(let result)):
          for change in result.changes(of: write) { changes.report(change) }
          completion(.success(result))
        case .success(.other): preconditionFailure("The engine completed a write with the result of another write.")
        case .failure(let error):
          status.recordFailure(error)
          completion(.failure(error))
        }
      })
  }

  package func start() throws -> StoreSnapshot {
    do {
      return try starts.connect().snapshot(within: .milliseconds(Limits.postgresStartMs)) { connection in
        guard try connection.query(LeaderRow.state).first?.int(0) ?? 0 >= Int64(generation) else {
          throw StoreError.unavailable("\(connection.server) is a former primary")
        }
        return StoreSnapshot(
          generation: generation, jobs: try StoreSnapshot.QueuedJob.all(connection),
          list: try FeedState.stored(connection),
          pausedMs: try connection.query(StartStatements.paused).first?.integer(0),
          closedAccounts: try connection.query(StartStatements.closedAccounts).map { AccountID(rawValue: $0.int(0)) })
      }
    } catch {
      throw StoreError(read: error)
    }
  }
}

extension StoreSnapshot.QueuedJob {
  /// Returns all queued jobs, oldest first, each with the end of its backoff. Call this within a transaction.
  fileprivate static func all(_ connection: PostgresConnection) throws -> [StoreSnapshot.QueuedJob] {
    try connection.query(StartStatements.jobs).compactMap { row in
      guard let id = PostID(row.int(0)) else { return nil }
      var job = Job(
        id: JobID(id), account: AccountID(rawValue: row.int(1)), query: row.text(2),
        clientCoordinate: Coordinate(row.integer(3, as: Int32.self), row.integer(4, as: Int32.self)),
        attempts: Int(row.int(5)), leaseLosses: Int(row.int(6)))
      job.trace = row.optionalText(8).flatMap { TraceContext($0) }
      return StoreSnapshot.QueuedJob(job: job, dueMs: row.int(7))
    }
  }
}

private enum StartStatements {
  static let jobs = Statement(
    "jobs",
    """
    SELECT post.id, account, place, lat_e7, lon_e7, coalesce(attempts, 0), coalesce(lease_losses, 0),
      coalesce(due_ms, 0), traceparent
    FROM post LEFT JOIN attempt ON attempt.id = post.id
    WHERE post.id >= (SELECT queued_from FROM meta)
      AND NOT EXISTS (SELECT FROM outcome WHERE outcome.id = post.id) ORDER BY post.id
    """)
  static let paused = Statement("paused", "SELECT since_ms FROM pause WHERE one = 1")
  static let closedAccounts = Statement(
    "closed_accounts", "SELECT id FROM account WHERE closed_ms IS NOT NULL AND first_name <> '' ORDER BY id")
}
