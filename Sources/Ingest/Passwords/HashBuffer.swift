import Domain
import Glibc
import Synchronization

/// What one hash is computed in, kept from one to the next. To ask the kernel for it each time takes a lock that all
/// other threads of the process need, and a thread that stands back may hold it for seconds.
final class HashBuffer: Sendable {
  /// argon2's, as long as it computes: it asks for its memory without saying for whom.
  @TaskLocal static var current: HashBuffer?
  nonisolated(unsafe) let bytes: UnsafeMutablePointer<UInt8>

  /// Nil where there is no memory. Already the kernel's to give: none of its pages is asked for later.
  init?() {
    guard let memory = aligned_alloc(64, PasswordHash.memoryBytes) else { return nil }
    memset(memory, 0, PasswordHash.memoryBytes)
    bytes = memory.assumingMemoryBound(to: UInt8.self)
  }

  deinit { free(bytes) }
}

/// Memory that no hash is computed in at the moment. Any thread.
final class HashBufferPool: Sendable {
  private let spare = Mutex<[HashBuffer]>([])

  /// Nil where there is none, and none to be had.
  func acquire() -> HashBuffer? { spare.withLock { $0.popLast() } ?? HashBuffer() }

  func release(_ memory: HashBuffer) {
    spare.withLock { if $0.count < Limits.passwordHashesAtOnceMax { $0.append(memory) } }
  }
}
