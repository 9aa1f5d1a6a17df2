import GRDB
import Metrics
import Synchronization
import Telemetry

/// The one connection that writes, and the group commit on it: while a commit is on its way to the disk the next group
/// gathers, so that one fdatasync serves all who came in the meantime.
///
/// Writes run one after the other on the connection's own queue, in the order in which they were submitted.
final class Writer: Sendable {
  private struct Write: Sendable {
    /// Returns what to call when the commit is on disk.
    let run: @Sendable (Database) throws -> () -> Void
    let fail: @Sendable (StoreError) -> Void
  }

  private struct State: Sendable {
    var waiting: [Write] = []
    var isDraining = false
  }

  private let pool: DatabasePool
  private let state = Mutex(State())
  /// How long commits take.
  let times = CommitTimes()
  private let meters = WriterMeters()

  init(pool: DatabasePool) { self.pool = pool }

  /// Runs `body` within the next commit. `then` is called on the writer's queue when the commit is on disk or has
  /// failed; it must not wait.
  func submit<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value,
    then: @escaping @Sendable (Result<Value, StoreError>) -> Void
  ) {
    let write = Write(
      run: { db in
        let value = try body(db)
        return { then(.success(value)) }
      }, fail: { error in then(.failure(error)) })
    let start = state.withLock { state in
      state.waiting.append(write)
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

  private func drain(_ db: Database) {
    while true {
      let group = state.withLock { state in
        defer { state.waiting.removeAll(keepingCapacity: true) }
        state.isDraining = !state.waiting.isEmpty
        return state.waiting
      }
      if group.isEmpty { return }
      do { for done in try commit(group, db) { done() } } catch let error where Writer.isOfTheDisk(error) {
        meters.count(error)
        for write in group { write.fail(StoreError(error)) }
      } catch {
        // One bad write must not take its neighbours with it: each again, by itself.
        for write in group {
          do { for done in try commit([write], db) { done() } } catch {
            meters.count(error)
            write.fail(StoreError(error))
          }
        }
      }
    }
  }

  /// A disk that has failed says yes to the same write a moment later, and has lost it: never try again in place.
  private static func isOfTheDisk(_ error: any Error) -> Bool {
    guard let code = (error as? DatabaseError)?.resultCode else { return false }
    return code == .SQLITE_IOERR || code == .SQLITE_CORRUPT
  }

  /// On disk on return: what to call now.
  private func commit(_ group: [Write], _ db: Database) throws -> [() -> Void] {
    var done: [() -> Void] = []
    done.reserveCapacity(group.count)
    let rows = db.totalChangesCount
    let start = ContinuousClock.now
    try db.inTransaction(.immediate) {
      for write in group { done.append(try write.run(db)) }
      return .commit
    }
    let duration = ContinuousClock.now - start
    times.add(duration)
    meters.commit(duration, rows: db.totalChangesCount - rows)
    return done
  }
}
