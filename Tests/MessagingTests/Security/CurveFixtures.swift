import CZeroMQ
import Foundation
import Glibc
import InMemoryLogging
import Logging
import Synchronization

@testable import Domain
@testable import Messaging

/// A server's keys with an allowlist, and keys of its clients.
struct TestKeys {
  let server: KeyPair
  let access: LiveAllowList

  init(_ allowed: KeyPair...) throws {
    server = try .random()
    access = LiveAllowList(try AllowList.of(allowed))
  }

  var curve: CurveServer { CurveServer(keys: server, access: access) }

  func client(_ keys: KeyPair) -> CurveClient { CurveClient(keys: keys, server: server.publicKey) }
}

extension AllowList {
  /// Returns an allowlist of the keys, with the names "peer 0", "peer 1" and so on.
  static func of(_ pairs: [KeyPair]) throws -> AllowList {
    try AllowList(pairs.enumerated().map { "\($1.publicKey) peer \($0)" }.joined(separator: "\n"))
  }
}

/// Log lines of every level, as text.
struct LineLog: Sendable {
  private let handler = InMemoryLogHandler()

  var logger: Logger {
    var logger = Logger(label: "test") { [handler] _ in handler }
    logger.logLevel = .trace
    return logger
  }

  var lines: [String] {
    handler.entries.map { entry in
      "\(entry.message) " + entry.metadata.map { "\($0)=\($1)" }.sorted().joined(separator: " ")
    }
  }

  func lines(with word: String) -> [String] { lines.filter { $0.contains(word) } }
}

/// A ROUTER with CURVE but without a ZAP handler, which counts its connections.
final class CountingServer {
  private let context = zmq_ctx_new()
  private let socket: UnsafeMutableRawPointer?
  private let monitor: UnsafeMutableRawPointer?
  let endpoint: Endpoint
  private(set) var connections = 0

  init(_ keys: KeyPair) throws {
    socket = zmq_socket(context, ZMQ_ROUTER)
    monitor = zmq_socket(context, ZMQ_PAIR)
    var (one, none): (Int32, Int32) = (1, 0)
    for socket in [socket, monitor] { zmq_setsockopt(socket, ZMQ_LINGER, &none, 4) }
    zmq_setsockopt(socket, ZMQ_CURVE_SERVER, &one, 4)
    zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, keys.secret, 40)
    zmq_socket_monitor(socket, "inproc://counted", Int32(ZMQ_EVENT_ACCEPTED))
    zmq_connect(monitor, "inproc://counted")
    zmq_bind(socket, "tcp://127.0.0.1:*")
    var name = [CChar](repeating: 0, count: 256)
    var length = name.count
    zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, &name, &length)
    endpoint = try Endpoint(String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self))
  }

  deinit {
    zmq_socket_monitor(socket, nil, 0)
    for socket in [monitor, socket] { zmq_close(socket) }
    zmq_ctx_term(context)
  }

  /// Counts the connections since the last call, and returns the total.
  func count() -> Int {
    var bytes = [UInt8](repeating: 0, count: 256)
    while zmq_recv(monitor, &bytes, bytes.count, ZMQ_DONTWAIT) >= 0 {
      zmq_recv(monitor, &bytes, bytes.count, ZMQ_DONTWAIT)
      connections += 1
    }
    return connections
  }
}

/// A relay of one TCP connection, which records all bytes.
final class Eavesdropper: Sendable {
  private let listener: Int32
  private let bytes = Mutex<[UInt8]>([])
  let port: UInt16

  init(to target: UInt16) {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = Eavesdropper.loopback(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    port = withUnsafeMutablePointer(to: &address) { [listener] pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length)
        listen(listener, 4)
        getsockname(listener, $0, &length)
      }
      return UInt16(bigEndian: pointer.pointee.sin_port)
    }
    detach { [self] in
      let client = accept(listener, nil, nil)
      let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = Eavesdropper.loopback(target)
      _ = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      detach { [self] in pump(client, server) }
      pump(server, client)
    }
  }

  func stop() { close(listener) }

  /// Returns true if the relay has seen this text in either direction.
  func hasSeen(_ text: String) -> Bool {
    let pattern = Array(text.utf8)
    return bytes.withLock { bytes in
      bytes.indices.contains { bytes[$0...].starts(with: pattern) }
    }
  }

  var count: Int { bytes.withLock { $0.count } }

  private func pump(_ from: Int32, _ to: Int32) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(from, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      bytes.withLock { $0 += buffer[..<count] }
      guard send(to, buffer, count, Int32(MSG_NOSIGNAL)) == count else { break }
    }
    shutdown(to, Int32(SHUT_RDWR))
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}

private func detach(_ body: @escaping @Sendable () -> Void) { Thread.detachNewThread(body) }
