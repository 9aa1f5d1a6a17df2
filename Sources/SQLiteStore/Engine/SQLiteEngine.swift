import Domain
import Foundation
import GRDB
import Store
import Synchronization

/// The only connection that writes, with the caches of its transactions. `GroupCommitter` forms the groups of writes,
/// and calls the engine on its own queue.
final class SQLiteEngine: CommitEngine {
  enum Write: Sendable {
    case post(PostWrite)
    /// A transaction on accounts, which returns the function to call when the commit is durable.
    case other(@Sendable (Database) throws -> @Sendable () -> Void)
  }

  enum Output: Sendable {
    case post(PostWriteResult)
    case other(@Sendable () -> Void)
  }

  /// Path of the database's file.
  let path: String
  let numbers: SequenceAllocator
  let names = AccountNameCache()
  /// Accounts closed since the start. A request that was in progress at the closing creates no post.
  let closed = Mutex<Set<AccountID>>([])
  /// Durations of the latest commits.
  let times = CommitTimes()
  private let pool: DatabasePool
  private let highWater: HighWater
  let deletions: DeletionList
  private let files: OpenFileGuard
  private let meters = WriterMeters()

  init(path: String, pool: DatabasePool, highWater: HighWater, deletions: DeletionList) throws {
    self.path = path
    self.pool = pool
    self.highWater = highWater
    self.deletions = deletions
    numbers = try SequenceAllocator(pool, highWater: highWater)
    files = try OpenFileGuard([path, path + "-wal"])
  }

  func commit(_ writes: [Write]) throws -> [Output] {
    do { return try pool.writeWithoutTransaction { db in try commit(writes, db) } } catch {
      // The writes of a refused group are committed again, each alone.
      if writes.count == 1 || SQLiteEngine.isDiskError(error) { meters.count(error) }
      throw error
    }
  }

  /// Commits a group of writes. Durable on return.
  private func commit(_ writes: [Write], _ db: Database) throws -> [Output] {
    var outputs: [Output] = []
    outputs.reserveCapacity(writes.count)
    let rows = db.totalChangesCount
    let start = ContinuousClock.now
    do {
      // SQLite prepares a cached statement once. It would parse the statements of GRDB's own transactions each time.
      try db.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
      for write in writes { outputs.append(try run(write, db)) }
      try deletions.flush()
      try db.cachedStatement(sql: "COMMIT").execute()
      try files.check()
    } catch {
      // After some errors SQLite has rolled back by itself.
      if db.isInsideTransaction { try? db.rollback() }
      highWater.discard()
      deletions.discard(isUnknown: SQLiteEngine.isDiskError(error))
      names.forget()
      throw error
    }
    highWater.persist()
    deletions.confirm()
    let duration = ContinuousClock.now - start
    times.add(duration)
    meters.commit(duration, rows: db.totalChangesCount - rows)
    return outputs
  }

  private func run(_ write: Write, _ db: Database) throws -> Output {
    switch write {
    case .post(let write): .post(try execute(write, db))
    case .other(let body): .other(try body(db))
    }
  }

  private func execute(_ write: PostWrite, _ db: Database) throws -> PostWriteResult {
    switch write {
    case .accept(let posts, let account, let capacity, let unixMs):
      .accept(try accept(posts, account, capacity: capacity, unixMs, db))
    case .settle(let records, let unixMs): .settle(try settle(records, unixMs, db))
    case .delete(let post, let account, let unixMs): .delete(try delete(post, account, unixMs, db))
    case .edit(let post, let account, let submission, let published, let unixMs):
      .edit(try edit(post, account, submission, published, unixMs, db))
    case .changeProfile(let account, let change, let unixMs):
      .changeProfile(try changeProfile(account, change, unixMs, db))
    case .erasePosts(let account, let after, let unixMs): .erasePosts(try erasePosts(account, after, unixMs, db))
    case .retryDead(let selection, let limit, let unixMs):
      .retryDead(try retryDead(selection, limit: limit, unixMs, db))
    case .discard(let posts, let unixMs): .discard(try discard(posts, unixMs, db))
    case .pause(let sinceMs): .pause(sinceMs: try setPaused(sinceMs: sinceMs, db))
    }
  }

  func failure(of error: any Error) -> CommitFailure {
    guard SQLiteEngine.isDiskError(error) else { return .refused(StoreError(error)) }
    return .stopped(StoreError(error), reason: (error as? DatabaseError)?.description ?? "\(error)")
  }

  /// Returns true for an error of the disk. After a failed sync the kernel may report success for pages that it has
  /// dropped. Never retry in place, and write nothing else until a restart has read the files again.
  private static func isDiskError(_ error: any Error) -> Bool {
    if error is OpenFileGuard.FileReplaced { return true }
    guard let error = error as? DatabaseError, !error.isFull else { return false }
    return [.SQLITE_IOERR, .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_READONLY].contains(error.resultCode)
  }

  /// Checkpoints the part of the WAL that no reader needs. The next commit then restarts the WAL, and reports a failure
  /// of the disk.
  func checkpoint() { _ = try? pool.writeWithoutTransaction { db in try db.checkpoint(.passive) } }
}

extension GroupCommitter where Engine == SQLiteEngine {
  /// Checkpoints the WAL between two groups, after all earlier writes, unless the committer refuses writes.
  ///
  /// - Parameter then: Called once on the committer's queue, in every case. The function must not block.
  func checkpoint(then: @escaping @Sendable () -> Void) {
    betweenGroups { [self] in
      if stopReason == nil { engine.checkpoint() }
      then()
    }
  }
}
