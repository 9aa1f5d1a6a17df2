import Domain
import Glibc
import Synchronization

/// Memory for the computation of one hash, which later hashes reuse. An allocation for each hash would take a kernel
/// lock that all threads of the process need. An idle-priority thread could hold that lock for seconds.
final class HashBuffer: Sendable {
  /// Memory of the current argon2 computation. argon2's allocation callback has no parameter for it.
  @TaskLocal static var current: HashBuffer?
  nonisolated(unsafe) let bytes: UnsafeMutablePointer<UInt8>

  /// Allocates the memory and touches every page, so that the kernel allocates no page later. Returns nil if there is
  /// no memory.
  init?() {
    guard let memory = aligned_alloc(64, PasswordHash.memoryBytes) else { return nil }
    memset(memory, 0, PasswordHash.memoryBytes)
    bytes = memory.assumingMemoryBound(to: UInt8.self)
  }

  deinit { free(bytes) }
}

/// A pool of memory for hashes. Any thread.
final class HashBufferPool: Sendable {
  private let spare = Mutex<[HashBuffer]>([])

  /// Returns pooled or new memory. Nil if the process cannot allocate it.
  func acquire() -> HashBuffer? { spare.withLock { $0.popLast() } ?? HashBuffer() }

  func release(_ memory: HashBuffer) {
    spare.withLock { if $0.count < Limits.concurrentPasswordHashesMax { $0.append(memory) } }
  }
}
