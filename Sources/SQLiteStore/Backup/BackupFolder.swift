import Domain
import Foundation
import Glibc
import Store

/// A folder for backups. It may contain other files, which backups never change.
struct BackupFolder: Sendable {
  /// Path without links.
  let path: String

  func path(_ name: String) -> String { path + "/" + name }

  /// Checks that a folder can get a backup of a data folder.
  ///
  /// - Parameter bytes: Size of the database with its WAL, in bytes.
  /// - Throws: `BackupError`, with the remedy.
  init(_ request: BackupRequest, dataFolder: String, bytes: Int64) throws(BackupError) {
    let given = request.folder
    guard given.hasPrefix("/") else {
      throw BackupError("\(given) is a relative path. Pass an absolute path, because ingest has another folder.")
    }
    guard given.utf8.count <= Limits.backupPathBytesMax else {
      throw BackupError("the path has \(given.utf8.count) bytes; the maximum is \(Limits.backupPathBytesMax).")
    }
    guard let path = PlainFile.resolve(given) else {
      throw BackupError("cannot open \(given): \(SystemError()). Create the folder, for \(BackupFolder.user).")
    }
    self.path = path
    guard let status = PlainFile.status(path), status.st_mode & S_IFMT == S_IFDIR else {
      throw BackupError("\(given) is not a folder. Pass a folder for backups.")
    }
    guard let data = PlainFile.resolve(dataFolder), let dataStatus = PlainFile.status(data) else {
      throw BackupError("cannot open \(dataFolder): \(SystemError()).")
    }
    guard path != data, !path.hasPrefix(data == "/" ? data : data + "/") else {
      throw BackupError(
        "\(given) is in the data folder \(data), and would be lost with it. Pass a folder on another device.")
    }
    guard request.isSameDeviceAllowed || status.st_dev != dataStatus.st_dev else {
      throw BackupError(
        "\(given) is on the device of the data folder \(data), and would be lost with it. Pass a folder on another "
          + "device, or add --same-device and copy the backups to another host.")
    }
    guard access(path, W_OK | X_OK) == 0 else {
      let error = SystemError()
      let remedy =
        error.code == EROFS
        ? "If ingest is a systemd unit, use /var/lib/onthemap-backup, or permit the folder with ReadWritePaths=."
        : "Give the folder to \(BackupFolder.user), with chown."
      throw BackupError("cannot write to \(given): \(error). \(remedy)")
    }
    let needed = bytes + Limits.backupMarginBytes
    if let free = PlainFile.freeBytes(path), free < needed {
      throw BackupError(
        "\(given) has \(free) bytes free, and the backup needs \(needed). Free some space, or pass another folder.")
    }
  }

  /// - Parameter path: Path of a folder that exists.
  init(path: String) { self.path = path }

  /// The user of this process, for an error.
  private static var user: String { "the user of ingest (uid \(geteuid()))" }

  /// Returns the names of whole backups, oldest first: those with the copy and a manifest of the same size.
  func backups() -> [BackupName] { copies().filter(isWhole).sorted() }

  /// Returns the names of all backups whose copy is complete, with and without a manifest.
  func copies() -> Set<BackupName> {
    Set(names().compactMap { name in BackupName(leading: name).flatMap { $0.file == name ? $0 : nil } })
  }

  private func isWhole(_ name: BackupName) -> Bool {
    guard let status = PlainFile.status(path(name.file)), status.st_mode & S_IFMT == S_IFREG,
      let manifest = try? BackupManifest(reading: path(name.manifest))
    else { return false }
    return manifest.bytes == Int64(status.st_size)
  }

  /// Removes the files of backups and checks whose process was killed, and manifests whose copy is missing. Leaves the
  /// files of a process that is running.
  func removeLeftovers() {
    let all = names()
    let existing = Set(all)
    for name in Set(all.compactMap { BackupName(leading: $0) }) {
      if let lock = FolderLock(path(name.check)) {
        withExtendedLifetime(lock) { try? FileManager.default.removeItem(atPath: path(name.check)) }
      }
      let isOrphan = existing.contains(name.manifest) && !existing.contains(name.file)
      let found = name.leftovers.filter(existing.contains)
      guard isOrphan || !found.isEmpty else { continue }
      // A running backup has a lock on its part.
      let descriptor = open(path(name.part), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      defer { if descriptor >= 0 { close(descriptor) } }
      guard descriptor < 0 || flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { continue }
      for leftover in found { unlink(path(leftover)) }
      // The backup may have ended since the listing.
      if isOrphan, PlainFile.status(path(name.file)) == nil, (try? BackupManifest(reading: path(name.manifest))) != nil
      {
        unlink(path(name.manifest))
      }
    }
  }

  /// Removes the oldest whole backups, until `keep` remain. The new one remains in any case, also if a wrong clock gave
  /// other backups later names.
  ///
  /// - Returns: the number of removed backups.
  func removeOldest(keep: Int, new: BackupName) -> Int {
    // Remove the copy first. A manifest that is left alone is a leftover, and takes little space.
    backups().filter { $0.file != new.file }.dropLast(keep - 1).count {
      unlink(path($0.file)) == 0 && unlink(path($0.manifest)) == 0
    }
  }

  private func names() -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }
}

/// A lock on a folder while a process uses it. The kernel releases the lock when the process ends.
final class FolderLock: Sendable {
  private let descriptor: Int32

  /// Returns nil if the folder does not exist, or if another process has the lock.
  init?(_ path: String) {
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}
