import CZeroMQ

/// An event that libzmq reports about a socket's connections. Events of other kinds are not decoded.
enum SocketEvent: Equatable {
  /// The cause of a failed handshake.
  enum Failure: Equatable {
    /// The other end does not permit this end's key.
    case refused
    /// Only one end uses keys.
    case otherMechanism
    /// The key is not the server's, or the peer does not speak CURVE.
    case cryptographic
    /// The received bytes are not a handshake.
    case malformed
    /// The peer cut the connection during the handshake. A server does so if a client has a wrong server key.
    case cut

    fileprivate init(protocolError: UInt32) {
      switch Int(protocolError) {
      case Int(ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH): self = .otherMechanism
      case Int(ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC): self = .cryptographic
      default: self = .malformed
      }
    }
  }

  /// The handshake succeeded.
  case handshakeSucceeded
  /// The connection with this descriptor has ended.
  case disconnected(UInt32)
  /// There is no connection. libzmq retries after a pause.
  case retrying(pauseMs: UInt32)
  case handshakeFailed(Failure)
  /// A peer has connected and is not yet authorized. The value is the connection's descriptor.
  case accepted(UInt32)
  /// The socket no longer listens at the address. The connections to it end too, without events.
  case unbound

  /// The events to which the monitor subscribes.
  static let mask = Int32(
    ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CLOSED | ZMQ_EVENT_CONNECT_RETRIED
      | ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
      | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH)

  /// Decodes an event. Nil for any other message.
  init?(_ frames: [[UInt8]]) {
    guard let first = frames.first, first.count == 6 else { return nil }
    // The numbers have the machine's byte order, because the message never leaves the process.
    let (event, value) = first.withUnsafeBytes {
      (Int32($0.loadUnaligned(as: UInt16.self)), $0.loadUnaligned(fromByteOffset: 2, as: UInt32.self))
    }
    switch event {
    case Int32(ZMQ_EVENT_HANDSHAKE_SUCCEEDED): self = .handshakeSucceeded
    case Int32(ZMQ_EVENT_DISCONNECTED): self = .disconnected(value)
    case Int32(ZMQ_EVENT_CONNECT_RETRIED): self = .retrying(pauseMs: value)
    case Int32(ZMQ_EVENT_HANDSHAKE_FAILED_AUTH): self = .handshakeFailed(.refused)
    case Int32(ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL): self = .handshakeFailed(.init(protocolError: value))
    case Int32(ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL): self = .handshakeFailed(.cut)
    case Int32(ZMQ_EVENT_ACCEPTED): self = .accepted(value)
    case Int32(ZMQ_EVENT_CLOSED): self = .unbound
    default: return nil
    }
  }
}
