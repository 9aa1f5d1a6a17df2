import CSQLite
import Domain
import Foundation
import GRDB
package import Logging
package import Store
import Synchronization

/// The database in a data folder, with all of its connections.
///
/// A single connection writes and checkpoints. Readers are read-only connections of the same process. A lock refuses a
/// second process. Quick reads, scans and operators' reads each have their own connections. Any thread.
package final class SQLiteDatabase: Sendable {
  let pool: DatabasePool
  let scans: ScanExecutor
  /// Connection for operators' reads, one at a time. An operator's read may count every row, and must neither wait for
  /// scans nor delay quick reads.
  let operatorReader: DatabaseQueue
  let committer: GroupCommitter<SQLiteEngine>
  /// Record of a full disk.
  let diskFullState = DiskFullState()
  package let changes = ChangeSource()
  private let lock: InstanceLock
  private let logger: Logger
  /// Epoch of the sequence numbers.
  let epoch: Epoch
  /// Path of the database's file.
  let path: String
  /// Number of this start of ingest, which is durable before the initializer returns.
  package let generation: UInt32

  /// Opens or creates `onthemap.sqlite` in a folder, migrates its tables, and counts the start. Blocks for the disk.
  ///
  /// - Throws: `StoreError.locked` and `.unusable`. Do not retry.
  package init(folder: String, logger: Logger, scanTimes: ScanTimes = ScanTimes()) throws {
    self.logger = logger
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw StoreError.unusable(path: folder, reason: error.localizedDescription)
    }
    SQLiteDatabase.disableMemoryStatistics
    SQLiteDatabase.keepTemporaryFiles(in: folder)
    let paths = DataFolder(folder)
    lock = try InstanceLock(path: paths.lock)
    try MovedMark.refuse(folder)
    path = paths.database
    let highWaterPath = paths.highWater
    let newEpochReason: String?
    do {
      let files = [path, path + "-wal", path + "-shm"]
      try FileAccess.restrict(files)
      let previous = try StartupCheck(path: path, highWaterPath: highWaterPath).run()
      if previous == nil { try NewDatabase.create(path) }
      pool = try SQLiteDatabase.migratedPool(path)
      // The high-water file is missing, so this may be another database, whose numbers were already used. Begin a new
      // epoch.
      let needsNewEpoch = previous != nil && !FileManager.default.fileExists(atPath: highWaterPath)
      newEpochReason = previous == nil ? "new_database" : needsNewEpoch ? "highwater_missing" : nil
      let started = try pool.write { db in
        if needsNewEpoch { try db.execute(sql: "UPDATE meta SET epoch = randomblob(16)") }
        if previous == nil { try SecureDeletion.markClean(db) }
        return try Row.fetchOne(db, sql: "UPDATE meta SET boot = boot + 1 RETURNING epoch, boot")
      }
      guard let started, let epoch = Epoch(started["epoch"] as Data),
        let generation = UInt32(exactly: started["boot"] as Int64), generation <= Limits.generationMax
      else { throw StoreError.unusable(path: path, reason: "its meta row is missing or damaged") }
      self.epoch = epoch
      self.generation = generation
      var mark = previous?.mark ?? HighWater.Mark()
      mark.generation = generation
      let highWater = try HighWater(path: highWaterPath, .init(epoch: epoch, mark: mark))
      var readerConfiguration = SQLiteDatabase.configuration
      readerConfiguration.readonly = true
      operatorReader = try DatabaseQueue(path: path, configuration: readerConfiguration)
      let deletions = try pool.read { db in
        try DeletionList.open(folder + DeletionList.name, db, logger: logger)
      }
      committer = GroupCommitter(
        try SQLiteEngine(path: path, pool: pool, highWater: highWater, deletions: deletions))
      scans = try ScanExecutor(path: path, configuration: readerConfiguration, times: scanTimes) {
        [committer] resumeAfterPause in
        committer.checkpoint(then: resumeAfterPause)
      }
    } catch let error as OpenFileGuard.FileReplaced {
      throw StoreError.unusable(path: error.path, reason: "it no longer exists")
    } catch let error as DatabaseError {
      throw StoreError.unusable(path: path, reason: error.description + SQLiteDatabase.advice(error))
    }
    let version = try pool.read { db in try String.fetchOne(db, sql: "SELECT sqlite_version()") }
    logger.info(
      "database opened",
      metadata: [
        "path": "\(path)", "sqlite_version": "\(version ?? "unknown")", "epoch": "\(epoch)",
        "generation": "\(generation)",
      ])
    if let newEpochReason {
      logger.notice("new epoch", metadata: ["epoch": "\(epoch)", "reason": "\(newEpochReason)"])
    }
  }

  /// Opens the database for reads and writes, and migrates its tables.
  private static func migratedPool(_ path: String) throws -> DatabasePool {
    let pool = try DatabasePool(path: path, configuration: configuration)
    // Set this after the pool, which sets NORMAL itself. With NORMAL, a power loss would lose acknowledged posts.
    try pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
    guard try !pool.read(Schema.migrator.hasBeenSuperseded) else {
      throw StoreError.unusable(
        path: path,
        reason: "it was created or upgraded by a newer version of onthemap. Run that version, or restore a backup")
    }
    try Schema.migrator.migrate(pool)
    return pool
  }

  /// Returns the remedy for an error. Empty if none is known.
  private static func advice(_ error: DatabaseError) -> String {
    switch error.resultCode {
    case .SQLITE_CORRUPT, .SQLITE_NOTADB: ". \(StartupCheck.repairAdvice)"
    default: ""
    }
  }

  /// Runs `body` within the next commit.
  ///
  /// - Parameter then: completion, called like a `CommitCompletion`.
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
        case .success(.other(let complete)): complete()
        case .success(.post): preconditionFailure("The engine completed a write with the result of another write.")
        case .failure(let error):
          diskFullState.recordFailure(error)
          then(.failure(error))
        }
      })
  }

  /// Runs `body` within the next commit. Durable on return.
  ///
  /// - Parameter change: Returns the change to report for the result of `body`, or nil.
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

  /// Commits one page with unchanged contents, to test if the disk has space. Returns true if the commit is durable.
  func trialCommit() async -> Bool {
    await withCheckedContinuation { continuation in
      let write = SQLiteEngine.Write.other { db in
        // Two updates are necessary, because SQLite writes no page for an update that changes nothing.
        try db.cachedStatement(sql: "UPDATE meta SET boot = boot + 1").execute()
        try db.cachedStatement(sql: "UPDATE meta SET boot = boot - 1").execute()
        return {}
      }
      committer.submit(
        write,
        completion: CommitCompletion { result in continuation.resume(returning: (try? result.get()) != nil) })
    }
  }

  /// Closes the database. Before that, a graceful shutdown removes traces of deleted rows (`SecureDeletion`), and
  /// checkpoints the WAL. After a failure of the disk, only the readers close.
  package func close() {
    closeReaders()
    guard committer.end() else {
      // Keep the pool open, because SQLite would write to the failed disk on closing. The next start must find the
      // files unchanged.
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

  /// Closes the readers before the writer, because the last connection to close checkpoints the WAL.
  private func closeReaders() {
    scans.close()
    try? operatorReader.close()
  }

  /// Disables SQLite's memory statistics, once per process and before the first connection. The statistics take a lock
  /// for each allocation and are not used. If SQLite is already initialized, nothing changes.
  private static let disableMemoryStatistics: Void = { _ = otm_sqlite_count_no_memory() }()

  /// True after SQLite has its folder for temporary files.
  private static let hasTemporaryFolder = Mutex(false)

  /// Keeps SQLite's temporary files in the data folder. Only the first call of a process has an effect.
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
    // An operator's tool, or a closing connection, may hold the file for a moment.
    configuration.busyMode = .timeout(Double(Limits.databaseBusyMs) / 1_000)
    configuration.prepareDatabase { db in
      // FAST overwrites deleted data with zeros if that writes no further page. ON, Debian's default, also reads and
      // writes each page that becomes free. Deletions of people's data enable ON, see `SecureDeletion`.
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
