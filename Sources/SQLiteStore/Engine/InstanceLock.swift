import Glibc
import Store

/// Keeps a second process away from the database: SQLite itself would let it in, and Debian's 3.40.1 can damage the log
/// when two connections write or checkpoint at once. The kernel lets go of the lock with the process, however it ends.
final class InstanceLock: Sendable {
  private let descriptor: Int32

  init(path: String) throws(StoreError) {
    descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .unusable(path: path, reason: String(cString: strerror(errno))) }
    // Whoever throws from here on leaves the descriptor to `deinit`: closed twice, it would be somebody else's.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .locked(path: path) }
  }

  /// Lets others in. By its name: a child that another thread has forked just now holds a copy of the descriptor until
  /// its exec.
  func unlock() { flock(descriptor, LOCK_UN) }

  deinit {
    guard descriptor >= 0 else { return }
    unlock()
    close(descriptor)
  }
}
