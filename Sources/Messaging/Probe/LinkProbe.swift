import CZeroMQ
import Domain
import Glibc
import SwiftProtobuf

/// Probes of links for diagnosis. A probe asks for nothing that changes the other end.
package enum LinkProbe {
  /// The outcome of a connection.
  package enum Outcome: Sendable, Equatable {
    /// The peer is the link's other end. The site is that of a gateway link. Nil for other links, during ingest's
    /// shutdown, and from an earlier version of ingest.
    case answered(site: GatewaySite?)
    /// The handshake succeeded, and the peer is the other end of another link.
    case otherLink
    /// The handshake succeeded: the peer speaks ZMTP and accepts this end's key. It sent nothing in time.
    case unanswered
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

  /// Connects to a link, waits for a message of the link's other end, and disconnects.
  ///
  /// The link gets one request that it answers immediately. A feed gets none, because its heartbeats follow by
  /// themselves. At the change log, the request comes from a feed with the name `doctor`.
  ///
  /// - Parameter link: `jobs`, `changes`, `gateway` or `feed`.
  /// - Throws: `LinkError` if libzmq refuses the address, or has no more sockets.
  package static func connect(
    _ endpoint: Endpoint, as link: LinkName, curve: CurveClient?, timeout: Duration
  ) async throws -> Outcome {
    let (handshake, outcome) = (OneShot<Void>(), OneShot<Outcome>())
    let (reactor, _) = try Reactor.start("probe", wake: WakeupEvent()) { context in
      let socket = try context.socket(link.clientKind, frameBytesMax: Limits.feedFrameBytesMax)
      // A request that has not left need not delay the end of the probe.
      try socket.set(ZMQ_LINGER, 0)
      if let curve { try socket.enableCurveClient(curve) }
      let observer = HandshakeObserver(
        try context.monitor(socket), link: link, curve: curve, handshake: handshake, outcome: outcome)
      if link == .feed { try socket.subscribe(Topic.heartbeat) }
      try socket.connect(endpoint)
      // libzmq sends it after the handshake.
      if let request = link.request { socket.send(request) }
      return (sockets: [observer, ReplyReader(socket, link: link, outcome: outcome)], value: ())
    }
    let timer = Task {
      try await Task.sleep(for: timeout)
      outcome.set(handshake.now == nil ? .silent : .unanswered)
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

  /// Number of a probe's request, which the reply repeats. At the job link it names a session that the peer lacks.
  private static let number: UInt64 = 1

  /// A request that the link's other end answers immediately. Nil for a link without one.
  fileprivate var request: [UInt8]? {
    switch self {
    case .jobs: WorkerFrame(session: LinkName.number, .heartbeat(.init())).bytes
    case .changes: FetchRequest(id: LinkName.number, feed: "doctor", after: nil).bytes
    case .gateway: GatewayFrame(id: 0, connection: [], .hello(.with { $0.gateway = "doctor" })).bytes
    case .submit, .feed, .query: nil
    }
  }

  /// Returns the outcome for the first message of a peer.
  fileprivate func outcome(of frames: [[UInt8]]) -> LinkProbe.Outcome {
    switch self {
    case .jobs:
      guard let frame = IngestFrame(frames), frame.session == LinkName.number, case .reset? = frame.body else { break }
      return .answered(site: nil)
    case .changes:
      guard let reply = FetchReply(frames), reply.requestID == LinkName.number, Epoch(reply.epoch) != nil else { break }
      return .answered(site: nil)
    case .gateway:
      guard let reply = GatewayReply(frames), reply.requestID == 0 else { break }
      if case .welcome(let welcome)? = reply.body,
        (1...Limits.gatewayConnectionBytesMax).contains(welcome.connection.count)
      {
        return .answered(site: welcome.hasSite ? welcome.site.site : nil)
      }
      if case .notExecuted(let refusal)? = reply.body, refusal.reason == .shutdown { return .answered(site: nil) }
    case .feed:
      guard frames.count == 2, FeedFrame.read(frames[1]) != nil else { break }
      return .answered(site: nil)
    case .submit, .query: break
    }
    return .otherLink
  }
}

/// The observer of one handshake. Reactor's thread only.
private final class HandshakeObserver: ReactorSocket {
  let socket: Socket
  private let link: LinkName
  private let curve: CurveClient?
  private let handshake: OneShot<Void>
  private let outcome: OneShot<LinkProbe.Outcome>

  /// - Parameter handshake: Set by a handshake that succeeds.
  init(
    _ monitor: Socket, link: LinkName, curve: CurveClient?, handshake: OneShot<Void>,
    outcome: OneShot<LinkProbe.Outcome>
  ) {
    socket = monitor
    self.link = link
    self.curve = curve
    self.handshake = handshake
    self.outcome = outcome
  }

  func receive(_ frames: [[UInt8]], nowMs: Int64) {
    switch SocketEvent(frames) {
    case .handshakeSucceeded: handshake.set(())
    case .handshakeFailed(let failure):
      outcome.set(.refused(reason: Reconnector.reason(for: failure, curve: curve, link: link)))
    case .disconnected, .retrying, .accepted, .unbound, nil: break
    }
  }

  func tick(nowMs: Int64) -> Int64 { .max }

  func shutDown() {}
}

/// The reader of a peer's first message. Reactor's thread only.
private final class ReplyReader: ReactorSocket {
  let socket: Socket
  private let link: LinkName
  private let outcome: OneShot<LinkProbe.Outcome>

  init(_ socket: Socket, link: LinkName, outcome: OneShot<LinkProbe.Outcome>) {
    self.socket = socket
    self.link = link
    self.outcome = outcome
  }

  func receive(_ frames: [[UInt8]], nowMs: Int64) { outcome.set(link.outcome(of: frames)) }

  func tick(nowMs: Int64) -> Int64 { .max }

  func shutDown() {}
}
