import GRDB
import Glibc
import Store

/// Creation of the database at the first start.
enum NewDatabase {
  /// Creates the database with its tables, for its owner only. Durable on return.
  ///
  /// The file gets its name when it is complete. A start that was killed therefore leaves no empty database, which
  /// `StartupCheck` would refuse.
  ///
  /// - Throws: `StoreError.unusable`, or an error of SQLite.
  static func create(_ path: String) throws {
    let new = path + ".new"
    // This removes the file of a start that was killed.
    unlink(new)
    try FileAccess.create(new)
    var configuration = GRDB.Configuration()
    // No sync is necessary before the file is complete. `fsync` then syncs the whole file.
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
    }
    let database = try DatabaseQueue(path: new, configuration: configuration)
    try Schema.migrator.migrate(database)
    try database.close()
    let descriptor = open(new, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    defer { if descriptor >= 0 { close(descriptor) } }
    guard descriptor >= 0, fsync(descriptor) == 0, rename(new, path) == 0, HighWater.syncFolder(of: path) else {
      throw StoreError.unusable(path: path, reason: String(cString: strerror(errno)))
    }
  }
}
