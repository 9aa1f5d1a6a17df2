import Glibc
import Store

/// Permissions of the database's files: only their owner has access, whatever the folder and the umask permit. The
/// files contain email addresses, password hashes and sessions.
enum FileAccess {
  /// Removes all other users' access to the existing files.
  ///
  /// The function refuses a symbolic link, because the change would affect the link's target, and SQLite would keep the
  /// WAL beside the target. The folder itself may be a link.
  ///
  /// - Throws: `StoreError.unusable` if other users keep their access, or for a link.
  static func restrict(_ paths: [String]) throws(StoreError) {
    for path in paths {
      var status = stat()
      guard lstat(path, &status) == 0 else { continue }
      guard status.st_mode & S_IFMT != S_IFLNK else {
        throw .unusable(
          path: path,
          reason: "it is a symbolic link. Replace it with the file that it points to, or pass that file's folder with "
            + "--data")
      }
      guard status.st_mode & 0o077 != 0 else { continue }
      // Change the mode by descriptor, because the name may be a link by now.
      let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      defer { if descriptor >= 0 { close(descriptor) } }
      guard descriptor >= 0, fchmod(descriptor, 0o600) == 0 else {
        let reason = String(cString: strerror(errno))
        let mode = String(status.st_mode & 0o777, radix: 8)
        throw .unusable(
          path: path,
          reason: "other users have access to it (mode \(mode)), and chmod failed: \(reason). Run chmod 600 \(path) as "
            + "its owner")
      }
    }
  }

  /// Creates an empty database with access for its owner only. SQLite gives the WAL and its index the mode of the
  /// database.
  ///
  /// - Throws: `StoreError.unusable`, also if the file exists.
  static func create(_ path: String) throws(StoreError) {
    let descriptor = open(path, O_CREAT | O_EXCL | O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .unusable(path: path, reason: String(cString: strerror(errno))) }
    close(descriptor)
  }
}
