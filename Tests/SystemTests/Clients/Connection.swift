import Foundation
import Glibc

/// A local TCP connection, for bytes that no library would send.
final class Connection: Sendable {
  private let descriptor: Int32

  /// - Parameter receiveBuffer: Approximate size of the kernel's receive buffer, in bytes. Nil for the default.
  init(port: UInt16, receiveBuffer: Int32? = nil) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    if var receiveBuffer {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
    }
    // `deinit` closes the descriptor.
    guard withLoopback(port, { connect(descriptor, $0, $1) }) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .ECONNREFUSED)
    }
  }

  deinit { close(descriptor) }

  /// Sends as much as the peer accepts within the time.
  ///
  /// - Returns: True if the peer closed the connection before it accepted everything.
  @discardableResult
  func send(_ bytes: [UInt8], within limit: Duration = .seconds(120)) async throws -> Bool {
    let end = ContinuousClock.now + limit
    var rest = bytes[...]
    while !rest.isEmpty, ContinuousClock.now < end {
      let sent = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
      }
      if sent > 0 {
        rest = rest.dropFirst(sent)
      } else if errno == EAGAIN {
        try await Task.sleep(for: .milliseconds(5))
      } else {
        return true
      }
    }
    return false
  }

  /// True if the connection is open and has no unread data.
  var isOpen: Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK)) < 0 && errno == EAGAIN
  }

  /// Number of segments that this end's kernel has retransmitted, SYNs included.
  var retransmissions: UInt32 {
    get throws {
      var info = tcp_info()
      var size = socklen_t(MemoryLayout<tcp_info>.size)
      guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0 else {
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EINVAL)
      }
      return info.tcpi_total_retrans
    }
  }

  /// Makes the close of the connection a reset (RST).
  func endsWithReset() {
    var action = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &action, socklen_t(MemoryLayout<linger>.size))
  }

  /// Closes the sending half. Responses can still arrive.
  func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Receives until the peer closes, `enough` bytes have come, or the time is over.
  @discardableResult
  func receive(_ enough: Int = .max, within limit: Duration = .seconds(120)) async throws -> String {
    String(decoding: try await bytes(enough == .max ? nil : enough, within: limit), as: UTF8.self)
  }

  /// Receives at most `count` bytes. Nil receives everything.
  func bytes(_ count: Int?, within limit: Duration = .seconds(120)) async throws -> [UInt8] {
    let end = ContinuousClock.now + limit
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while received.count < count ?? .max, ContinuousClock.now < end {
      let capacity = min(buffer.count, (count ?? .max) - received.count)
      let count = recv(descriptor, &buffer, capacity, Int32(MSG_DONTWAIT))
      if count > 0 {
        received += buffer[..<count]
      } else if count < 0, errno == EAGAIN {
        try await Task.sleep(for: .milliseconds(5))
      } else {
        break
      }
    }
    return received
  }

  /// Receives a response without a body, or with a body that its Content-Length announces.
  func response() async throws -> String {
    var received: [UInt8] = []
    while true {
      let text = String(decoding: received, as: UTF8.self)
      if let head = text.range(of: "\r\n\r\n"),
        let length = text.firstMatch(of: #/(?i)content-length: (\d+)/#).flatMap({ Int($0.1) }),
        text[head.upperBound...].utf8.count >= length
      {
        return text
      }
      let more = try await some(within: .seconds(120))
      if more.isEmpty { return text }
      received += more
    }
  }

  /// Waits for data and returns it. Returns no bytes if the peer has closed. Throws when the time is over.
  func some(within limit: Duration) async throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    return try await eventually("data arrives", within: limit) {
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      return count < 0 && errno == EAGAIN ? nil : Array(buffer[..<max(0, count)])
    }
  }
}
