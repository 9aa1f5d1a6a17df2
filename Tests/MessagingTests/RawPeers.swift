import CZeroMQ
import Domain
import Glibc

@testable import Messaging

/// A plain ZeroMQ socket without the rules of `Socket`.
final class RawSocket {
  private let context: UnsafeMutableRawPointer?
  private let socket: UnsafeMutableRawPointer?

  /// - Parameter unreadMax: Maximum number of unread messages in the socket's queue. TCP then soon blocks the sender.
  init(
    _ type: Int32, connect endpoint: Endpoint, subscribe topics: [String] = [], unreadMax: Int32? = nil,
    curve: CurveClient? = nil
  ) {
    context = zmq_ctx_new()
    socket = zmq_socket(context, type)
    var none: Int32 = 0
    zmq_setsockopt(socket, ZMQ_LINGER, &none, 4)
    if var unreadMax {
      var bytes: Int32 = 4_096
      zmq_setsockopt(socket, ZMQ_RCVHWM, &unreadMax, 4)
      zmq_setsockopt(socket, ZMQ_RCVBUF, &bytes, 4)
    }
    if let curve {
      zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, curve.server.description, 40)
      zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, curve.keys.publicKey.description, 40)
      zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, curve.keys.secret, 40)
    }
    for topic in topics { zmq_setsockopt(socket, ZMQ_SUBSCRIBE, topic, topic.utf8.count) }
    zmq_connect(socket, endpoint.description)
  }

  deinit {
    zmq_close(socket)
    zmq_ctx_term(context)
  }

  /// Sends the frames of one message.
  func send(_ frames: [[UInt8]]) {
    for (index, frame) in frames.enumerated() {
      let more = index < frames.count - 1 ? ZMQ_SNDMORE : 0
      // Repeat a send that a signal interrupts, because its frame would be lost. A full socket drops the frame, which
      // some tests need.
      while frame.withUnsafeBytes({ zmq_send(socket, $0.baseAddress, $0.count, ZMQ_DONTWAIT | more) }) < 0,
        zmq_errno() == EINTR
      {}
    }
  }

  /// Returns the next message, or nil if none has arrived.
  func receive() -> [[UInt8]]? {
    var frames: [[UInt8]] = []
    var message = zmq_msg_t()
    while true {
      zmq_msg_init(&message)
      defer { zmq_msg_close(&message) }
      guard zmq_msg_recv(&message, socket, ZMQ_DONTWAIT) >= 0 else { return nil }
      frames.append(Array(UnsafeRawBufferPointer(start: zmq_msg_data(&message), count: zmq_msg_size(&message))))
      if zmq_msg_more(&message) == 0 { return frames }
    }
  }
}

/// A TCP connection to a port of this host.
final class RawConnection {
  private let descriptor: Int32

  init(port: UInt16) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    _ = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  deinit { close(descriptor) }

  func write(_ bytes: [UInt8]) { _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
}

/// A server's socket that can fall silent: it then handles and sends nothing, but its connections stay open.
final class MutableSocket: ReactorSocket {
  private let server: any ReactorSocket
  private let isMute: Shared<Bool>

  init(_ server: any ReactorSocket, _ isMute: Shared<Bool>) { (self.server, self.isMute) = (server, isMute) }

  var socket: Socket { server.socket }
  func receive(_ frames: [[UInt8]], nowMs: Int64) { if !isMute.value { server.receive(frames, nowMs: nowMs) } }
  func tick(nowMs: Int64) -> Int64 { isMute.value ? nowMs + 10 : server.tick(nowMs: nowMs) }
  func shutDown() { if !isMute.value { server.shutDown() } }
}

/// A ROUTER that replies to every message with the same frame.
final class AnsweringSocket: ReactorSocket {
  let socket: Socket
  let endpoint: Endpoint
  private let answers: Counter
  private let reply: ([UInt8]) -> [UInt8]

  /// - Parameters:
  ///   - answers: Counter of replies.
  ///   - reply: Returns the reply to a message.
  private init(_ context: Reactor.Context, answers: Counter, reply: @escaping ([UInt8]) -> [UInt8]) throws {
    socket = try context.socket(.router, frameBytesMax: Limits.submitFrameBytesMax)
    endpoint = try socket.bind(.anyPort())
    (self.answers, self.reply) = (answers, reply)
  }

  /// Starts the socket on its own reactor. The caller stops the reactor.
  static func start(
    answers: Counter = Counter(), _ reply: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) throws -> (reactor: Reactor, endpoint: Endpoint) {
    let (reactor, endpoint) = try Reactor.start("answers", wake: WakeupEvent()) { context in
      let socket = try AnsweringSocket(context, answers: answers, reply: reply)
      return ([socket], socket.endpoint)
    }
    return (reactor, endpoint)
  }

  func receive(_ frames: [[UInt8]], nowMs: Int64) {
    guard frames.count == 2 else { return }
    socket.send(frames[0], reply(frames[1]))
    answers.add()
  }

  func tick(nowMs: Int64) -> Int64 { .max }
  func shutDown() {}
}
