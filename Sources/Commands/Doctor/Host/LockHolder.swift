import Foundation
import Glibc

/// The process that holds an flock(2) lock, as /proc/locks reports it.
struct LockHolder: Sendable, Equatable {
  let pid: pid_t

  /// Finds the holder of a file's lock. Nil if no process of this namespace holds it.
  init?(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0, let locks = try? String(contentsOfFile: "/proc/locks", encoding: .utf8) else {
      return nil
    }
    self.init(inode: UInt64(status.st_ino), locks: locks)
  }

  /// Finds the holder in the text of /proc/locks.
  ///
  /// The device's numbers differ from those of stat(2) on some file systems. A second file with the same inode number
  /// and an exclusive flock is unlikely.
  init?(inode: UInt64, locks: String) {
    for line in locks.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count > 5, fields[1] == "FLOCK", fields[3] == "WRITE", let pid = pid_t(fields[4]), pid > 0,
        fields[5].split(separator: ":").last == Substring(String(inode))
      else { continue }
      self.pid = pid
      return
    }
    return nil
  }
}
