import Glibc

/// Access to the database's files: their owner's alone, whatever the folder and the umask. They hold addresses,
/// passwords' hashes and sessions.
enum FileAccess {
  /// Takes the access of all others to those files that are there.
  ///
  /// - Throws: `StoreError.unusable` where others keep theirs.
  static func restrict(_ paths: [String]) throws(StoreError) {
    for path in paths {
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & 0o077 != 0 else { continue }
      guard chmod(path, 0o600) == 0 else {
        let mode = String(status.st_mode & 0o777, radix: 8)
        let reason = String(cString: strerror(errno))
        throw .unusable(
          path: path,
          reason: "others may read it (mode \(mode)): \(reason). Run chmod 600 on it as the user that owns it")
      }
    }
  }

  /// Makes an empty database for its owner alone, unless there is one. SQLite gives its log and the log's index the
  /// mode of the database.
  ///
  /// - Throws: `StoreError.unusable`.
  static func create(_ path: String) throws(StoreError) {
    let descriptor = open(path, O_CREAT | O_RDONLY | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .unusable(path: path, reason: String(cString: strerror(errno))) }
    close(descriptor)
  }
}
