import CSodium
import Domain
import Glibc

/// BLAKE2b-256 of a file, computed in parts.
struct FileHash: ~Copyable {
  /// Length of the hash, in bytes.
  static let bytes = 32

  /// Memory of libsodium's state, whose alignment Swift cannot import.
  private let memory: UnsafeMutableRawPointer
  private var state: OpaquePointer { OpaquePointer(memory) }

  init() {
    memory = .allocate(byteCount: crypto_generichash_statebytes(), alignment: 64)
    // The call fails only for a wrong length.
    crypto_generichash_init(OpaquePointer(memory), nil, 0, FileHash.bytes)
  }

  deinit { memory.deallocate() }

  /// Adds the next bytes of the file.
  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    crypto_generichash_update(state, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, UInt64(bytes.count))
  }

  /// Returns the hash as 64 hexadecimal digits. Call this once, after all bytes.
  mutating func finish() -> String {
    var hash = [UInt8](repeating: 0, count: FileHash.bytes)
    crypto_generichash_final(state, &hash, hash.count)
    return hexadecimal(hash)
  }

  /// Reads a file from its start, and returns its hash and its size.
  ///
  /// - Parameter each: Receives each part of the file in order, such as to copy the file.
  static func compute(
    _ descriptor: Int32, each: (UnsafeRawBufferPointer) throws(SystemError) -> Void = { _ in }
  ) throws(SystemError) -> (hash: String, bytes: Int64) {
    var hash = FileHash()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Limits.backupChunkBytes, alignment: 1)
    defer { buffer.deallocate() }
    var size: Int64 = 0
    while true {
      let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(size))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SystemError() }
      guard count > 0 else { return (hash.finish(), size) }
      let part = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      hash.add(part)
      try each(part)
      size += Int64(count)
    }
  }
}
