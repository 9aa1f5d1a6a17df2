package import Domain
import Store

extension SQLiteDatabase: BackupStore {
  package func backUp(_ request: BackupRequest, unixMs: Int64) throws(BackupError) -> BackupSummary {
    let writer = BackupWriter(database: path) { [committer] in committer.stopReason != nil }
    return try writer.write(request, unixMs: unixMs)
  }

  package var lastBackupMs: Int64? {
    let folder = String(path.dropLast("/onthemap.sqlite".count))
    return (try? BackupManifest(reading: BackupWriter.record(in: folder)))?.createdMs
  }
}

/// Backup of a data folder whose ingest does not run.
package struct OfflineBackup {
  private let folder: String
  /// Keeps ingest from starting during the backup.
  private let lock: InstanceLock

  /// Locks a data folder.
  ///
  /// - Throws: `BackupError` if ingest runs, or if the folder has no usable database.
  package init(folder: String) throws(BackupError) {
    self.folder = folder
    let database = folder + "/onthemap.sqlite"
    guard PlainFile.status(database) != nil else {
      throw BackupError("\(folder) has no database. Pass ingest's data folder with --data.")
    }
    do {
      lock = try InstanceLock(path: folder + "/onthemap.lock")
      try MovedMark.refuse(folder)
      // A backup of a database that lacks data would replace a better one.
      _ = try StartupCheck(path: database, highWaterPath: folder + "/onthemap.highwater").run()
    } catch StoreError.locked {
      throw BackupError(
        "ingest is running on \(folder), but does not listen at its usual admin address. Pass its address with --admin."
      )
    } catch {
      throw BackupError("\(error)")
    }
  }

  /// Writes a backup, as `BackupStore.backUp` does.
  package func write(_ request: BackupRequest, unixMs: Int64) throws(BackupError) -> BackupSummary {
    let writer = BackupWriter(database: folder + "/onthemap.sqlite") { false }
    return try writer.write(request, unixMs: unixMs)
  }
}
