import Glibc
import Store

/// Lock that keeps a second process away from the database. SQLite itself would admit a second process. Debian's SQLite
/// 3.40.1 can damage the WAL if two connections write or checkpoint in parallel. The kernel releases the lock when the
/// process ends, also after a crash.
final class InstanceLock: Sendable {
  private let descriptor: Int32

  init(path: String) throws(StoreError) {
    descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .unusable(path: path, reason: String(cString: strerror(errno))) }
    // A tool of root may create the file, and ingest must be able to open it.
    try? PlainFile.give(path, toOwnerOf: String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
    // `deinit` closes the descriptor after an error. A second close could close another file's descriptor.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .locked(path: path) }
  }

  /// Releases the lock. Closing the descriptor would not suffice, because a child process that another thread has just
  /// forked holds a copy until its exec.
  func unlock() { flock(descriptor, LOCK_UN) }

  deinit {
    guard descriptor >= 0 else { return }
    unlock()
    close(descriptor)
  }
}
