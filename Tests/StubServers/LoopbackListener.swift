import Foundation
import Glibc
import Synchronization

/// A listening TCP socket on the loopback interface, with a thread that accepts connections. Call `serve` once.
final class LoopbackListener: Sendable {
  let port: UInt16
  private let descriptor: Int32
  private let hasEnded = Mutex(false)

  /// - Parameter port: The port. 0 selects a free one.
  init(port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    var one: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, 4)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { [descriptor, length] pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
    }
    guard isBound, listen(descriptor, 64) == 0 else {
      let error = errno
      close(descriptor)
      throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EADDRINUSE)
    }
    withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
      _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    self.port = UInt16(bigEndian: address.sin_port)
  }

  /// Accepts connections until `end`, each with a thread of its own that closes it.
  func serve(_ body: @escaping @Sendable (Int32) -> Void) {
    // From here on only the accepting thread closes the descriptor. If another thread closed the descriptor, its number
    // could belong to another socket when the loop accepts again.
    Thread.detachNewThread { [descriptor] in
      defer { close(descriptor) }
      while true {
        let client = accept(descriptor, nil, nil)
        guard client >= 0 else { return }
        Thread.detachNewThread {
          body(client)
          close(client)
        }
      }
    }
  }

  /// Stops the listener, which then refuses connections.
  func end() {
    hasEnded.withLock { hasEnded in
      if !hasEnded { shutdown(descriptor, Int32(SHUT_RDWR)) }
      hasEnded = true
    }
  }

  /// Sends all bytes. Returns false if the client has disconnected.
  @discardableResult
  static func send(_ bytes: [UInt8], _ client: Int32) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }
}
