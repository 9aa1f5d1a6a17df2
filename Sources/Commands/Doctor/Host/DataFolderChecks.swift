import Domain
import Foundation
import Glibc
import SQLiteStore

/// Checks of ingest's data folder.
struct DataFolderChecks: Sendable {
  let path: String

  /// Runs the checks. The disk may delay them for `DoctorLimits.diskTimeout`.
  func run() async -> [Check] {
    let checks = await bounded(DoctorLimits.diskTimeout) { disk() }
    guard let checks else {
      let seconds = DoctorLimits.diskTimeout.components.seconds
      return [
        .failure(
          "data-folder-fsync", "the disk of \(path) did not answer within \(seconds) s",
          remedy: "Check the disk and its mount (dmesg)")
      ]
    }
    return checks + (await bounded(DoctorLimits.diskTimeout) { database() } ?? [])
  }

  /// Returns the folder, or its nearest ancestor that exists. The service creates the rest.
  static func nearest(_ path: String) -> String {
    var url = URL(fileURLWithPath: path).standardizedFileURL
    while url.path != "/", Glibc.access(url.path, F_OK) != 0, errno != EACCES { url.deleteLastPathComponent() }
    return url.path
  }

  private func disk() -> [Check] {
    let nearest = DataFolderChecks.nearest(path)
    var status = stat()
    guard stat(nearest, &status) == 0 else {
      let reason = String(cString: strerror(errno))
      return [
        .failure("data-folder", "\(nearest) cannot be opened: \(reason)", remedy: "Run doctor as the service's user")
      ]
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      return [.failure("data-folder", "\(nearest) is not a folder", remedy: "Pass another folder with --data")]
    }
    let isNew = nearest != URL(fileURLWithPath: path).standardizedFileURL.path
    let type =
      FileSystem(at: nearest).map { $0.check("data-folder-filesystem", path: nearest) }
      ?? .notChecked("data-folder-filesystem", "the kernel does not report the type of \(nearest)")
    let trial: Result<SyncTrial, SyncTrial.Failure>
    do throws(SyncTrial.Failure) { trial = .success(try SyncTrial(folder: nearest)) } catch { trial = .failure(error) }
    let folder: Check
    let sync: Check
    switch trial {
    case .success(let trial):
      folder =
        isNew
        ? .ok("data-folder", "\(path) does not exist; ingest creates it in \(nearest)")
        : DataFolderChecks.access(
          path: path, mode: status.st_mode & 0o7777, owner: status.st_uid, user: geteuid())
      sync = SyncTrial.check("data-folder-fsync", medianUs: trial.medianUs)
    case .failure(let failure):
      folder = .failure(
        "data-folder", failure.description, remedy: "Make the folder writable for the service's user, or pass --data")
      sync = .notChecked("data-folder-fsync", "the folder is not writable")
    }
    return [folder, type, sync] + space(nearest)
  }

  /// Returns the result of the check of an existing folder's mode and owner.
  static func access(path: String, mode: UInt32, owner: UInt32, user: UInt32) -> Check {
    let id = "data-folder"
    let text = "\(path) has mode \(String(mode, radix: 8)) and owner \(owner)"
    if mode & 0o002 != 0 {
      return .failure(
        id, "\(text): every user can replace the database", remedy: "Run: chmod 700 \(path)")
    }
    if mode & 0o020 != 0 {
      return .warning(id, "\(text): its group can replace the database", remedy: "Run: chmod 700 \(path)")
    }
    if owner != user {
      return .warning(
        id, "\(text), but doctor runs as user \(user)",
        remedy: "Run doctor as the service's user, because access differs between users")
    }
    return .ok(id, text)
  }

  private func space(_ folder: String) -> [Check] {
    var system = statvfs()
    guard statvfs(folder, &system) == 0, system.f_blocks > 0 else {
      return [.notChecked("data-folder-space", "the kernel does not report the space of \(folder)")]
    }
    let blocks = geteuid() == 0 ? system.f_bfree : system.f_bavail
    func bytes(_ blocks: fsblkcnt_t) -> Int64 {
      let (bytes, isTooGreat) = UInt64(blocks).multipliedReportingOverflow(by: UInt64(system.f_frsize))
      return isTooGreat ? .max : Int64(clamping: bytes)
    }
    let space = DataFolderChecks.space(freeBytes: bytes(blocks), sizeBytes: bytes(system.f_blocks))
    // Some file systems create inodes on demand, and report none.
    guard system.f_files > 0 else { return [space] }
    return [space, DataFolderChecks.inodes(free: UInt64(geteuid() == 0 ? system.f_ffree : system.f_favail))]
  }

  /// Returns the result of the check of the free bytes.
  static func space(freeBytes: Int64, sizeBytes: Int64) -> Check {
    let id = "data-folder-space"
    let text = "\(gigabytes(freeBytes)) of \(gigabytes(sizeBytes)) are free"
    let measure = Check.Measure(freeBytes, "bytes")
    if freeBytes < Limits.diskRecoveredBytes {
      return .failure(id, "\(text): ingest refuses posts with 507", measure, remedy: "Free some space")
    }
    if freeBytes < sizeBytes / DoctorLimits.freeShare {
      return .warning(
        id, "\(text), less than a tenth", measure, remedy: "Free some space: on a full disk, ingest refuses posts")
    }
    return .ok(id, text, measure)
  }

  /// Returns the result of the check of the free inodes.
  static func inodes(free: UInt64) -> Check {
    let (id, text) = ("data-folder-inodes", "\(free) inodes are free")
    let measure = Check.Measure(free, "inodes")
    guard free >= DoctorLimits.inodesMin else {
      return .failure(id, text, measure, remedy: "Delete files: without inodes, SQLite cannot create its log")
    }
    return .ok(id, text, measure)
  }

  private static func gigabytes(_ bytes: Int64) -> String { String(format: "%.1f GB", Double(bytes) / 1e9) }

  private func database() -> [Check] {
    let folder = DataFolder(path)
    let (lock, integrity) = ("instance-lock", "database-integrity")
    guard let isInUse = folder.isInUse else {
      let reason = "\(folder.lock) cannot be opened by this user"
      return [lock, "database-files", integrity].map { .notChecked($0, reason) }
    }
    guard !isInUse else {
      let holder = LockHolder(of: folder.lock).map { "process \($0.pid)" } ?? "a process"
      return [
        .ok(lock, "\(holder) holds the lock: ingest runs"), DataFolderChecks.files(folder, isInUse: true),
        .notChecked(integrity, "ingest runs, and no other process may open its database"),
      ]
    }
    return [
      .ok(lock, "no process uses the folder"), DataFolderChecks.files(folder, isInUse: false),
      DataFolderChecks.integrity(folder.inspect(), isMoved: MovedMark(folder: path) != nil),
    ]
  }

  /// Returns the result for the presence of the database and its high-water file.
  private static func files(_ folder: DataFolder, isInUse: Bool) -> Check {
    let id = "database-files"
    let exists = { (path: String) in Glibc.access(path, F_OK) == 0 }
    switch (exists(folder.database), exists(folder.highWater)) {
    case (true, true): return .ok(id, "database and high-water file are present")
    case (false, false) where !isInUse: return .ok(id, "there is no database yet")
    case (true, false) where !isInUse:
      return .warning(
        id, "\(folder.highWater) is missing: the next start begins a new epoch",
        remedy: "Restore the file, unless this database is a restored backup")
    default:
      return .failure(
        id, "\(folder.database) or \(folder.highWater) is missing",
        remedy: "Stop ingest, and restore the files (deploy/Restore.md)")
    }
  }

  /// Returns the result for a database that no process uses.
  ///
  /// - Parameter isMoved: True if the data has moved to another store.
  static func integrity(_ condition: DataFolder.Condition, isMoved: Bool = false) -> Check {
    let id = "database-integrity"
    switch condition {
    case .none: return .notChecked(id, "there is no database yet")
    case .unchecked(let reason): return .notChecked(id, reason)
    case .unusable(let reason) where isMoved:
      return .failure(id, reason, remedy: "See deploy/CopyToPostgreSQL.md, section Go back")
    case .unusable(let reason):
      return .failure(id, reason, remedy: "See deploy/Restore.md, section Damaged files")
    case .intact(let bytes):
      let text = "the next start accepts the database of \(bytes) bytes"
      let isComplete = bytes <= Int64(Limits.databaseCheckBytesMax)
      return .ok(
        id, isComplete ? text : "\(text); its pages are checked only up to \(Limits.databaseCheckBytesMax) bytes",
        .init(bytes, "bytes"))
    }
  }
}
