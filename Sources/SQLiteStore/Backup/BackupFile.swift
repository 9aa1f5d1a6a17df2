import Domain
import Glibc
import Store

/// A backup in a folder: the copy of a database, and its manifest.
struct BackupFile: Sendable {
  /// Path of the copy, without links.
  let path: String
  let manifest: BackupManifest

  /// Name of the copy without its extension, if a backup has named the file.
  var name: BackupName? {
    let file = path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
    return BackupName(leading: String(file)).flatMap { $0.file == file ? $0 : nil }
  }

  /// Path of the folder with the backup.
  var folder: String { String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }

  /// Finds a backup, and reads its manifest.
  ///
  /// - Parameter given: Path of the copy, or of a folder, whose latest backup counts.
  /// - Throws: `BackupError` if there is no such backup, or if a newer program has made it.
  init(_ given: String) throws(BackupError) {
    guard let found = PlainFile.resolve(given), let status = PlainFile.status(found) else {
      throw BackupError("cannot open \(given): \(SystemError()). Pass the file or the folder of a backup.")
    }
    if status.st_mode & S_IFMT == S_IFDIR {
      let folder = BackupFolder(path: found)
      guard access(found, R_OK | X_OK) == 0 else {
        throw BackupError("cannot open \(given): \(SystemError()). Run as its owner, or as root.")
      }
      // Take the latest one also if it is damaged. An older backup would hide the damage, and lose more.
      guard let latest = folder.copies().max() else {
        throw BackupError("\(given) has no backup. Pass the file or the folder of a backup.")
      }
      path = folder.path(latest.file)
    } else {
      path = found
    }
    guard path.hasSuffix(".sqlite") else {
      throw BackupError("\(given) is not the file of a backup. Pass a file onthemap-….sqlite with its manifest.")
    }
    manifest = try BackupManifest(reading: path.dropLast(".sqlite".count) + ".json")
  }

  /// Copies the database, and compares its size and hash with the manifest.
  ///
  /// - Parameter copy: Path of the copy. It must not exist.
  /// - Throws: `BackupError`
  func copy(to copy: String) throws(BackupError) {
    let source = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard source >= 0 else { throw BackupError("cannot read \(path): \(SystemError()).") }
    defer { close(source) }
    var status = stat()
    guard fstat(source, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw BackupError("\(path) is not a file.")
    }
    guard Int64(status.st_size) == manifest.bytes else {
      throw BackupError(
        "\(path) has \(status.st_size) bytes, and its manifest says \(manifest.bytes). The file is damaged. Restore "
          + "another backup.")
    }
    let target = open(copy, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0o600)
    guard target >= 0 else { throw BackupError("cannot write \(copy): \(SystemError()).") }
    defer { close(target) }
    let hash: String
    do {
      (hash, _) = try FileHash.compute(source) { part throws(SystemError) in
        guard write(target, part.baseAddress, part.count) == part.count else { throw SystemError() }
      }
    } catch {
      throw BackupError("cannot copy \(path) to \(copy): \(error).")
    }
    guard hash == manifest.blake2b else {
      throw BackupError(
        "\(path) has other contents than its manifest says (BLAKE2b \(hash.prefix(16))…, not "
          + "\(manifest.blake2b.prefix(16))…). The file is damaged. Restore another backup.")
    }
    guard fsync(target) == 0 else { throw BackupError("cannot write \(copy): \(SystemError()).") }
  }
}
