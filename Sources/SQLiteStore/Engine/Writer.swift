import Dispatch
import Foundation
import GRDB
import Metrics
import Synchronization
import Telemetry

/// The one connection that writes, and the group commit on it: while a commit is on its way to the disk the next group
/// gathers, so that one fdatasync serves all who came in the meantime.
///
/// Writes run one after the other on the connection's own queue, in the order in which they were submitted. What became
/// of them is told on another, the commits' queue, in the same order, while the next group is written.
final class Writer: Sendable {
  private struct Write: Sendable {
    /// Returns what to call when the commit is on disk.
    let run: @Sendable (Database) throws -> @Sendable () -> Void
    let fail: @Sendable (StoreError) -> Void
    /// True if no caller waits for it: see `tries`.
    var isTrial = false
  }

  private struct State: Sendable {
    var waiting: [Write] = []
    /// Callbacks of the checkpoints that wait.
    var checkpoints: [@Sendable () -> Void] = []
    var isDraining = false
    /// Why nothing is written any more.
    var failure: StoreError?
  }

  private let pool: DatabasePool
  private let highWater: HighWater
  private let names: Names
  private let files: Files
  private let state = Mutex(State())
  /// Has one element when the disk has failed.
  let failures: AsyncStream<StoreError>
  private let failed: AsyncStream<StoreError>.Continuation
  /// How long commits take.
  let times = CommitTimes()
  /// State of a full disk.
  let room = DiskRoom()
  private let meters = WriterMeters()
  /// Where writes' ends are told.
  private let commits = DispatchQueue(label: "onthemap.commits")

  init(pool: DatabasePool, highWater: HighWater, names: Names, files: Files) {
    self.pool = pool
    self.highWater = highWater
    self.names = names
    self.files = files
    (failures, failed) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
  }

  /// Runs `body` within the next commit. `then` is called on the commits' queue when the commit is on disk or has
  /// failed; it must not wait.
  func submit<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value,
    then: @escaping @Sendable (Result<Value, StoreError>) -> Void
  ) {
    submit(
      Write(
        run: { db in
          let value = try body(db)
          return { then(.success(value)) }
        }, fail: { error in then(.failure(error)) }))
  }

  private func submit(_ write: Write) { add { state in state.waiting.append(write) } }

  /// Changes the state by work for `drain`, and starts `drain` if it does not run.
  private func add(_ work: (inout State) -> Void) {
    let start = state.withLock { state in
      work(&state)
      defer { state.isDraining = true }
      return !state.isDraining
    }
    if start { pool.asyncWriteWithoutTransaction { [self] db in drain(db) } }
  }

  /// `submit`, for callers that wait.
  func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      submit(body) { result in continuation.resume(with: result) }
    }
  }

  /// Commits one page with the contents that it had. Returns whether that succeeded, on disk.
  func tries() async -> Bool {
    await withCheckedContinuation { continuation in
      submit(
        Write(
          run: { db in
            // Twice: SQLite writes no page for an update that changes nothing.
            try db.cachedStatement(sql: "UPDATE meta SET boot = boot + 1").execute()
            try db.cachedStatement(sql: "UPDATE meta SET boot = boot - 1").execute()
            return { continuation.resume(returning: true) }
          }, fail: { _ in continuation.resume(returning: false) }, isTrial: true))
    }
  }

  /// The reason why nothing is written any more; nil while the disk works and ingest runs.
  var stopReason: StoreError? { state.withLock { $0.failure } }

  /// Writes the log into the database, as far as no reader needs it, unless nothing is written any more. Then the next
  /// commit begins the log anew. A failure is left to the next commit to find.
  ///
  /// Checkpoints run between two groups, behind the writes submitted before them. A steady flood of writes does not
  /// delay them.
  ///
  /// - Parameter then: called once on the writer's queue, also if nothing is written any more; it must not wait.
  func checkpoint(then: @escaping @Sendable () -> Void) { add { state in state.checkpoints.append(then) } }

  /// Takes no more: whoever writes from now on is told so. False where the disk has failed before.
  func end() -> Bool {
    state.withLock { state in
      guard state.failure == nil else { return false }
      state.failure = .stopped("ingest is ending")
      return true
    }
  }

  /// Waits until the end of each write that has been written is told.
  func finish() { commits.sync {} }

  private func tell(_ ends: [@Sendable () -> Void]) { commits.async { for end in ends { end() } } }

  private func fail(_ writes: [Write], _ error: StoreError) { tell(writes.map { write in { write.fail(error) } }) }

  private func drain(_ db: Database) {
    while true {
      let (group, checkpoints) = state.withLock { state in
        defer {
          state.waiting.removeAll(keepingCapacity: true)
          state.checkpoints.removeAll()
        }
        state.isDraining = !state.waiting.isEmpty || !state.checkpoints.isEmpty
        return (state.waiting, state.checkpoints)
      }
      if group.isEmpty && checkpoints.isEmpty { return }
      if !group.isEmpty { together(group, db) }
      // Under a steady flood of writes this loop does not end, so a checkpoint queued behind it would never run.
      if !checkpoints.isEmpty, stopReason == nil { _ = try? db.checkpoint(.passive) }
      for then in checkpoints { then() }
    }
  }

  private func together(_ group: [Write], _ db: Database) {
    if let stopReason { return fail(group, stopReason) }
    do { tell(try commit(group, db)) } catch let error where Writer.isOfTheDisk(error) {
      meters.count(error)
      stop(error)
      fail(group, StoreError(error))
    } catch {
      // One bad write must not take its neighbours with it: each again, by itself.
      for write in group { alone(write, db) }
    }
  }

  private func alone(_ write: Write, _ db: Database) {
    if let stopReason { return fail([write], stopReason) }
    do { tell(try commit([write], db)) } catch {
      meters.count(error)
      if Writer.isOfTheDisk(error) { stop(error) }
      let error = StoreError(error)
      if error.isFull {
        room.fill(refused: write.isTrial ? 0 : 1, unixMs: Int64(Date().timeIntervalSince1970 * 1_000))
      }
      fail([write], error)
    }
  }

  /// A disk that has failed says yes to the same write a moment later, and has lost it: never try again in place, and
  /// write nothing else either, before everything has been read anew.
  private static func isOfTheDisk(_ error: any Error) -> Bool {
    if error is Files.Gone { return true }
    guard let error = error as? DatabaseError, !error.isFull else { return false }
    return [.SQLITE_IOERR, .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_READONLY].contains(error.resultCode)
  }

  private func stop(_ error: any Error) {
    let reason = (error as? DatabaseError)?.description ?? "\(error)"
    state.withLock { $0.failure = .stopped(reason) }
    failed.yield(.stopped(reason))
    failed.finish()
  }

  /// On disk on return: what to call now.
  private func commit(_ group: [Write], _ db: Database) throws -> [@Sendable () -> Void] {
    var done: [@Sendable () -> Void] = []
    done.reserveCapacity(group.count)
    let rows = db.totalChangesCount
    let start = ContinuousClock.now
    do {
      // Prepared once: GRDB's own transactions are parsed anew each time.
      try db.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
      for write in group { done.append(try write.run(db)) }
      try db.cachedStatement(sql: "COMMIT").execute()
      try files.check()
    } catch {
      // SQLite has rolled back by itself after some errors.
      if db.isInsideTransaction { try? db.rollback() }
      highWater.forget()
      names.forget()
      throw error
    }
    highWater.keep()
    let duration = ContinuousClock.now - start
    times.add(duration)
    meters.commit(duration, rows: db.totalChangesCount - rows)
    return done
  }
}
