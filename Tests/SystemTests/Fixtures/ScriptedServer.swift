import Foundation
import Glibc
import Synchronization

/// A server with scripted responses, one connection at a time. It records the requests.
final class ScriptedServer: Sendable {
  let port: UInt16
  private let descriptor: Int32
  private let received = Mutex<[String]>([])

  /// - Parameter responses: A status line and a JSON body for each connection. Nil closes the connection after the
  /// request. The last response repeats.
  init(_ responses: [(status: String, body: String)?]) throws {
    port = try Port.free()
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    guard withLoopback(port, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, 16) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EADDRINUSE)
    }
    Thread.detachNewThread { [self] in
      for index in 0... {
        let client = accept(descriptor, nil, nil)
        guard client >= 0 else { return }
        let request = ScriptedServer.request(client)
        received.withLock { $0.append(request) }
        if let response = responses[min(index, responses.count - 1)] {
          let text = """
            HTTP/1.1 \(response.status)\r\nContent-Type: application/json\r\nConnection: close\r
            Content-Length: \(response.body.utf8.count)\r\n\r\n\(response.body)
            """
          _ = Array(text.utf8).withUnsafeBytes { Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        }
        close(client)
      }
    }
  }

  /// Stops the server and its thread.
  func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  deinit { close(descriptor) }

  /// The received requests in order, each with head and body.
  var requests: [String] { received.withLock { $0 } }

  /// Returns the value of a header in each request to a path. Empty if it is missing.
  func values(of header: String, to path: String) -> [String] {
    requests.filter { $0.hasPrefix(path) }.map { request in
      let line = request.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix(header.lowercased() + ": ") }
      return line.map { String($0.dropFirst(header.count + 2)) } ?? ""
    }
  }

  /// Reads a request: its head and body.
  private static func request(_ client: Int32) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let text = String(decoding: bytes, as: UTF8.self)
      if let end = text.range(of: "\r\n\r\n") {
        let length = text.lowercased().range(of: "content-length: ").map { text.lowercased()[$0.upperBound...] }
        let count = length.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
        if text[end.upperBound...].utf8.count >= count { return text }
      }
      let count = recv(client, &buffer, buffer.count, 0)
      guard count > 0 else { return text }
      bytes += buffer[..<count]
    }
  }
}
