import CSQLite
package import Domain
import Foundation
import GRDB
package import Logging
import Synchronization

/// The database: the only place where a path becomes a connection.
///
/// One connection writes and checkpoints; readers are read-only connections of the same process; a second process is
/// refused. Quick reads, scans and operators' reads each have connections of their own. Threads: any.
package final class IngestDatabase: Sendable {
  let pool: DatabasePool
  let scans: Scans
  /// Connection for operators' reads, one at a time: these may count every row, and must neither wait for scans nor
  /// delay quick reads.
  let operatorReader: DatabaseQueue
  let writer: Writer
  let numbers: Numbers
  let names: Names
  /// Accounts that are deleted since the start: a request that was under way then makes no post.
  let closed = Mutex<Set<AccountID>>([])
  private let lock: InstanceLock
  private let logger: Logger
  /// Which history the sequence numbers belong to.
  package let epoch: Epoch
  /// Of the database's file.
  let path: String
  /// The number of this start, stored before it is returned.
  package let boot: UInt32

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
    IngestDatabase.countsNoMemory
    IngestDatabase.keepTemporaryFiles(in: folder)
    lock = try InstanceLock(path: folder + "/onthemap.lock")
    path = folder + "/onthemap.sqlite"
    let highWaterPath = folder + "/onthemap.highwater"
    do {
      let files = [path, path + "-wal", path + "-shm"]
      try FileAccess.restrict(files)
      let before = try Inspection(path: path, highWaterPath: highWaterPath).run()
      try FileAccess.create(path)
      pool = try DatabasePool(path: path, configuration: IngestDatabase.configuration)
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
        if before == nil { try Traces.none(db) }
        return try Row.fetchOne(db, sql: "UPDATE meta SET boot = boot + 1 RETURNING epoch, boot")
      }
      guard let started, let epoch = Epoch(started["epoch"] as Data),
        let boot = UInt32(exactly: started["boot"] as Int64), boot <= Limits.bootMax
      else { throw StoreError.unusable(path: path, reason: "its meta row is missing or damaged") }
      self.epoch = epoch
      self.boot = boot
      var mark = before?.mark ?? HighWater.Mark()
      mark.boot = boot
      let highWater = try HighWater(path: highWaterPath, .init(epoch: epoch, mark: mark))
      numbers = try Numbers(pool, highWater: highWater)
      names = Names()
      var reading = IngestDatabase.configuration
      reading.readonly = true
      operatorReader = try DatabaseQueue(path: path, configuration: reading)
      writer = Writer(pool: pool, highWater: highWater, names: names, files: try Files([path, path + "-wal"]))
      scans = try Scans(path: path, configuration: reading, times: scanTimes) { [writer] goOn in
        writer.checkpoint(then: goOn)
      }
    } catch let gone as Files.Gone {
      throw StoreError.unusable(path: gone.path, reason: "it is not there any more")
    } catch let error as DatabaseError {
      throw StoreError.unusable(path: path, reason: error.description + IngestDatabase.advice(error))
    }
    let version = try pool.read { db in try String.fetchOne(db, sql: "SELECT sqlite_version()") }
    logger.info(
      "database open",
      metadata: [
        "path": "\(path)", "sqlite": "\(version ?? "unknown")", "epoch": "\(epoch)", "boot": "\(boot)",
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

  /// Waits until the disk has failed under a write: nothing is stored from then on until the next start.
  ///
  /// - Returns: why; nil when the task is cancelled.
  package func failure() async -> StoreError? { await writer.failures.first { _ in true } }

  /// Writes the log into the database, unless the disk has failed, and closes both: what is asked of them afterwards
  /// fails. Waits for the disk. To be called once nothing need be written any more.
  package func close() {
    closeReaders()
    guard writer.end() else {
      // What a failed disk still has is for the next start to look at: SQLite would write it as it closes the file.
      _ = Unmanaged.passRetained(pool)
      return
    }
    _ = try? pool.writeWithoutTransaction { [path, logger] db in
      Traces.remove(from: db, path: path, logger: logger)
      try db.checkpoint(.truncate)
    }
    writer.finish()
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
