import Foundation
import Glibc
import Synchronization

/// A ZMTP server that completes each connection's handshake, sends bytes in one piece, and resets the connection.
final class ResettingServer: Sendable {
  let port: UInt16
  private let listener: Int32
  private let resets = Mutex(0)

  /// The number of connections that were reset after their handshake.
  var count: Int { resets.withLock { $0 } }

  /// - Parameters:
  ///   - handshake: Greeting and READY.
  ///   - burst: The bytes after them.
  init(handshake: [UInt8], burst: [UInt8]) throws {
    port = try Port.free()
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    guard withLoopback(port, { bind(listener, $0, $1) }) == 0, listen(listener, 8) == 0 else {
      throw TimeoutError(description: "cannot listen at \(port)")
    }
    Thread.detachNewThread { [self] in
      while true {
        let peer = accept(listener, nil, nil)
        guard peer >= 0 else { return }
        serve(peer, handshake, burst)
      }
    }
  }

  /// Stops the server's thread. Existing connections last until their reset.
  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  private func serve(_ peer: Int32, _ handshake: [UInt8], _ burst: [UInt8]) {
    defer { close(peer) }
    var timeout = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(peer, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    guard send(peer, handshake) else { return }
    // Read the peer's handshake before the burst, because other bytes together with the greeting end the handshake.
    var buffer = [UInt8](repeating: 0, count: 4_096)
    guard recv(peer, &buffer, 80, Int32(MSG_WAITALL)) == 80 else { return }
    var end = linger(l_onoff: 1, l_linger: 0)
    setsockopt(peer, SOL_SOCKET, SO_LINGER, &end, socklen_t(MemoryLayout<linger>.size))
    guard send(peer, burst) else { return }
    resets.withLock { $0 += 1 }
  }

  /// Sends bytes. Returns false if the peer has disconnected.
  private func send(_ peer: Int32, _ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { Glibc.send(peer, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard sent > 0 else { return false }
      rest = rest.dropFirst(sent)
    }
    return true
  }
}
