import CZeroMQ

/// What libzmq tells of a socket's connections, of what the links want to know.
enum SocketEvent: Equatable {
  /// Why a handshake failed.
  enum Failure: Equatable {
    /// The other end says that this end's key may not come in.
    case refused
    /// One end uses keys and the other does not.
    case otherMechanism
    /// A key that is not the server's, or no CURVE at all.
    case cryptographic
    /// What came is no handshake.
    case malformed
    /// The connection was cut in the middle: what a server does to a client that has a wrong key for it.
    case cut

    fileprivate init(protocolError: UInt32) {
      switch Int(protocolError) {
      case Int(ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH): self = .otherMechanism
      case Int(ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC): self = .cryptographic
      default: self = .malformed
      }
    }
  }

  /// The connection is there, and both ends take each other.
  case handshakeSucceeded
  /// It was there, and is gone; its descriptor.
  case disconnected(UInt32)
  /// There is none; libzmq tries again after a pause.
  case retrying(pauseMs: UInt32)
  case handshakeFailed(Failure)
  /// A peer has connected, whoever it is; the connection's descriptor.
  case accepted(UInt32)
  /// The address is not listened at any more: the connections that came by it end too, untold.
  case unbound

  /// The events that are asked for.
  static let mask = Int32(
    ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CLOSED | ZMQ_EVENT_CONNECT_RETRIED
      | ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
      | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH)

  /// Nil for any other message.
  init?(_ frames: [[UInt8]]) {
    guard let first = frames.first, first.count == 6 else { return nil }
    // In the machine's own byte order: it never leaves the process.
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
