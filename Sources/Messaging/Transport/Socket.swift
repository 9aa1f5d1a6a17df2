import CZeroMQ
import Domain
import Glibc

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
  package enum SendStatus: Equatable {
    case accepted
    /// The peer's pipe is full, or no peer is there.
    case full
    /// A router has no such peer.
    case unroutable
  }

  /// Frames of a message that are looked at; further ones are dropped, and so many are already too many.
  var framesMax = 4
  /// libzmq's socket. `reconnect` replaces it.
  private(set) var handle: UnsafeMutableRawPointer
  private let context: UnsafeMutableRawPointer
  private let kind: Kind
  /// Of the sockets of its context.
  let number: Int
  /// Without what keys add to it.
  let frameBytesMax: Int
  /// The address that was taken, in libzmq's words; empty where none was.
  private(set) var boundName = ""
  /// True while it listens at `boundName`.
  var isBound = false
  /// Whether it may not connect for the moment.
  var isSuspended = false
  /// The address that it connects to.
  private(set) var peer: Endpoint?
  /// True if `receive` stores a message's sender.
  var keepsSender = false
  /// Sender of the message that `receive` returned last, as the kernel reports it: an IP address; on an ipc socket
  /// `localhost:UID:GID:PID`. Empty if libzmq does not report it, and without `keepsSender`.
  private(set) var sender = ""
  /// Every option that is set, for the next socket of libzmq.
  private var options: [(option: Int32, bytes: [UInt8])] = []
  /// The subscriptions, in their order.
  private var topics: [String] = []
  /// Receives libzmq's events of the connections.
  private var monitor: Socket?
  /// Number of monitor names used so far.
  private var monitorCount = 0
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
    // ZMTP's heartbeats stay off: with them libzmq 4.3.4 can abort the process (CEpollGuard). TCP finds peers that are
    // gone, and those that do not read.
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

  /// A longer frame from outside ends its connection. Before bind or connect.
  func limit(frameBytesMax: Int) throws(LinkError) {
    try set(ZMQ_MAXMSGSIZE, withUnsafeBytes(of: Int64(frameBytesMax), Array.init))
  }

  /// Sets an integer option, before bind or connect.
  package func set(_ option: Int32, _ value: Int32) throws(LinkError) {
    try set(option, withUnsafeBytes(of: value, Array.init))
  }

  /// Sets an option that is a text, before bind or connect.
  func set(_ option: Int32, _ value: String) throws(LinkError) { try set(option, Array(value.utf8)) }

  private func set(_ option: Int32, _ bytes: [UInt8]) throws(LinkError) {
    try check(zmq_setsockopt(handle, option, bytes, bytes.count))
    options.removeAll { $0.option == option }
    options.append((option, bytes))
  }

  /// Binds, and returns the address with the port that was taken.
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

  /// Drops the connection with all messages that it holds, and connects to an endpoint. While the socket is held back,
  /// only its address changes.
  ///
  /// Opens a new libzmq socket, because `zmq_disconnect` ends a connection later, and loses messages sent until then.
  func reconnect(_ endpoint: Endpoint) throws(LinkError) {
    peer = endpoint
    guard !isSuspended else { return }
    try reopen()
    try connect(endpoint)
  }

  /// Drops the connection later, when libzmq gets to it. Send nothing until `reconnect`.
  func disconnect() { if let peer { zmq_disconnect(handle, peer.description) } }

  /// Replaces libzmq's socket by one with the same options, subscriptions and monitor, without a connection.
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

  /// Subscribes to topics with a prefix. On an XPUB in manual mode: for the peer whose message was received last.
  package func subscribe(_ prefix: String) throws(LinkError) {
    try check(zmq_setsockopt(handle, ZMQ_SUBSCRIBE, prefix, prefix.utf8.count))
    // An XPUB's peers send their subscriptions again themselves.
    if kind == .sub { topics.append(prefix) }
  }

  /// Ends what `subscribe` began.
  func unsubscribe(_ prefix: String) throws(LinkError) {
    try check(zmq_setsockopt(handle, ZMQ_UNSUBSCRIBE, prefix, prefix.utf8.count))
    topics.removeAll { $0 == prefix }
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
      if keepsSender {
        sender = zmq_msg_gets(message, "Peer-Address").map { String(cString: $0) } ?? ""
        // A socket for both families writes IPv4 addresses with this prefix.
        if sender.hasPrefix("::ffff:") { sender.removeFirst(7) }
      }
      return frames
    }
  }

  /// Sends a message of one frame or more, whole or not at all. Never waits.
  @discardableResult
  package func send(_ frames: [UInt8]...) -> SendStatus { send(frames: frames) }

  /// The same of an array.
  @discardableResult
  package func send(frames: [[UInt8]]) -> SendStatus { send(frames, isWhole: true) }

  /// - Parameter isWhole: false where another frame follows the last.
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

  /// Sends frames and a shared last frame, whole or not at all. Never waits.
  @discardableResult
  func send(_ frames: [[UInt8]], _ last: SharedFrame) -> SendStatus {
    let sent = send(frames, isWhole: false)
    guard sent == .accepted else { return sent }
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

  /// Makes libzmq send the connections' events to `monitor`, a PAIR, until `close`.
  func startMonitoring(_ monitor: Socket) throws(LinkError) {
    self.monitor = monitor
    monitorCount += 1
    let name = "inproc://monitor-\(number)-\(monitorCount)"
    try check(zmq_socket_monitor(handle, name, SocketEvent.mask))
    guard zmq_connect(monitor.handle, name) == 0 else { throw .address(name, reason: LinkError.lastReason) }
  }

  /// Ends what `tell` began. Before the socket that reads it is closed: libzmq's own thread would wait for a reader.
  func stopMonitoring() { if monitor != nil { zmq_socket_monitor(handle, nil, 0) } }

  func close() { zmq_close(handle) }

  deinit { message.deallocate() }

  private func check(_ result: Int32) throws(LinkError) {
    guard result == 0 else { throw .socket(reason: LinkError.lastReason) }
  }
}
