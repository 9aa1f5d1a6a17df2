import Foundation
import Glibc

/// A connection for HTTP requests one after the other, each of which blocks its thread. One thread at a time.
///
/// A load of hundreds of requests a second uses threads of its own. The tasks of the tests then never wait for it.
final class BlockingConnection {
  struct Response {
    let status: Int
    let body: [UInt8]

    /// A text member of the body. Nil if the body is not an object, or lacks the member.
    subscript(_ name: String) -> String? {
      (try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])?[name] as? String
    }

    /// The status, with the code of a problem: "503 ingest_unavailable".
    var kind: String { "\(status)" + (self["code"].map { " \($0)" } ?? "") }
  }

  /// The head of a response.
  private struct Head {
    let status: Int
    /// Length of the body.
    let length: Int
    /// Start of the body.
    let end: Int
    /// True if no further response follows on this connection.
    let isLast: Bool
  }

  private let descriptor: Int32
  /// True if a request has failed, or its response was the last one.
  private var isOver = false

  /// Connects to a port of this host. Nil if no program listens there.
  ///
  /// - Parameter seconds: Timeout of one response.
  init?(port: UInt16, seconds: Int) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    var timeout = timeval(tv_sec: seconds, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, size)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, size)
    // `deinit` closes the descriptor.
    guard withLoopback(port, { connect(descriptor, $0, $1) }) == 0 else { return nil }
  }

  deinit { close(descriptor) }

  /// True if the connection takes another request: the server has neither announced its end nor closed it.
  var isUsable: Bool {
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    return !isOver && count < 0 && errno == EAGAIN
  }

  /// Sends a request, and returns the response. Nil if the connection broke, or no response came in time. The
  /// connection cannot be used afterwards.
  func send(_ method: String, _ path: String, headers: [String: String] = [:], body: String = "") -> Response? {
    let fields = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
    let length = body.isEmpty ? "" : "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
    let request = Array("\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(fields)\(length)\r\n\(body)".utf8)
    var sent = 0
    while sent < request.count {
      let count = request[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else {
        isOver = true
        return nil
      }
      sent += count
    }
    let response = receive()
    isOver = isOver || response == nil
    return response
  }

  private func receive() -> Response? {
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var head: Head?
    while true {
      if let head, received.count >= head.end + head.length {
        isOver = head.isLast
        return Response(status: head.status, body: Array(received[head.end..<head.end + head.length]))
      }
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      received += buffer[..<count]
      if head == nil { head = Self.head(of: received) }
    }
  }

  /// Returns the head of a response. Nil before the end of the head.
  private static func head(of bytes: [UInt8]) -> Head? {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).lowercased().components(separatedBy: "\r\n")
    let length = lines.first { $0.hasPrefix("content-length: ") }.flatMap { Int($0.dropFirst(16)) }
    let status = lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) }
    return Head(
      status: status ?? 0, length: length ?? 0, end: end.upperBound, isLast: lines.contains("connection: close"))
  }
}
