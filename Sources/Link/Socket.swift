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
  private static let framesMax = 4

  let handle: UnsafeMutableRawPointer
  /// At one address: libzmq keeps a short message's bytes within it.
  private let message = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: 1)

  /// - Parameters:
  ///   - context: libzmq's.
  ///   - frameBytesMax: a longer frame from outside ends its connection.
  ///   - lingerMs: how long what is not yet sent holds up the end of the process.
  init(_ kind: Kind, context: UnsafeMutableRawPointer, frameBytesMax: Int, lingerMs: Int32 = 500) throws(LinkError) {
    guard let handle = zmq_socket(context, kind.rawValue) else { throw .socket(reason: LinkError.lastReason) }
    self.handle = handle
    try set(ZMQ_LINGER, lingerMs)
    try set(ZMQOption.sendHighWater, Int32(Limits.linkFramesQueuedMax))
    try set(ZMQOption.receiveHighWater, Int32(Limits.linkFramesQueuedMax))
    // Half-open connections are found by ZMTP's own pings; what an application does is the protocol's business.
    try set(ZMQ_HEARTBEAT_IVL, 5_000)
    try set(ZMQ_HEARTBEAT_TIMEOUT, 15_000)
    try set(ZMQ_HEARTBEAT_TTL, 20_000)
    try set(ZMQ_TCP_KEEPALIVE, 1)
    try set(ZMQ_CONNECT_TIMEOUT, 5_000)
    try set(ZMQ_HANDSHAKE_IVL, 10_000)
    // Random, so that a thousand peers do not come back in the same instant.
    try set(ZMQ_RECONNECT_IVL, 100 + Int32.random(in: 0..<400))
    try set(ZMQ_RECONNECT_IVL_MAX, 2_000)
    try set(ZMQ_IPV6, 1)
    var bytes = Int64(frameBytesMax)
    try check(zmq_setsockopt(handle, ZMQ_MAXMSGSIZE, &bytes, MemoryLayout<Int64>.size))
  }

  /// Sets an integer option, before bind or connect.
  func set(_ option: Int32, _ value: Int32) throws(LinkError) {
    var value = value
    try check(zmq_setsockopt(handle, option, &value, MemoryLayout<Int32>.size))
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
    // An IPv4 address as a socket for both families writes it.
    guard text.hasPrefix("tcp://[::ffff:") else { return try Endpoint(text) }
    return try Endpoint("tcp://" + text.dropFirst(14).replacing("]", with: ""))
  }

  func connect(_ endpoint: Endpoint) throws(LinkError) {
    guard zmq_connect(handle, endpoint.description) == 0 else {
      throw .address(endpoint.description, reason: LinkError.lastReason)
    }
  }

  /// Drops the connection and makes it anew, with everything that a broken one may hold.
  func reconnect(_ endpoint: Endpoint) throws(LinkError) {
    zmq_disconnect(handle, endpoint.description)
    try connect(endpoint)
  }

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
      if frames.count < Socket.framesMax {
        frames.append(Array(UnsafeRawBufferPointer(start: zmq_msg_data(message), count: zmq_msg_size(message))))
      }
      if zmq_msg_more(message) == 0 { return frames }
    }
  }

  /// Sends a message of one frame or more, whole or not at all. Never waits.
  @discardableResult
  func send(_ frames: [UInt8]...) -> Sent {
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

  func close() { zmq_close(handle) }

  deinit { message.deallocate() }

  private func check(_ result: Int32) throws(LinkError) {
    guard result == 0 else { throw .socket(reason: LinkError.lastReason) }
  }
}
