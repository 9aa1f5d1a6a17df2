import CZeroMQ
import Domain
package import Logging

extension Socket {
  /// Takes in only peers that know this key; whoever answers for the link says which of them. Before `bind`.
  func enableCurveServer(_ keys: KeyPair, _ link: LinkName) throws(LinkError) {
    try limitEncrypted()
    try set(ZMQ_CURVE_SERVER, 1)
    try set(ZMQ_CURVE_SECRETKEY, keys.secret)
    try set(ZMQ_ZAP_DOMAIN, link.domain)
  }

  /// Connects only to the owner of that key. Before `connect`.
  func enableCurveClient(_ curve: CurveClient) throws(LinkError) {
    try limitEncrypted()
    try set(ZMQ_CURVE_SERVERKEY, curve.server.description)
    try set(ZMQ_CURVE_PUBLICKEY, curve.keys.publicKey.description)
    try set(ZMQ_CURVE_SECRETKEY, curve.keys.secret)
  }

  /// libzmq counts what it adds to a frame, and the commands of the handshake are frames to it too.
  private func limitEncrypted() throws(LinkError) {
    try limit(frameBytesMax: max(frameBytesMax + Limits.curveFrameBytes, Limits.curveHandshakeBytesMax))
  }

  /// Takes the connection away until `resume`.
  func suspend() {
    isSuspended = true
    disconnect()
  }

  /// Makes the connection that was taken away.
  func resume() {
    isSuspended = false
    // The address was good before. If libzmq refuses it now, the station's own reconnection repeats this.
    if let peer { try? reconnect(peer) }
  }

  /// Gives the address up, and with it all connections that came by it.
  func unbind() {
    zmq_unbind(handle, boundName)
    isBound = false
  }

  /// Binds the previous address again, unless the socket is bound. Returns false while the address is in use.
  func rebind() -> Bool {
    if !isBound { isBound = zmq_bind(handle, boundName) == 0 }
    return isBound
  }

  /// Where libzmq asks who may come in; one in a context.
  func bindAuthenticator() throws(LinkError) {
    let name = "inproc://zeromq.zap.01"
    guard zmq_bind(handle, name) == 0 else { throw .address(name, reason: LinkError.lastReason) }
  }
}

extension Reactor.Context {
  /// Binds a socket, with keys where there are some, and returns the address with the port that was taken.
  ///
  /// - Parameter connections: is kept up to date, where somebody wants to know.
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

  /// The one that there is, or a new one: from then on no key is let in unasked.
  private func authenticator(logger: Logger) throws(LinkError) -> Authenticator {
    if let authenticator { return authenticator }
    let made = try Authenticator(self, logger: logger)
    authenticator = made
    add(made)
    return made
  }

  /// Connects a socket, with keys where there are some.
  ///
  /// - Parameter link: what the log is to call the connection; nil where it is not to tell of it.
  package func connect(
    _ socket: Socket, _ endpoint: Endpoint, as link: LinkName? = nil, curve: CurveClient?, logger: Logger
  ) throws(LinkError) {
    if let curve { try socket.enableCurveClient(curve) }
    add(try Reconnector(self, reconnecting: socket, endpoint, curve: curve, link: link, logger: logger))
    try socket.connect(endpoint)
  }

  /// A socket that reads what libzmq tells of another one's connections.
  func monitor(_ watched: Socket) throws(LinkError) -> Socket {
    let monitor = try self.socket(.pair, frameBytesMax: Limits.controlFrameBytesMax)
    // No bound: libzmq's own thread would wait at it, and whoever then closes a socket would wait for that thread.
    try monitor.set(ZMQOption.receiveHighWater, 0)
    try watched.startMonitoring(monitor)
    return monitor
  }
}
