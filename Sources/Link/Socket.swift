import CZeroMQ
import Glibc
import OnTheMap

/// A ZeroMQ socket. Made, used and closed on one thread, its reactor's: libzmq allows nothing else.
package final class Socket {
  /// The kinds that the links use.
  package enum Kind: Int32 {
    case dealer = 5
    case router = 6
    case sub = 2
    case xpub = 9
    /// Only within a process: what libzmq tells of a socket.
    case pair = 0
  }

  /// What became of a message that was to be sent.
  package enum Sent: Equatable {
    case accepted
    /// The peer's pipe is full, or no peer is there.
    case full
    /// A router has no such peer.
    case unroutable
  }

  /// Frames of a message that are looked at; further ones are dropped, and so many are already too many.
  var framesMax = 4
  let handle: UnsafeMutableRawPointer
  /// Of the sockets of its context.
  let number: Int
  /// Without what keys add to it.
  let frameBytesMax: Int
  /// The address that was taken, in libzmq's words; empty where none was.
  private(set) var boundName = ""
  /// Whether it may not connect for the moment.
  var isHeldBack = false
  /// The address that it connects to.
  private(set) var peer: Endpoint?
  private var isWatched = false
  /// Whether `receive` keeps who has sent a message.
  var keepsSender = false
  /// Who sent the message that `receive` returned last, by what the kernel says: an IP address; of an ipc socket
  /// `:UID:GID:PID`. Empty where libzmq does not tell, and where it is not kept.
  private(set) var sender = ""
  /// At one address: libzmq keeps a short message's bytes within it.
  private let message = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: 1)

  /// - Parameters:
  ///   - context: libzmq's.
  ///   - number: no other socket of the context has it.
  ///   - frameBytesMax: a longer frame from outside ends its connection.
  ///   - threads: a bit for each of libzmq's threads that may serve it; none for all.
  ///   - lingerMs: how long what is not yet sent holds up the end of the process.
  init(
    _ kind: Kind, context: UnsafeMutableRawPointer, number: Int, frameBytesMax: Int, threads: UInt64 = 0,
    lingerMs: Int32 = 500
  ) throws(LinkError) {
    guard let handle = zmq_socket(context, kind.rawValue) else { throw .socket(reason: LinkError.lastReason) }
    self.handle = handle
    self.number = number
    self.frameBytesMax = frameBytesMax
    var threads = threads
    try check(zmq_setsockopt(handle, ZMQ_AFFINITY, &threads, MemoryLayout<UInt64>.size))
    try set(ZMQ_LINGER, lingerMs)
    try set(ZMQOption.sendHighWater, Int32(Limits.linkFramesQueuedMax))
    try set(ZMQOption.receiveHighWater, Int32(Limits.linkFramesQueuedMax))
    // ZMTP's heartbeats stay off: with them libzmq 4.3.4 can abort the process (CEpollGuard). TCP finds peers that are
    // gone, and those that do not read.
    try set(ZMQ_TCP_KEEPALIVE, 1)
    try set(ZMQ_TCP_KEEPALIVE_IDLE, Int32(Limits.linkProbeSeconds))
    try set(ZMQ_TCP_KEEPALIVE_INTVL, Int32(Limits.linkProbeSeconds))
    try set(ZMQ_TCP_MAXRT, Int32(Limits.linkUnreadMs))
    try set(ZMQ_CONNECT_TIMEOUT, 5_000)
    try set(ZMQ_HANDSHAKE_IVL, 10_000)
    // Random, so that a thousand peers do not come back in the same instant.
    try set(ZMQ_RECONNECT_IVL, 100 + Int32.random(in: 0..<400))
    try set(ZMQ_RECONNECT_IVL_MAX, 2_000)
    try set(ZMQ_IPV6, 1)
    try limit(frameBytesMax: frameBytesMax)
  }

  /// A longer frame from outside ends its connection. Before bind or connect.
  func limit(frameBytesMax: Int) throws(LinkError) {
    var bytes = Int64(frameBytesMax)
    try check(zmq_setsockopt(handle, ZMQ_MAXMSGSIZE, &bytes, MemoryLayout<Int64>.size))
  }

  /// Sets an integer option, before bind or connect.
  func set(_ option: Int32, _ value: Int32) throws(LinkError) {
    var value = value
    try check(zmq_setsockopt(handle, option, &value, MemoryLayout<Int32>.size))
  }

  /// Sets an option that is a text, before bind or connect.
  func set(_ option: Int32, _ value: String) throws(LinkError) {
    try check(zmq_setsockopt(handle, option, value, value.utf8.count))
  }

  /// Binds, and returns the address with the port that was taken.
  func bind(_ endpoint: Endpoint) throws(LinkError) -> Endpoint {
    guard zmq_bind(handle, endpoint.description) == 0 else {
      throw .address(endpoint.description, reason: LinkError.lastReason)
    }
    var name = [CChar](repeating: 0, count: 256)
    var length = name.count
    try check(zmq_getsockopt(handle, ZMQ_LAST_ENDPOINT, &name, &length))
    let text = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    boundName = text
    // An IPv4 address as a socket for both families writes it.
    guard text.hasPrefix("tcp://[::ffff:") else { return try Endpoint(text) }
    return try Endpoint("tcp://" + text.dropFirst(14).replacing("]", with: ""))
  }

  func connect(_ endpoint: Endpoint) throws(LinkError) {
    peer = endpoint
    guard zmq_connect(handle, endpoint.description) == 0 else {
      throw .address(endpoint.description, reason: LinkError.lastReason)
    }
  }

  /// Drops the connection, with everything that a broken one may hold, and makes it anew, there or elsewhere. While it
  /// is held back, only the address changes.
  func reconnect(_ endpoint: Endpoint) throws(LinkError) {
    if !isHeldBack { disconnect() }
    peer = endpoint
    if !isHeldBack { try connect(endpoint) }
  }

  /// Drops the connection.
  func disconnect() { if let peer { zmq_disconnect(handle, peer.description) } }

  func subscribe(_ prefix: String) throws(LinkError) {
    try check(zmq_setsockopt(handle, ZMQ_SUBSCRIBE, prefix, prefix.utf8.count))
  }

  func unsubscribe(_ prefix: String) throws(LinkError) {
    try check(zmq_setsockopt(handle, ZMQ_UNSUBSCRIBE, prefix, prefix.utf8.count))
  }

  /// The next message, or nil when there is none at the moment. Never waits.
  func receive() -> [[UInt8]]? {
    var frames: [[UInt8]] = []
    while true {
      zmq_msg_init(message)
      defer { zmq_msg_close(message) }
      while zmq_msg_recv(message, handle, ZMQ_DONTWAIT) < 0 {
        guard zmq_errno() == EINTR else { return nil }
      }
      // No protocol here has more than two; a peer may send as many as it likes.
      if frames.count < framesMax {
        frames.append(Array(UnsafeRawBufferPointer(start: zmq_msg_data(message), count: zmq_msg_size(message))))
      }
      guard zmq_msg_more(message) == 0 else { continue }
      if keepsSender { sender = zmq_msg_gets(message, "Peer-Address").map { String(cString: $0) } ?? "" }
      return frames
    }
  }

  /// Sends a message of one frame or more, whole or not at all. Never waits.
  @discardableResult
  func send(_ frames: [UInt8]...) -> Sent { send(frames: frames) }

  /// The same of an array.
  @discardableResult
  func send(frames: [[UInt8]]) -> Sent {
    for (index, frame) in frames.enumerated() {
      let more = index < frames.count - 1 ? ZMQ_SNDMORE : 0
      while frame.withUnsafeBytes({ zmq_send(handle, $0.baseAddress, $0.count, ZMQ_DONTWAIT | more) }) < 0 {
        switch zmq_errno() {
        case EINTR: continue
        case EHOSTUNREACH: return .unroutable
        default: return .full
        }
      }
    }
    return .accepted
  }

  /// From now on libzmq tells at that address what becomes of handshakes, until `close`.
  func tell(_ name: String) throws(LinkError) {
    try check(zmq_socket_monitor(handle, name, SocketEvent.mask))
    isWatched = true
  }

  /// Ends what `tell` began. Before the socket that reads it is closed: libzmq's own thread would wait for a reader.
  func tellNoMore() {
    if isWatched { zmq_socket_monitor(handle, nil, 0) }
    isWatched = false
  }

  func close() { zmq_close(handle) }

  deinit { message.deallocate() }

  private func check(_ result: Int32) throws(LinkError) {
    guard result == 0 else { throw .socket(reason: LinkError.lastReason) }
  }
}
