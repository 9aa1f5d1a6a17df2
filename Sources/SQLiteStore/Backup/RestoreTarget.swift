import CSQLite
import Domain
import Glibc
import Store

/// The data folder that a restore replaces. It may not exist yet.
struct RestoreTarget: Sendable {
  /// Path without links.
  let path: String
  /// Highest numbers of the existing folder. Nil without a folder, or if its high-water file is missing or damaged.
  let highWater: HighWater.Record?
  /// Status of the existing folder.
  private let status: stat?
  /// True if the folder is a mount point, which no other folder can replace. A restore then replaces its files.
  private let isMountPoint: Bool
  /// Keeps ingest from starting in the existing folder.
  private let lock: InstanceLock?

  /// Checks and locks a data folder.
  ///
  /// - Parameter bytes: Size of the backup, in bytes.
  /// - Throws: `BackupError`, also while ingest runs.
  init(_ given: String, bytes: Int64) throws(BackupError) {
    if let found = PlainFile.resolve(given) {
      path = found
    } else {
      guard errno == ENOENT else { throw BackupError("cannot open \(given): \(SystemError()).") }
      path = try RestoreTarget.missing(given)
    }
    status = PlainFile.status(path)
    let outer = RestoreTarget.parent(of: path)
    isMountPoint = path == "/" || status.map { $0.st_dev != PlainFile.status(outer)?.st_dev } ?? false
    let parent = isMountPoint ? path : outer
    if let status {
      guard status.st_mode & S_IFMT == S_IFDIR else {
        throw BackupError("\(given) is not a folder. Pass ingest's data folder with --data.")
      }
      let others = DataFolderFiles.others(in: path, isMountPoint: isMountPoint)
      guard others.isEmpty else { throw RestoreTarget.refusal(given, others) }
      do { lock = try InstanceLock(path: path + "/onthemap.lock") } catch {
        if case .locked = error {
          throw BackupError("ingest is running on \(path). Stop it first, and keep it stopped during the restore.")
        }
        if case .unusable(let file, let reason) = error {
          throw BackupError("cannot open \(file): \(reason). Run as the owner of \(path), or as root.")
        }
        throw BackupError("\(error)")
      }
      highWater = (try? HighWater.read(path + "/onthemap.highwater")) ?? nil
    } else {
      (lock, highWater) = (nil, nil)
    }
    guard access(parent, W_OK | X_OK) == 0 else {
      throw BackupError("cannot write to \(parent): \(SystemError()). Run as its owner, or as root.")
    }
    let needed = bytes + Limits.backupMarginBytes
    if let free = PlainFile.freeBytes(parent), free < needed {
      throw BackupError("\(parent) has \(free) bytes free, and the restore needs \(needed). Free some space.")
    }
  }

  /// Returns the error for a folder with files that are not ingest's.
  private static func refusal(_ folder: String, _ others: [String]) -> BackupError {
    let names = others.prefix(3).map { $0.safeLine(bytesMax: 255) }.joined(separator: ", ")
    let more = others.count > 3 ? " and \(others.count - 3) more" : ""
    return BackupError("\(folder) has other files: \(names)\(more). Pass ingest's data folder with --data.")
  }

  /// Returns the path of a missing folder without links. A link may name the missing folder, as in systemd's
  /// `/var/lib`. The kernel has followed the links before, so they have an end.
  private static func missing(_ given: String) throws(BackupError) -> String {
    let given = String(given.reversed().drop { $0 == "/" }.reversed())
    let end = given.lastIndex(of: "/")
    let parent = end.map { $0 == given.startIndex ? "/" : String(given[..<$0]) } ?? "."
    guard let folder = PlainFile.resolve(parent) else {
      throw BackupError("cannot open \(parent): \(SystemError()). Create the folder first.")
    }
    let outer = folder == "/" ? "" : folder
    let path = outer + "/" + given[(end.map(given.index(after:)) ?? given.startIndex)...]
    guard let target = PlainFile.target(of: path) else { return path }
    return try missing(target.hasPrefix("/") ? target : outer + "/" + target)
  }

  /// Returns the time for the names of a restore's folders: the first second from the given time whose names are free.
  /// A restore that was killed in the same second may have left a folder.
  func freeTime(unixMs: Int64) -> String {
    var unixMs = unixMs
    while true {
      let time = BackupName(unixMs: unixMs).time
      if [newFolder(time), oldFolder(time)].allSatisfy({ PlainFile.status($0) == nil }) { return time }
      unixMs += 1_000
    }
  }

  /// Returns the path of a new folder for the restored data, beside the data folder or in a mount point.
  func newFolder(_ time: String) -> String { path + (isMountPoint ? "/" : ".") + "restoring-\(time)" }

  /// Returns the path that the existing folder, or a folder with its files, has after the restore.
  private func oldFolder(_ time: String) -> String { path + (isMountPoint ? "/" : ".") + "before-restore-\(time)" }

  /// Copies files of the existing folder to a prepared folder, if they exist.
  ///
  /// - Parameter names: Names of the files, after a slash.
  func keep(_ names: [String], in folder: String) throws(SystemError) {
    for name in names {
      guard let size = PlainFile.status(path + name)?.st_size else { continue }
      try PlainFile.write(try PlainFile.read(path + name, bytesMax: Int(size)), to: folder + name)
    }
  }

  /// Gives a prepared folder and its files the owner of the existing folder.
  func adopt(_ folder: String, files: [String]) throws(SystemError) {
    if let status {
      if geteuid() == 0 {
        for item in [folder] + files {
          guard lchown(item, status.st_uid, status.st_gid) == 0 else { throw SystemError() }
        }
      }
      guard isMountPoint || chmod(folder, status.st_mode & 0o777) == 0 else { throw SystemError() }
    }
    for item in files + [folder] { try PlainFile.sync(item) }
  }

  /// Puts a prepared folder in place in one step, and keeps the existing folder under another name. Durable on return.
  ///
  /// - Returns: the path of the existing folder from now on. Nil if there was none.
  /// - Throws: `BackupError`. The existing folder is then still in place.
  func replace(with folder: String, time: String) throws(BackupError) -> String? {
    defer { try? PlainFile.sync(isMountPoint ? path : RestoreTarget.parent(of: path)) }
    if isMountPoint { return try replaceFiles(with: folder, time: time) }
    guard status != nil else {
      guard rename(folder, path) == 0 else { throw BackupError("cannot create \(path): \(SystemError()).") }
      return nil
    }
    let old = oldFolder(time)
    guard rename(folder, old) == 0 else { throw BackupError("cannot create \(old): \(SystemError()).") }
    // The exchange is the last step, and makes the new name right. With two renames, a start between them would find no
    // folder, and create an empty database.
    guard otm_exchange_names(old, path) == 0 else {
      let error = SystemError()
      rename(old, folder)
      throw BackupError("cannot exchange \(folder) and \(path): \(error). Rename \(path), and restore again.")
    }
    return old
  }

  /// Replaces the files of a mount point. Between the first and the last step, ingest refuses to start, because
  /// high-water file and database differ.
  private func replaceFiles(with folder: String, time: String) throws(BackupError) -> String {
    let old = oldFolder(time)
    func require(_ isDone: Bool, _ name: String) throws(BackupError) {
      guard isDone else {
        throw BackupError("cannot replace \(path)\(name): \(SystemError()). Run the restore again.")
      }
    }
    let small = ["/onthemap.highwater", DeletionList.name, BackupWriter.recordName]
    let large = ["/onthemap.sqlite", "/onthemap.sqlite-wal", "/onthemap.sqlite-shm", MovedMark.name]
    try require(mkdir(old, 0o700) == 0, "")
    if let status, geteuid() == 0 { try require(lchown(old, status.st_uid, status.st_gid) == 0, "") }
    for name in small where PlainFile.status(path + name) != nil {
      try require(link(path + name, old + name) == 0, name)
    }
    for name in small where PlainFile.status(folder + name) != nil {
      try require(rename(folder + name, path + name) == 0, name)
    }
    for name in large where PlainFile.status(path + name) != nil {
      try require(rename(path + name, old + name) == 0, name)
    }
    try require(rename(folder + large[0], path + large[0]) == 0, large[0])
    unlink(folder + "/onthemap.lock")
    rmdir(folder)
    return old
  }

  /// Returns the path of the folder that contains a folder.
  static func parent(of path: String) -> String {
    let end = path.lastIndex(of: "/") ?? path.startIndex
    return end == path.startIndex ? "/" : String(path[..<end])
  }
}
