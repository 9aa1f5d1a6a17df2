import Domain
import GRDB
package import Store

/// A data folder that is copied to another store, while ingest is stopped. Only `markMoved` writes to the folder. One
/// thread at a time.
package final class CopiedFolder {
  /// Contents of the folder, for as long as this object exists.
  package let source: CopySource
  private let path: String
  /// Keeps ingest from starting during the copy.
  private let lock: InstanceLock

  /// Locks and checks a data folder as a start of ingest does. Blocks on the disk.
  ///
  /// - Throws: `StoreError.locked` while ingest runs. `StoreError.unusable` for a folder that ingest would refuse, or
  ///   would change at its start.
  package init(_ path: String) throws(StoreError) {
    self.path = path
    let folder = DataFolder(path)
    guard PlainFile.status(folder.database) != nil || PlainFile.status(folder.highWater) != nil else {
      throw .unusable(path: path, reason: "it has no database. Pass ingest's data folder with --data")
    }
    lock = try InstanceLock(path: folder.lock)
    try MovedMark.refuse(path)
    do {
      let found = try StartupCheck(path: folder.database, highWaterPath: folder.highWater).run()
      guard let found, PlainFile.status(folder.highWater) != nil else {
        throw CopiedFolder.needsStart(path, "its high-water file is missing, so the next start begins a new epoch")
      }
      let database = try DatabaseQueue(
        path: folder.database, configuration: DatabaseContents.configuration(readonly: true))
      let numbers = try database.read { db in try CopiedFolder.numbers(found, path, db) }
      source = CopySource(numbers: numbers) { table, key, limit in
        try database.read { db in try CopyQuery(table).rows(after: key, limit: limit, db) }
      }
    } catch let error as StoreError { throw error } catch {
      throw .unusable(path: folder.database, reason: "\(error)")
    }
  }

  /// Marks the folder, so that ingest refuses to start with it. Durable on return.
  ///
  /// - Parameter address: Address of the other store, without secrets.
  /// - Throws: `StoreError.unusable` if the file cannot be written. Copy again after the cause is gone.
  package func markMoved(to address: String, unixMs: Int64) throws(StoreError) {
    do { try MovedMark(address: address, unixMs: unixMs).write(in: path) } catch {
      throw .unusable(path: path + MovedMark.name, reason: "\(error). Make the folder writable, and copy again")
    }
  }

  private static func numbers(_ record: HighWater.Record, _ path: String, _ db: Database) throws -> CopySource.Numbers {
    guard try !Schema.migrator.hasBeenSuperseded(db) else {
      throw StoreError.unusable(
        path: path, reason: "its database was created or upgraded by a newer version of onthemap. Run that version")
    }
    guard try Schema.migrator.hasCompletedMigrations(db) else {
      throw needsStart(path, "an older version of onthemap used it last")
    }
    let row = try Row.fetchOne(
      db,
      sql: """
        SELECT deleted_seq,
          coalesce((SELECT min(id) FROM post WHERE state = 0), (SELECT max(id) + 1 FROM post), 0) FROM meta
        """)
    return CopySource.Numbers(
      epoch: record.epoch, generation: record.mark.generation, deletedSeq: row?[0] ?? 0, queuedFrom: row?[1] ?? 0)
  }

  private static func needsStart(_ path: String, _ problem: String) -> StoreError {
    .unusable(path: path, reason: "\(problem). Start and stop ingest once with this version, and copy again")
  }
}
