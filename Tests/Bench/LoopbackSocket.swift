import Glibc

/// A TCP connection to a port of this host, blocking until `makeNonBlocking`.
final class LoopbackSocket {
  let descriptor: Int32

  init(port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw LoopbackSocket.failure("socket") }
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw LoopbackSocket.failure("connect to port \(port)") }
  }

  deinit { close(descriptor) }

  func makeNonBlocking() { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }

  /// Writes all bytes, which must fit into the socket's buffer.
  func write(_ bytes: [UInt8]) throws {
    let sent = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    guard sent == bytes.count else { throw LoopbackSocket.failure("send") }
  }

  /// Reads available bytes. Returns their count, 0 at the end, or nil if a non-blocking socket has none.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
    while true {
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count >= 0 { return count }
      switch errno {
      case EINTR: continue
      case EAGAIN: return nil
      default: throw LoopbackSocket.failure("recv")
      }
    }
  }

  func read(exactly count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard recv(descriptor, &bytes, count, Int32(MSG_WAITALL)) == count else {
      throw LoopbackSocket.failure("recv")
    }
    return bytes
  }

  private static func failure(_ call: String) -> BenchError {
    BenchError("\(call) failed: \(String(cString: strerror(errno)))")
  }
}
