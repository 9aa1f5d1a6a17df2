import Domain
import GRDB
import Glibc
import Store

/// Writer of one backup: a checked copy of the database, and its manifest.
///
/// The copy has its name only when it is complete, after its manifest. A crash therefore leaves no file that looks like
/// a backup.
struct BackupWriter {
  /// Path of the database.
  let database: String
  /// Returns true if the backup must stop, because ingest shuts down.
  let isCancelled: () -> Bool

  private var dataFolder: String { String(database[..<(database.lastIndex(of: "/") ?? database.startIndex)]) }

  /// Path of the manifest of the latest backup, in a data folder.
  static func record(in dataFolder: String) -> String { dataFolder + recordName }

  /// Name of that manifest, after a slash.
  static let recordName = "/onthemap.backup"

  /// Writes a backup with all data that is durable now. Durable on return. Blocks for the disk.
  ///
  /// - Throws: `BackupError`. The folder then has no new backup.
  func write(_ request: BackupRequest, unixMs: Int64) throws(BackupError) -> BackupSummary {
    let size = [database, database + "-wal"].reduce(0) { $0 + Int64(PlainFile.status($1)?.st_size ?? 0) }
    let folder = try BackupFolder(request, dataFolder: dataFolder, bytes: size)
    folder.removeLeftovers()
    let name = BackupName(unixMs: unixMs)
    for file in [name.file, name.manifest, name.part] where PlainFile.status(folder.path(file)) != nil {
      throw BackupError("\(folder.path(file)) exists. Try again in a second.")
    }
    let manifest: BackupManifest
    do { manifest = try write(name, in: folder, unixMs: unixMs) } catch {
      for leftover in name.leftovers + [name.manifest, name.file] { unlink(folder.path(leftover)) }
      throw BackupWriter.error(error, folder: folder.path)
    }
    let record = BackupWriter.record(in: dataFolder)
    // Without the record, only the alert about old backups is missing.
    if (try? PlainFile.write(manifest.json, to: record)) != nil { try? PlainFile.give(record, toOwnerOf: dataFolder) }
    return BackupSummary(
      path: folder.path(name.file), bytes: manifest.bytes, posts: manifest.posts,
      removed: request.keep.map { folder.removeOldest(keep: $0, new: name) } ?? 0)
  }

  private func write(_ name: BackupName, in folder: BackupFolder, unixMs: Int64) throws -> BackupManifest {
    let part = folder.path(name.part)
    let descriptor = open(part, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemError() }
    defer { close(descriptor) }
    // The lock tells a backup of another process that this file is no leftover.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw SystemError() }
    try copy(to: part)
    try stopIfCancelled()
    let contents = try check(part)
    try stopIfCancelled()
    guard fsync(descriptor) == 0 else { throw SystemError() }
    let (hash, bytes) = try FileHash.compute(descriptor)
    let manifest = BackupManifest(contents, hash: hash, bytes: bytes, unixMs: unixMs)
    try PlainFile.write(manifest.json, to: folder.path(name.manifest))
    for path in [part, folder.path(name.manifest)] { try PlainFile.give(path, toOwnerOf: folder.path) }
    try stopIfCancelled()
    guard rename(part, folder.path(name.file)) == 0 else { throw SystemError() }
    try PlainFile.sync(folder.path)
    return manifest
  }

  /// Copies all pages in one step, within one read transaction of an own connection. Writers go on, and the copy has
  /// one state of the database. SQLite would restart a copy of several steps after each commit.
  private func copy(to part: String) throws {
    let source = try DatabaseQueue(path: database, configuration: DatabaseContents.configuration(readonly: true))
    var configuration = DatabaseContents.configuration(readonly: false)
    configuration.prepareDatabase { db in
      // The file counts only after its fsync.
      try db.execute(sql: "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF")
    }
    let copy = try DatabaseQueue(path: part, configuration: configuration)
    try source.backup(to: copy)
    try copy.close()
    try source.close()
  }

  /// Returns the facts of the complete copy, which is a single file from then on.
  private func check(_ part: String) throws -> DatabaseContents {
    let copy = try DatabaseQueue(path: part, configuration: DatabaseContents.configuration(readonly: false))
    let contents = try copy.writeWithoutTransaction { db in
      // The copy's header asks for a WAL, as the original's does.
      let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
      guard mode == "delete" else { throw BackupError("\(part) has the journal mode \(mode ?? "unknown").") }
      return try DatabaseContents(checking: db, path: part)
    }
    try copy.close()
    return contents
  }

  private func stopIfCancelled() throws(BackupError) {
    if isCancelled() { throw BackupError("ingest stopped during the backup. Try again.") }
  }

  /// Returns the error for people.
  private static func error(_ error: any Error, folder: String) -> BackupError {
    switch error {
    case let error as BackupError: error
    case let error as DatabaseError where error.isFull: full(folder)
    case let error as SystemError where error.code == ENOSPC || error.code == EDQUOT: full(folder)
    default: BackupError("cannot write to \(folder): \(error).")
    }
  }

  private static func full(_ folder: String) -> BackupError {
    BackupError("the disk of \(folder) is full. Free some space, or pass another folder.")
  }
}
