import CZeroMQ
import Glibc
import Synchronization

/// A frame whose bytes libzmq shares among all peers that it goes to.
///
/// Used on one thread. libzmq keeps the bytes until the last peer has them or is gone, and until this is released.
final class SharedFrame {
  let message = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: 1)

  /// - Parameters:
  ///   - bytes: the frame's bytes, at least one.
  ///   - memory: counts the bytes while they are kept.
  init(_ bytes: [UInt8], in memory: FrameMemory) {
    let copy = UnsafeMutableRawPointer.allocate(byteCount: bytes.count, alignment: 1)
    bytes.withUnsafeBytes { copy.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(copy), byteCount: $0.count) }
    let held = Unmanaged.passRetained(HeldFrame(bytes.count, memory)).toOpaque()
    // libzmq's own threads call this, too.
    zmq_msg_init_data(
      message, copy, bytes.count,
      { bytes, held in
        bytes?.deallocate()
        if let held { Unmanaged<HeldFrame>.fromOpaque(held).release() }
      }, held)
  }

  deinit {
    zmq_msg_close(message)
    message.deallocate()
  }
}

/// The bytes of all shared frames that are kept. Any thread.
final class FrameMemory: Sendable {
  private let count = Atomic(0)

  /// Bytes of the frames that libzmq keeps, or that still go out.
  var bytes: Int { count.load(ordering: .relaxed) }

  fileprivate func add(_ bytes: Int) { count.add(bytes, ordering: .relaxed) }
}

/// Counts one frame from its making to its release.
private final class HeldFrame: Sendable {
  private let bytes: Int
  private let memory: FrameMemory

  init(_ bytes: Int, _ memory: FrameMemory) {
    (self.bytes, self.memory) = (bytes, memory)
    memory.add(bytes)
  }

  deinit { memory.add(-bytes) }
}
