import CZeroMQ
import Domain
package import Logging

extension Socket {
  /// Enables CURVE on a listening socket. A peer must know the socket's public key, and `Authenticator` checks the
  /// peer's key. Call this before `bind`.
  func enableCurveServer(_ keys: KeyPair, _ link: LinkName) throws(LinkError) {
    try limitEncrypted()
    try set(ZMQ_CURVE_SERVER, 1)
    try set(ZMQ_CURVE_SECRETKEY, keys.secret)
    try set(ZMQ_ZAP_DOMAIN, link.domain)
  }

  /// Enables CURVE on a client's socket. The client then connects only to the owner of the server key. Call this before
  /// `connect`.
  func enableCurveClient(_ curve: CurveClient) throws(LinkError) {
    try limitEncrypted()
    try set(ZMQ_CURVE_SERVERKEY, curve.server.description)
    try set(ZMQ_CURVE_PUBLICKEY, curve.keys.publicKey.description)
    try set(ZMQ_CURVE_SECRETKEY, curve.keys.secret)
  }

  /// Raises the limit for a frame, because libzmq counts the overhead of encryption. libzmq also applies the limit to
  /// the commands of the handshake.
  private func limitEncrypted() throws(LinkError) {
    try limit(frameBytesMax: max(frameBytesMax + Limits.curveFrameBytes, Limits.curveHandshakeBytesMax))
  }

  /// Drops the connection until `resume`.
  func suspend() {
    isSuspended = true
    disconnect()
  }

  /// Connects again after `suspend`.
  func resume() {
    isSuspended = false
    // libzmq accepted the address before. If it refuses the address now, the socket's next reconnect tries again.
    if let peer { try? reconnect(peer) }
  }

  /// Stops listening at the address, and ends all connections to it.
  package func unbind() {
    zmq_unbind(handle, boundName)
    isBound = false
  }

  /// Binds the previous address again, unless the socket is bound. Returns false while the address is in use.
  package func rebind() -> Bool {
    if !isBound { isBound = zmq_bind(handle, boundName) == 0 }
    return isBound
  }

  /// Binds the address at which libzmq sends ZAP requests. A context has one such socket.
  func bindAuthenticator() throws(LinkError) {
    let name = "inproc://zeromq.zap.01"
    guard zmq_bind(handle, name) == 0 else { throw .address(name, reason: LinkError.lastReason) }
  }
}

extension Reactor.Context {
  /// Binds a socket, with CURVE unless `curve` is nil. Returns the address with the actual port.
  ///
  /// - Parameter connections: Counter of the socket's connections. Nil if the caller does not need it.
  package func bind(
    _ socket: Socket, _ endpoint: Endpoint, as link: LinkName, curve: CurveServer?, connections: OpenConnections? = nil,
    logger: Logger
  ) throws(LinkError) -> Endpoint {
    let meters = HandshakeMeters(link)
    add(
      try HandshakeMonitor(
        self, watching: socket, link: link, meters: meters, hasKeys: curve != nil,
        connections: connections ?? OpenConnections(), logger: logger))
    guard let curve else { return try socket.bind(endpoint) }
    try authenticator(logger: logger).add(socket, link, curve.access, meters)
    try socket.enableCurveServer(curve.keys, link)
    return try socket.bind(endpoint)
  }

  /// Returns the existing authenticator, or creates it. From then on, libzmq asks it about each key.
  private func authenticator(logger: Logger) throws(LinkError) -> Authenticator {
    if let authenticator { return authenticator }
    let new = try Authenticator(self, logger: logger)
    authenticator = new
    add(new)
    return new
  }

  /// Connects a socket without keys, and without a log of its connections.
  package func connect(_ socket: Socket, _ endpoint: Endpoint, logger: Logger) throws(LinkError) {
    try connect(socket, endpoint, as: nil, curve: nil, logger: logger)
  }

  /// Connects a socket, with CURVE unless `curve` is nil.
  ///
  /// - Parameter link: Name of the connection in the log. Nil logs no connections.
  /// - Returns: the socket's reconnection.
  @discardableResult
  func connect(
    _ socket: Socket, _ endpoint: Endpoint, as link: LinkName?, curve: CurveClient?, logger: Logger
  ) throws(LinkError) -> Reconnector {
    if let curve { try socket.enableCurveClient(curve) }
    let reconnector = try Reconnector(
      self, reconnecting: socket, endpoint, curve: curve, link: link, logger: logger)
    add(reconnector)
    try socket.connect(endpoint)
    return reconnector
  }

  /// Returns a socket that receives libzmq's events about the connections of `watched`.
  func monitor(_ watched: Socket) throws(LinkError) -> Socket {
    let monitor = try self.socket(.pair, frameBytesMax: Limits.controlFrameBytesMax)
    // The queue has no limit. At a limit libzmq's own thread would block, and so would a thread that closes a socket.
    try monitor.set(ZMQOption.receiveHighWater, 0)
    try watched.startMonitoring(monitor)
    return monitor
  }
}
