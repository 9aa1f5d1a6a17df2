import Foundation
import Glibc
import Synchronization

/// A local HTTP server that sends scripted replies and records requests. It serves one request per connection, and any
/// number of connections in parallel.
package final class StubServer: Sendable {
  /// A received request.
  package struct Request: Sendable {
    /// The method, such as "GET".
    package let method: String
    /// The request target, such as "/search?q=Oslo".
    package let target: String
    /// The header fields by lower-case name.
    package let headers: [String: String]
    /// The body as text.
    package let body: String
    /// The time of arrival on a monotonic clock, in milliseconds.
    package let atMs: Int64

    /// Returns a query parameter's decoded value, or nil if it is missing.
    package func parameter(_ name: String) -> String? {
      URLComponents(string: target)?.queryItems?.first { $0.name == name }?.value
    }

    /// Returns a form field's value, or nil if it is missing.
    package func field(_ name: String) -> String? {
      URLComponents(string: "/?\(body)")?.queryItems?.first { $0.name == name }?.value
    }

    /// The target without its parameters.
    package var path: String { String(target.prefix { $0 != "?" }) }
  }

  /// The reply to a request.
  package enum Reply: Sendable, CustomStringConvertible {
    case response(status: Int = 200, headers: [String: String] = [:], body: String)
    /// Sends these bytes unchanged, then closes the connection.
    case raw([UInt8])
    /// Resets the connection.
    case reset
    /// Sends nothing until the client disconnects.
    case silence
    /// Sends a head, and then one byte of the body every 100 ms.
    case drip
    /// Sends the reply after a delay in milliseconds.
    indirect case delayed(ms: Int32, Reply)

    /// The reply with the beginning of its contents, because a test's arguments are in its output.
    package var description: String {
      switch self {
      case .response(let status, let headers, let body):
        "response \(status) \(headers) of \(body.utf8.count) bytes: \(body.prefix(80))"
      case .raw(let bytes): "\(bytes.count) raw bytes: \(String(decoding: bytes.prefix(80), as: UTF8.self))"
      case .reset: "reset"
      case .silence: "silence"
      case .drip: "drip"
      case .delayed(let delayMs, let reply): "after \(delayMs) ms: \(reply)"
      }
    }
  }

  package var port: UInt16 { listener.port }
  private let listener: LoopbackListener
  private let reply: Mutex<@Sendable (Request) -> Reply>
  private let received = Mutex<[Request]>([])
  private let open = Mutex<(now: Int, most: Int)>((0, 0))
  private let abandoned = Mutex(0)

  /// - Parameters:
  ///   - port: The port. 0 selects a free one.
  ///   - reply: Called for each request, on a separate thread.
  package init(port: UInt16 = 0, reply: @escaping @Sendable (Request) -> Reply) throws {
    self.reply = Mutex(reply)
    listener = try LoopbackListener(port: port)
    listener.serve { [weak self] client in self?.serve(client) }
  }

  deinit { end() }

  /// Stops the server, which then refuses connections.
  package func end() { listener.end() }

  /// The server's URL, without a trailing slash.
  package var url: String { "http://127.0.0.1:\(port)" }

  /// Replaces the reply to later requests.
  package func setResponse(_ reply: @escaping @Sendable (Request) -> Reply) { self.reply.withLock { $0 = reply } }

  /// The requests in order of arrival.
  package var requests: [Request] { received.withLock { $0 } }

  /// The maximum number of concurrent requests.
  package var maxConcurrent: Int { open.withLock { $0.most } }

  /// The number of clients that disconnected before a complete response.
  package var abandonedCount: Int { abandoned.withLock { $0 } }

  private func serve(_ client: Int32) {
    guard let request = StubServer.request(client) else { return }
    received.withLock { $0.append(request) }
    open.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
    let reply = reply.withLock { $0 }(request)
    // Count the end before the last byte, because after that byte the client may send the next request.
    deliver(reply, client) { self.open.withLock { $0.now -= 1 } }
    switch reply {
    case .silence, .drip: abandoned.withLock { $0 += 1 }
    case .response, .raw, .reset, .delayed: break
    }
  }

  private func deliver(_ reply: Reply, _ client: Int32, done: () -> Void) {
    switch reply {
    case .response(let status, let headers, let body):
      var head = "HTTP/1.1 \(status) -\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n"
      if headers["Content-Type"] == nil { head += "Content-Type: application/json; charset=utf-8\r\n" }
      for (name, value) in headers { head += "\(name): \(value)\r\n" }
      done()
      LoopbackListener.send(Array("\(head)\r\n\(body)".utf8), client)
    case .raw(let bytes):
      done()
      LoopbackListener.send(bytes, client)
    case .reset:
      done()
      var now = linger(l_onoff: 1, l_linger: 0)
      setsockopt(client, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    case .silence:
      _ = StubServer.hasDisconnected(client, withinMs: -1)
      done()
    case .drip:
      LoopbackListener.send(
        Array("HTTP/1.1 200 -\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n".utf8), client)
      while !StubServer.hasDisconnected(client, withinMs: 100), LoopbackListener.send([0x20], client) {}
      done()
    case .delayed(let ms, let reply):
      if StubServer.hasDisconnected(client, withinMs: ms) { done() } else { deliver(reply, client, done: done) }
    }
  }

  /// Returns true if the client disconnects within `withinMs` milliseconds. -1 sets no limit.
  private static func hasDisconnected(_ client: Int32, withinMs: Int32) -> Bool {
    var item = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
    return poll(&item, 1, withinMs) > 0
  }

  /// Reads a request. Returns nil if the client disconnects first.
  private static func request(_ client: Int32) -> Request? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let text = String(decoding: bytes, as: UTF8.self)
      if let end = text.range(of: "\r\n\r\n") {
        let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
        let body = String(text[end.upperBound...])
        let headers = lines.dropFirst().map { line in
          let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
          return (parts[0].lowercased(), parts.count > 1 ? parts[1] : "")
        }
        let fields = Dictionary(headers) { $1 }
        if body.utf8.count >= fields["content-length"].flatMap({ Int($0) }) ?? 0 {
          let line = lines[0].split(separator: " ").map(String.init)
          return Request(
            method: line.first ?? "", target: line.dropFirst().first ?? "", headers: fields, body: body, atMs: nowMs)
        }
      }
      let count = recv(client, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      bytes += buffer[..<count]
    }
  }

  /// The monotonic clock of `Request.atMs`, in milliseconds.
  package static var nowMs: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}
