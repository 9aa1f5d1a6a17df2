import CZeroMQ
import Domain
import Logging
import Metrics

/// Answers libzmq's question whether a peer may come in, for all links of a reactor that use keys. Without it libzmq
/// would let in every key, so it is there before the first of them is bound.
///
/// It also cuts off those who are no longer on a list: libzmq asks only at the handshake, so the address is bound anew,
/// which ends all connections that came by it, and all who may come back by themselves.
final class Authenticator: ReactorSocket {
  /// A link that uses keys.
  private struct GuardedLink {
    let socket: Socket
    let link: LinkName
    let access: LiveAllowList
    let meters: HandshakeMeters
    var revocations: Int
    /// Since when the address is not bound; nil while it is.
    var unboundMs: Int64?
  }

  let socket: Socket
  private let logger: Logger
  private var links: [String: GuardedLink] = [:]
  private var logLimiter = LogRateLimiter()

  init(_ context: Reactor.Context, logger: Logger) throws(LinkError) {
    socket = try context.socket(.router, frameBytesMax: Limits.controlFrameBytesMax)
    socket.framesMax = ZAPRequest.framesMax
    try socket.bindAuthenticator()
    self.logger = logger
  }

  /// From now on it answers for a link.
  func add(_ socket: Socket, _ link: LinkName, _ access: LiveAllowList, _ meters: HandshakeMeters) {
    links[link.domain] = GuardedLink(
      socket: socket, link: link, access: access, meters: meters, revocations: access.revocations)
  }

  func receive(_ frames: [[UInt8]], nowMs: Int64) {
    guard let request = ZAPRequest(frames) else { return }
    let (name, reason) = authorize(request)
    if name == nil { links[request.domain]?.meters.denied.increment() }
    socket.send(frames: request.answer(name))
    log(request, name: name, reason: reason, nowMs: nowMs)
  }

  func tick(nowMs: Int64) -> Int64 {
    var nextMs = Int64.max
    for (domain, door) in links {
      let revocations = door.access.revocations
      if revocations != door.revocations {
        links[domain]?.revocations = revocations
        if door.unboundMs == nil { door.socket.unbind() }
        links[domain]?.unboundMs = door.unboundMs ?? nowMs
        logger.notice("keys were taken from the list: all peers connect anew", metadata: ["link": "\(door.link)"])
      }
      guard let unboundMs = links[domain]?.unboundMs else { continue }
      if door.socket.rebind() {
        links[domain]?.unboundMs = nil
        continue
      }
      nextMs = nowMs + Limits.rebindMs
      if nowMs - unboundMs > Limits.rebindOverdueMs, logLimiter.admit("bind \(domain)", nowMs: nowMs) != nil {
        logger.error(
          "the address cannot be bound anew: nobody can connect",
          metadata: ["link": "\(door.link)", "reason": "\(LinkError.lastReason)"])
      }
    }
    return nextMs
  }

  func shutDown() {}

  /// The name of a peer who may come in, or why it may not.
  func authorize(_ request: ZAPRequest) -> (name: String?, reason: String) {
    guard let door = links[request.domain] else { return (nil, "no such link") }
    guard let key = request.key else { return (nil, "\(request.mechanism) instead of a key") }
    guard let name = door.access.name(of: key) else { return (nil, "its key is not on the list") }
    return (name, "")
  }

  private func log(_ request: ZAPRequest, name: String?, reason: String, nowMs: Int64) {
    let key = request.key.map(\.beginning) ?? "none"
    guard let suppressed = logLimiter.admit("\(request.domain) \(key) \(name ?? "-")", nowMs: nowMs) else { return }
    var metadata: Logger.Metadata = [
      "link": "\(links[request.domain]?.link.rawValue ?? request.domain)", "key": "\(key)",
      "address": "\(request.address)",
    ]
    if suppressed > 0 { metadata["before"] = "\(suppressed)" }
    if let name {
      metadata["name"] = "\(name)"
      logger.info("peer let in", metadata: metadata)
    } else {
      metadata["reason"] = "\(reason)"
      logger.warning("peer refused", metadata: metadata)
    }
  }
}

/// Tells of handshakes at a link that fail before anybody is asked: a wrong key for this server, none, one where there
/// are no keys, or no ZeroMQ at all. And counts the connections that there are.
///
/// libzmq tells nothing of some: of a peer of a wrong type, and of garbage that it takes for a too long frame.
final class HandshakeMonitor: ReactorSocket {
  let socket: Socket
  private let link: LinkName
  private let logger: Logger
  private let meters: HandshakeMeters
  private let hasKeys: Bool
  private let connections: OpenConnections
  private var logLimiter = LogRateLimiter()

  init(
    _ context: Reactor.Context, watching watched: Socket, link: LinkName, meters: HandshakeMeters, hasKeys: Bool,
    connections: OpenConnections, logger: Logger
  ) throws(LinkError) {
    socket = try context.monitor(watched)
    self.link = link
    self.meters = meters
    self.hasKeys = hasKeys
    self.connections = connections
    self.logger = logger
  }

  func receive(_ frames: [[UInt8]], nowMs: Int64) {
    let event = SocketEvent(frames)
    if let event { connections.note(event) }
    guard case .handshakeFailed(let failure)? = event, let (counter, reason) = meaning(of: failure) else { return }
    counter.increment()
    guard let suppressed = logLimiter.admit(reason, nowMs: nowMs) else { return }
    logger.warning(
      "handshake failed", metadata: ["link": "\(link)", "reason": "\(reason)", "before": "\(suppressed)"])
  }

  func tick(nowMs: Int64) -> Int64 { .max }

  func shutDown() {}

  /// Nil for what the authenticator has counted and told already, with the key.
  private func meaning(of failure: SocketEvent.Failure) -> (counter: Counter, reason: String)? {
    switch failure {
    case .refused: nil
    case .cryptographic: (meters.wrongKey, "the peer has another public key for this server, or does not speak CURVE")
    case .otherMechanism where hasKeys: (meters.noKeys, "the peer does not use keys")
    // Whichever end sees first that the other one uses no keys cuts the connection.
    case .malformed where hasKeys, .cut where hasKeys: (meters.noKeys, "the peer does not use keys, or went away")
    case .otherMechanism: (meters.keys, "the peer uses keys, and this link does not")
    case .malformed, .cut: (meters.noZeroMQ, "the peer does not speak ZeroMQ's protocol 3, or went away")
    }
  }
}

/// The connections that a socket which listens has now, subscribed or not. On the reactor's thread.
package final class OpenConnections {
  private var descriptors: Set<UInt32> = []

  /// How many there are, those that have only begun among them.
  var count: Int { descriptors.count }

  fileprivate func note(_ event: SocketEvent) {
    switch event {
    case .accepted(let descriptor): descriptors.insert(descriptor)
    case .disconnected(let descriptor): descriptors.remove(descriptor)
    case .unbound: descriptors = []
    case .retrying, .handshakeSucceeded, .handshakeFailed: break
    }
  }
}
