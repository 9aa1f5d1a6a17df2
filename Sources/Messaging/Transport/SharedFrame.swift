import CZeroMQ
import Glibc
import Synchronization

/// A frame whose bytes libzmq shares among all its recipients.
///
/// Use the frame on one thread. libzmq keeps the bytes until this object is released and every peer has received them
/// or has disconnected.
final class SharedFrame {
  let message = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: 1)

  /// Copies bytes into a frame.
  ///
  /// - Parameters:
  ///   - bytes: Contents of the frame, at least one byte.
  ///   - memory: Counter of the bytes while they are in memory.
  init(_ bytes: [UInt8], in memory: FrameMemory) {
    let copy = UnsafeMutableRawPointer.allocate(byteCount: bytes.count, alignment: 1)
    bytes.withUnsafeBytes { copy.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(copy), byteCount: $0.count) }
    let held = Unmanaged.passRetained(HeldFrame(bytes.count, memory)).toOpaque()
    // libzmq's own threads may call this closure.
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

/// Counter of the bytes of all shared frames in memory. Any thread.
final class FrameMemory: Sendable {
  private let count = Atomic(0)

  /// Bytes of the frames that libzmq holds, or that are still to be sent.
  var bytes: Int { count.load(ordering: .relaxed) }

  fileprivate func add(_ bytes: Int) { count.add(bytes, ordering: .relaxed) }
}

/// The share of one frame in `FrameMemory`, from its creation to its release.
private final class HeldFrame: Sendable {
  private let bytes: Int
  private let memory: FrameMemory

  init(_ bytes: Int, _ memory: FrameMemory) {
    (self.bytes, self.memory) = (bytes, memory)
    memory.add(bytes)
  }

  deinit { memory.add(-bytes) }
}
