import CZeroMQ
import Domain
import Glibc

/// A ZeroMQ socket. libzmq requires that its reactor's thread alone creates, uses and closes it.
package final class Socket {
  /// The socket types that the links use.
  package enum Kind: Int32 {
    case dealer = 5
    case router = 6
    case sub = 2
    case xpub = 9
    /// A socket within the process, for libzmq's events of another socket.
    case pair = 0
  }

  /// The result of a send.
  package enum SendStatus: Equatable {
    case accepted
    /// The peer's pipe is full, or there is no peer.
    case full
    /// A ROUTER has no such peer.
    case unroutable
  }

  /// Maximum number of frames that `receive` keeps of a message. It drops further frames. The default exceeds every
  /// valid message of the links.
  var framesMax = 4
  /// libzmq's socket. `reconnect` replaces it.
  private(set) var handle: UnsafeMutableRawPointer
  private let context: UnsafeMutableRawPointer
  private let kind: Kind
  /// Number of the socket within its context.
  let number: Int
  /// Maximum bytes of a received frame, without the overhead of encryption.
  let frameBytesMax: Int
  /// The bound address, as libzmq writes it. Empty before the first `bind`.
  private(set) var boundName = ""
  /// True while the socket listens at `boundName`.
  var isBound = false
  /// True while the socket may not connect.
  var isSuspended = false
  /// The address to which the socket connects.
  private(set) var peer: Endpoint?
  /// True if `receive` stores a message's sender.
  var keepsSender = false
  /// Sender of the message that `receive` returned last, as the kernel reports it: an IP address, or
  /// `localhost:UID:GID:PID` on an ipc socket. Empty if libzmq does not report it, and without `keepsSender`.
  private(set) var sender = ""
  /// The options set so far, to set them on the libzmq socket of a reconnect.
  private var options: [(option: Int32, bytes: [UInt8])] = []
  /// The subscriptions in their order.
  private var topics: [String] = []
  /// The socket that receives libzmq's events about the connections.
  private var monitor: Socket?
  /// Number of monitor names used so far.
  private var monitorCount = 0
  /// A message buffer at a fixed address, because libzmq keeps a short message's bytes within it.
  private let message = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: 1)

  /// Creates a socket of a libzmq context.
  ///
  /// - Parameters:
  ///   - context: libzmq's context.
  ///   - number: Number of the socket, unique within the context.
  ///   - frameBytesMax: Maximum bytes of a received frame. A longer one ends its connection.
  ///   - threads: A bit for each of libzmq's threads that may serve the socket. 0 permits all.
  ///   - lingerMs: Time for which unsent messages may delay the end of the process, in milliseconds.
  init(
    _ kind: Kind, context: UnsafeMutableRawPointer, number: Int, frameBytesMax: Int, threads: UInt64 = 0,
    lingerMs: Int32 = Int32(Limits.linkLingerMs)
  ) throws(LinkError) {
    guard let handle = zmq_socket(context, kind.rawValue) else { throw .socket(reason: LinkError.lastReason) }
    self.handle = handle
    self.context = context
    self.kind = kind
    self.number = number
    self.frameBytesMax = frameBytesMax
    try set(ZMQ_AFFINITY, withUnsafeBytes(of: threads, Array.init))
    try set(ZMQ_LINGER, lingerMs)
    try set(ZMQOption.sendHighWater, Int32(Limits.linkFramesQueuedMax))
    try set(ZMQOption.receiveHighWater, Int32(Limits.linkFramesQueuedMax))
    // ZMTP's heartbeats stay off, because with them libzmq 4.3.4 can abort the process (CEpollGuard). TCP detects peers
    // that have disappeared or do not read.
    try set(ZMQ_TCP_KEEPALIVE, 1)
    try set(ZMQ_TCP_KEEPALIVE_IDLE, Int32(Limits.linkProbeSeconds))
    try set(ZMQ_TCP_KEEPALIVE_INTVL, Int32(Limits.linkProbeSeconds))
    try set(ZMQ_TCP_MAXRT, Int32(Limits.linkUnreadMs))
    try set(ZMQ_CONNECT_TIMEOUT, Int32(Limits.linkConnectMs))
    try set(ZMQ_HANDSHAKE_IVL, Int32(Limits.linkHandshakeMs))
    try set(ZMQ_RECONNECT_IVL, Int32(Int64.random(in: Limits.linkReconnectMs)))
    try set(ZMQ_RECONNECT_IVL_MAX, Int32(Limits.linkReconnectCapMs))
    try set(ZMQ_IPV6, 1)
    try limit(frameBytesMax: frameBytesMax)
  }

  /// Sets the maximum bytes of a received frame. A longer one ends its connection. Call this before bind or connect.
  func limit(frameBytesMax: Int) throws(LinkError) {
    try set(ZMQ_MAXMSGSIZE, withUnsafeBytes(of: Int64(frameBytesMax), Array.init))
  }

  /// Sets an integer option. Call this before bind or connect.
  package func set(_ option: Int32, _ value: Int32) throws(LinkError) {
    try set(option, withUnsafeBytes(of: value, Array.init))
  }

  /// Sets a text option. Call this before bind or connect.
  func set(_ option: Int32, _ value: String) throws(LinkError) { try set(option, Array(value.utf8)) }

  private func set(_ option: Int32, _ bytes: [UInt8]) throws(LinkError) {
    try check(zmq_setsockopt(handle, option, bytes, bytes.count))
    options.removeAll { $0.option == option }
    options.append((option, bytes))
  }

  /// Binds the socket, and returns the address with the actual port.
  func bind(_ endpoint: Endpoint) throws(LinkError) -> Endpoint {
    guard zmq_bind(handle, endpoint.description) == 0 else {
      throw .address(endpoint.description, reason: LinkError.lastReason)
    }
    var name = [CChar](repeating: 0, count: Limits.endpointBytesMax)
    var length = name.count
    try check(zmq_getsockopt(handle, ZMQ_LAST_ENDPOINT, &name, &length))
    let text = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    boundName = text
    isBound = true
    // A dual-stack socket writes an IPv4 address in this form.
    guard text.hasPrefix("tcp://[::ffff:") else { return try Endpoint(text) }
    return try Endpoint("tcp://" + text.dropFirst(14).replacing("]", with: ""))
  }

  func connect(_ endpoint: Endpoint) throws(LinkError) {
    peer = endpoint
    guard zmq_connect(handle, endpoint.description) == 0 else {
      throw .address(endpoint.description, reason: LinkError.lastReason)
    }
  }

  /// Drops the connection with all messages that it holds, and connects to an endpoint. While the socket is suspended,
  /// only its address changes.
  ///
  /// Opens a new libzmq socket, because `zmq_disconnect` ends a connection later, and loses messages sent until then.
  func reconnect(_ endpoint: Endpoint) throws(LinkError) {
    peer = endpoint
    guard !isSuspended else { return }
    try reopen()
    try connect(endpoint)
  }

  /// Drops the connection with all messages that it holds. The socket has none until `reconnect`.
  func drop() throws(LinkError) {
    isSuspended = true
    try reopen()
  }

  /// Drops the connection later, when libzmq processes the call. Send nothing until `reconnect`.
  func disconnect() { if let peer { zmq_disconnect(handle, peer.description) } }

  /// Replaces libzmq's socket with a new one, without a connection. Options, subscriptions and monitor stay the same.
  private func reopen() throws(LinkError) {
    guard let next = zmq_socket(context, kind.rawValue) else { throw .socket(reason: LinkError.lastReason) }
    stopMonitoring()
    var none: Int32 = 0
    zmq_setsockopt(handle, ZMQ_LINGER, &none, MemoryLayout<Int32>.size)
    zmq_close(handle)
    handle = next
    for (option, bytes) in options { try check(zmq_setsockopt(handle, option, bytes, bytes.count)) }
    for topic in topics { try check(zmq_setsockopt(handle, ZMQ_SUBSCRIBE, topic, topic.utf8.count)) }
    if let monitor {
      try monitor.reopen()
      try startMonitoring(monitor)
    }
  }

  /// Subscribes to topics with a prefix. An XPUB in manual mode subscribes the peer that sent the last message.
  package func subscribe(_ prefix: String) throws(LinkError) {
    try check(zmq_setsockopt(handle, ZMQ_SUBSCRIBE, prefix, prefix.utf8.count))
    // After a reconnect, an XPUB's peers send their own subscriptions again.
    if kind == .sub { topics.append(prefix) }
  }

  /// Ends a subscription of `subscribe(_:)`.
  func unsubscribe(_ prefix: String) throws(LinkError) {
    try check(zmq_setsockopt(handle, ZMQ_UNSUBSCRIBE, prefix, prefix.utf8.count))
    topics.removeAll { $0 == prefix }
  }

  /// Returns the next message, or nil if there is none now. Never blocks.
  func receive() -> [[UInt8]]? {
    var frames: [[UInt8]] = []
    while true {
      zmq_msg_init(message)
      defer { zmq_msg_close(message) }
      while zmq_msg_recv(message, handle, ZMQ_DONTWAIT) < 0 {
        guard zmq_errno() == EINTR else { return nil }
      }
      // A peer may send any number of frames.
      if frames.count < framesMax {
        frames.append(Array(UnsafeRawBufferPointer(start: zmq_msg_data(message), count: zmq_msg_size(message))))
      }
      guard zmq_msg_more(message) == 0 else { continue }
      if keepsSender {
        sender = zmq_msg_gets(message, "Peer-Address").map { String(cString: $0) } ?? ""
        // A dual-stack socket writes IPv4 addresses with this prefix.
        if sender.hasPrefix("::ffff:") { sender.removeFirst(7) }
      }
      return frames
    }
  }

  /// Sends a message of at least one frame, completely or not at all. Never blocks.
  @discardableResult
  package func send(_ frames: [UInt8]...) -> SendStatus { send(frames: frames) }

  /// Sends a message of at least one frame, completely or not at all. Never blocks.
  @discardableResult
  package func send(frames: [[UInt8]]) -> SendStatus { send(frames, isWhole: true) }

  /// Sends frames of a message.
  ///
  /// - Parameter isWhole: False if another frame follows the last one.
  private func send(_ frames: [[UInt8]], isWhole: Bool) -> SendStatus {
    for (index, frame) in frames.enumerated() {
      let more = isWhole && index == frames.count - 1 ? 0 : ZMQ_SNDMORE
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

  /// Sends frames and a shared last frame, completely or not at all. Never blocks.
  @discardableResult
  func send(_ frames: [[UInt8]], _ last: SharedFrame) -> SendStatus {
    let status = send(frames, isWhole: false)
    guard status == .accepted else { return status }
    zmq_msg_init(message)
    zmq_msg_copy(message, last.message)
    while zmq_msg_send(message, handle, ZMQ_DONTWAIT) < 0 {
      guard zmq_errno() == EINTR else {
        zmq_msg_close(message)
        return .full
      }
    }
    return .accepted
  }

  /// Makes libzmq send the connections' events to `monitor`, a PAIR, until `stopMonitoring()`.
  func startMonitoring(_ monitor: Socket) throws(LinkError) {
    self.monitor = monitor
    monitorCount += 1
    let name = "inproc://monitor-\(number)-\(monitorCount)"
    try check(zmq_socket_monitor(handle, name, SocketEvent.mask))
    guard zmq_connect(monitor.handle, name) == 0 else { throw .address(name, reason: LinkError.lastReason) }
  }

  /// Stops the events of `startMonitoring(_:)`. Call this before the monitor closes, because libzmq's own thread would
  /// wait for a reader.
  func stopMonitoring() { if monitor != nil { zmq_socket_monitor(handle, nil, 0) } }

  func close() { zmq_close(handle) }

  deinit { message.deallocate() }

  private func check(_ result: Int32) throws(LinkError) {
    guard result == 0 else { throw .socket(reason: LinkError.lastReason) }
  }
}
