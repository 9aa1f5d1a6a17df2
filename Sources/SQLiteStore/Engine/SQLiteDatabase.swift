import CSQLite
import Domain
import Foundation
import GRDB
package import Logging
package import Store
import Synchronization

/// The database: the only place where a path becomes a connection.
///
/// One connection writes and checkpoints; readers are read-only connections of the same process; a second process is
/// refused. Quick reads, scans and operators' reads each have connections of their own. Threads: any.
package final class SQLiteDatabase: Sendable {
  let pool: DatabasePool
  let scans: ScanExecutor
  /// Connection for operators' reads, one at a time: these may count every row, and must neither wait for scans nor
  /// delay quick reads.
  let operatorReader: DatabaseQueue
  let committer: GroupCommitter<SQLiteEngine>
  /// State of a full disk.
  let diskFullState = DiskFullState()
  package let changes = ChangeSource()
  private let lock: InstanceLock
  private let logger: Logger
  /// Which history the sequence numbers belong to.
  let epoch: Epoch
  /// Of the database's file.
  let path: String
  /// The number of this start, stored before it is returned.
  package let generation: UInt32

  /// Opens or makes `onthemap.sqlite` in a folder, brings its tables up to date, and counts the start. Waits for the
  /// disk.
  ///
  /// - Throws: `StoreError.locked` and `.unusable`, both final.
  package init(folder: String, logger: Logger, scanTimes: ScanTimes = ScanTimes()) throws {
    self.logger = logger
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw StoreError.unusable(path: folder, reason: error.localizedDescription)
    }
    SQLiteDatabase.countsNoMemory
    SQLiteDatabase.keepTemporaryFiles(in: folder)
    lock = try InstanceLock(path: folder + "/onthemap.lock")
    path = folder + "/onthemap.sqlite"
    let highWaterPath = folder + "/onthemap.highwater"
    do {
      let files = [path, path + "-wal", path + "-shm"]
      try FileAccess.restrict(files)
      let before = try StartupCheck(path: path, highWaterPath: highWaterPath).run()
      try FileAccess.create(path)
      pool = try DatabasePool(path: path, configuration: SQLiteDatabase.configuration)
      // After the pool: it sets NORMAL itself, which would lose acknowledged posts with the power.
      try pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
      guard try !pool.read(Schema.migrator.hasBeenSuperseded) else {
        throw StoreError.unusable(path: path, reason: "another version of onthemap has made it; run that one")
      }
      try Schema.migrator.migrate(pool)
      // Whoever took the file away has put another database here: its numbers may have been given before.
      let isAnotherHistory = before != nil && !FileManager.default.fileExists(atPath: highWaterPath)
      let started = try pool.write { db in
        if isAnotherHistory { try db.execute(sql: "UPDATE meta SET epoch = randomblob(16)") }
        if before == nil { try SecureDeletion.markClean(db) }
        return try Row.fetchOne(db, sql: "UPDATE meta SET boot = boot + 1 RETURNING epoch, boot")
      }
      guard let started, let epoch = Epoch(started["epoch"] as Data),
        let generation = UInt32(exactly: started["boot"] as Int64), generation <= Limits.generationMax
      else { throw StoreError.unusable(path: path, reason: "its meta row is missing or damaged") }
      self.epoch = epoch
      self.generation = generation
      var mark = before?.mark ?? HighWater.Mark()
      mark.generation = generation
      let highWater = try HighWater(path: highWaterPath, .init(epoch: epoch, mark: mark))
      var reading = SQLiteDatabase.configuration
      reading.readonly = true
      operatorReader = try DatabaseQueue(path: path, configuration: reading)
      committer = GroupCommitter(try SQLiteEngine(path: path, pool: pool, highWater: highWater))
      scans = try ScanExecutor(path: path, configuration: reading, times: scanTimes) { [committer] resumeAfterPause in
        committer.checkpoint(then: resumeAfterPause)
      }
    } catch let gone as OpenFileGuard.FileReplaced {
      throw StoreError.unusable(path: gone.path, reason: "it is not there any more")
    } catch let error as DatabaseError {
      throw StoreError.unusable(path: path, reason: error.description + SQLiteDatabase.advice(error))
    }
    let version = try pool.read { db in try String.fetchOne(db, sql: "SELECT sqlite_version()") }
    logger.info(
      "database open",
      metadata: [
        "path": "\(path)", "sqlite": "\(version ?? "unknown")", "epoch": "\(epoch)", "boot": "\(generation)",
      ])
  }

  /// What to do about an error; empty where it speaks for itself.
  private static func advice(_ error: DatabaseError) -> String {
    switch error.resultCode {
    case .SQLITE_CORRUPT, .SQLITE_NOTADB:
      ". Keep a copy of the folder, then put a backup back, or what sqlite3 can .recover"
    default: ""
    }
  }

  /// Runs `body` within the next commit.
  ///
  /// - Parameter then: as a `CommitCompletion`.
  func submit<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value,
    then: @escaping @Sendable (Result<Value, StoreError>) -> Void
  ) {
    let write = SQLiteEngine.Write.other { db in
      let value = try body(db)
      return { then(.success(value)) }
    }
    committer.submit(
      write,
      completion: CommitCompletion { [diskFullState] result in
        switch result {
        case .success(.other(let done)): done()
        case .success(.post): preconditionFailure("The engine answered a write with the result of another one.")
        case .failure(let error):
          diskFullState.recordFailure(error)
          then(.failure(error))
        }
      })
  }

  /// Runs `body` within the next commit. On disk on return.
  ///
  /// - Parameter change: the change that a value means; nil for none.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value,
    reporting change: @escaping @Sendable (Value) -> StoreChange? = { _ in nil }
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      submit(body) { [changes] result in
        if case .success(let value) = result, let change = change(value) { changes.report(change) }
        continuation.resume(with: result)
      }
    }
  }

  /// Commits one page with the contents that it had. Returns whether that succeeded, on disk.
  func trialCommit() async -> Bool {
    await withCheckedContinuation { continuation in
      let write = SQLiteEngine.Write.other { db in
        // Twice: SQLite writes no page for an update that changes nothing.
        try db.cachedStatement(sql: "UPDATE meta SET boot = boot + 1").execute()
        try db.cachedStatement(sql: "UPDATE meta SET boot = boot - 1").execute()
        return {}
      }
      committer.submit(
        write,
        completion: CommitCompletion { result in continuation.resume(returning: (try? result.get()) != nil) })
    }
  }

  /// Writes the log into the database, unless the disk has failed, and closes both.
  package func close() {
    closeReaders()
    guard committer.end() else {
      // What a failed disk still has is for the next start to look at: SQLite would write it as it closes the file.
      _ = Unmanaged.passRetained(pool)
      return
    }
    committer.finish()
    _ = try? pool.writeWithoutTransaction { [path, logger] db in
      SecureDeletion.compact(from: db, path: path, logger: logger)
      try db.checkpoint(.truncate)
    }
    try? pool.close()
    lock.unlock()
  }

  deinit { closeReaders() }

  /// Closes the readers before the writer: the last connection to close writes the log into the database.
  private func closeReaders() {
    scans.close()
    try? operatorReader.close()
  }

  /// Before the first connection, for all: with it SQLite takes a lock for each allocation, to count what nobody asks
  /// for. Where it has begun already it goes on as it was.
  private static let countsNoMemory: Void = { _ = otm_sqlite_count_no_memory() }()

  /// True once SQLite has its folder for temporary files.
  private static let hasTemporaryFolder = Mutex(false)

  /// Keeps SQLite's temporary files in the data folder. The first folder of the process counts.
  ///
  /// The default is /var/tmp or /tmp. VACUUM and large sorts would copy people's data to another file system there, and
  /// a container's /tmp is too small. `setenv` of SQLITE_TMPDIR would race with `getenv` in other threads.
  private static func keepTemporaryFiles(in folder: String) {
    hasTemporaryFolder.withLock { isSet in
      guard !isSet else { return }
      isSet = true
      otm_sqlite_keep_temporary_files(folder)
    }
  }

  private static var configuration: GRDB.Configuration {
    var configuration = GRDB.Configuration()
    configuration.label = "onthemap"
    configuration.maximumReaderCount = Limits.databaseReadersMax
    // An operator's tool, or a connection that is closing, may hold the file for a moment.
    configuration.busyMode = .timeout(Double(Limits.databaseBusyMs) / 1_000)
    configuration.prepareDatabase { db in
      // FAST overwrites deleted data with zeros where that writes no further page. ON, Debian's default, also reads and
      // writes each page that becomes free: deletions of people's data turn it on, see Traces.
      try db.execute(
        sql: """
          PRAGMA secure_delete = FAST; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;
          PRAGMA cell_size_check = ON; PRAGMA cache_size = -\(Limits.databaseCacheKiB);
          """)
      if !db.configuration.readonly {
        try db.execute(sql: "PRAGMA wal_autocheckpoint = \(Limits.databaseCheckpointPages)")
      }
    }
    return configuration
  }
}
