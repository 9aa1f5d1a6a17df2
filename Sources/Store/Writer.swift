import GRDB
import Synchronization

/// The one connection that writes, and the group commit on it: while a commit is on its way to the disk the next group
/// gathers, so that one fdatasync serves all who came in the meantime.
///
/// Writes run one after the other on the connection's own queue, in the order in which they were submitted.
final class Writer: Sendable {
  private struct Write: Sendable {
    let run: @Sendable (Database) throws -> Void
    let finish: @Sendable ((any Error)?) -> Void
  }

  private struct State: Sendable {
    var waiting: [Write] = []
    var isDraining = false
  }

  private let pool: DatabasePool
  private let state = Mutex(State())

  init(pool: DatabasePool) { self.pool = pool }

  /// Runs `body` within the next commit. `then` is called on the writer's queue when the commit is on disk or has
  /// failed; it must not wait.
  func submit<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value,
    then: @escaping @Sendable (Result<Value, StoreError>) -> Void
  ) {
    let value = Mutex<Value?>(nil)
    let shared = Shared(value)
    let write = Write(
      run: { db in
        let made = try body(db)
        shared.value.withLock { $0 = made }
      },
      finish: { error in
        if let error { return then(.failure(StoreError(error))) }
        guard let made = shared.value.withLock({ $0 }) else {
          return then(.failure(.unknownOutcome("the write was never run")))
        }
        then(.success(made))
      })
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
      let failure = commit(group, db)
      if failure == nil || Writer.isOfTheDisk(failure) {
        for write in group { write.finish(failure) }
      } else {
        // One bad write must not take its neighbours with it: each again, by itself.
        for write in group { write.finish(commit([write], db)) }
      }
    }
  }

  /// A disk that has failed says yes to the same write a moment later, and has lost it: never try again in place.
  private static func isOfTheDisk(_ error: (any Error)?) -> Bool {
    guard let code = (error as? DatabaseError)?.resultCode else { return false }
    return code == .SQLITE_IOERR || code == .SQLITE_CORRUPT
  }

  /// Nil when all of it is on disk.
  private func commit(_ group: [Write], _ db: Database) -> (any Error)? {
    do {
      try db.inTransaction(.immediate) {
        for write in group { try write.run(db) }
        return .commit
      }
      return nil
    } catch { return error }
  }
}

/// A mutex that closures can share.
private final class Shared<Value: Sendable>: Sendable {
  let value: Mutex<Value?>
  init(_ value: consuming sending Mutex<Value?>) { self.value = value }
}
