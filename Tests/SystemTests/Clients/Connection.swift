import Foundation
import Glibc

/// A TCP connection to this machine, for bytes that no library would send.
final class Connection: Sendable {
  private let descriptor: Int32

  /// - Parameter receiveBuffer: bytes that the kernel keeps until they are read, about; nil for as many as it likes.
  init(port: UInt16, receiveBuffer: Int32? = nil) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    if var receiveBuffer {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
    }
    // `deinit` closes it.
    guard withLoopback(port, { connect(descriptor, $0, $1) }) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .ECONNREFUSED)
    }
  }

  deinit { close(descriptor) }

  /// Sends as much as the other end takes within the time.
  ///
  /// - Returns: true if the other end has hung up before it took all.
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

  /// True while the other end has not closed and nothing that it has sent waits to be read.
  var isOpen: Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK)) < 0 && errno == EAGAIN
  }

  /// Count of segments that the kernel of this end has sent again, SYNs among them.
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

  /// From now on its end is a reset (RST).
  func endsWithReset() {
    var action = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &action, socklen_t(MemoryLayout<linger>.size))
  }

  /// Says that nothing more will be sent; answers can still come.
  func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// What comes until the other end closes, so many bytes are there, or the time is over.
  @discardableResult
  func receive(_ enough: Int = .max, within limit: Duration = .seconds(120)) async throws -> String {
    String(decoding: try await bytes(enough == .max ? nil : enough, within: limit), as: UTF8.self)
  }

  /// The same as bytes, and no more than are wanted; nil for all that comes.
  func bytes(_ count: Int?, within limit: Duration = .seconds(120)) async throws -> [UInt8] {
    let end = ContinuousClock.now + limit
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while received.count < count ?? .max, ContinuousClock.now < end {
      let room = min(buffer.count, (count ?? .max) - received.count)
      let count = recv(descriptor, &buffer, room, Int32(MSG_DONTWAIT))
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

  /// What is there, as soon as anything is; empty when the other end has closed. Throws when the time is over.
  func some(within limit: Duration) async throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    return try await eventually("something comes", within: limit) {
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      return count < 0 && errno == EAGAIN ? nil : Array(buffer[..<max(0, count)])
    }
  }
}
