import CZeroMQ
import Domain
import Glibc

/// Probes of links for diagnosis. A probe sends no message, so the link's other end only logs a connection.
package enum LinkProbe {
  /// The outcome of a connection.
  package enum Outcome: Sendable, Equatable {
    /// The handshake succeeded: the peer speaks ZMTP and accepts this end's key.
    case connected
    /// The peer answered, and the handshake failed. The reason is the one that a client logs.
    case refused(reason: String)
    /// No handshake in time.
    case silent
  }

  /// The outcome of a bind.
  package enum Binding: Sendable, Equatable {
    case free
    /// Another socket listens at the address.
    case inUse
    /// The address cannot be bound on this host.
    case unusable(reason: String)
  }

  /// Connects to a link, waits for the handshake, and disconnects.
  ///
  /// - Throws: `LinkError` if libzmq refuses the address, or has no more sockets.
  package static func connect(
    _ endpoint: Endpoint, as link: LinkName, curve: CurveClient?, timeout: Duration
  ) async throws -> Outcome {
    let outcome = OneShot<Outcome>()
    let (reactor, _) = try Reactor.start("probe", wake: WakeupEvent()) { context in
      let socket = try context.socket(link.clientKind, frameBytesMax: Limits.feedFrameBytesMax)
      if let curve { try socket.enableCurveClient(curve) }
      let observer = HandshakeObserver(try context.monitor(socket), link: link, curve: curve, outcome: outcome)
      try socket.connect(endpoint)
      return (sockets: [observer], value: ())
    }
    let timer = Task {
      try await Task.sleep(for: timeout)
      outcome.set(.silent)
    }
    let result = await outcome.uncancelledValue()
    timer.cancel()
    reactor.stop()
    return result
  }

  /// Binds a TCP address as a service would, and frees it again. Blocks for a few milliseconds.
  ///
  /// - Throws: `LinkError` if libzmq has no more sockets.
  package static func bind(_ endpoint: Endpoint) throws -> Binding {
    // libzmq aborts the process if the system forbids this call.
    var interfaces: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&interfaces) == 0 else {
      return .unusable(reason: "cannot read the network interfaces: \(String(cString: strerror(errno)))")
    }
    freeifaddrs(interfaces)
    let (reactor, binding) = try Reactor.start("probe", wake: WakeupEvent()) { context in
      let socket = try context.socket(.router, frameBytesMax: Limits.controlFrameBytesMax)
      let binding: Binding
      if zmq_bind(socket.handle, endpoint.description) == 0 {
        binding = .free
      } else {
        binding = zmq_errno() == EADDRINUSE ? .inUse : .unusable(reason: LinkError.lastReason)
      }
      return (sockets: [], value: binding)
    }
    reactor.stop()
    return binding
  }
}

extension LinkName {
  /// Type of the socket with which clients connect.
  fileprivate var clientKind: Socket.Kind { self == .feed ? .sub : .dealer }
}

/// The observer of one handshake. Reactor's thread only.
private final class HandshakeObserver: ReactorSocket {
  let socket: Socket
  private let link: LinkName
  private let curve: CurveClient?
  private let outcome: OneShot<LinkProbe.Outcome>

  init(_ monitor: Socket, link: LinkName, curve: CurveClient?, outcome: OneShot<LinkProbe.Outcome>) {
    socket = monitor
    self.link = link
    self.curve = curve
    self.outcome = outcome
  }

  func receive(_ frames: [[UInt8]], nowMs: Int64) {
    switch SocketEvent(frames) {
    case .handshakeSucceeded: outcome.set(.connected)
    case .handshakeFailed(let failure):
      outcome.set(.refused(reason: Reconnector.reason(for: failure, curve: curve, link: link)))
    case .disconnected, .retrying, .accepted, .unbound, nil: break
    }
  }

  func tick(nowMs: Int64) -> Int64 { .max }

  func shutDown() {}
}
