import CZeroMQ
import Domain
import Logging
import Metrics

/// The authorization of peers by key and allowlist, for all links of a reactor that use keys. libzmq sends its requests
/// by the ZAP protocol. Without an authenticator, libzmq accepts every key. The first link with keys therefore
/// creates the authenticator before its bind, and the reactor closes the authenticator last.
///
/// The authenticator also disconnects peers whose key was removed from an allowlist. libzmq requests authorization only
/// at the handshake, so the authenticator unbinds the address and binds it again. The unbind ends all connections.
/// Permitted peers reconnect by themselves.
final class Authenticator: ReactorSocket {
  /// A link that uses keys.
  private struct GuardedLink {
    let socket: Socket
    let link: LinkName
    let access: LiveAllowList
    let meters: HandshakeMeters
    var revocations: Int
    /// Time when the address was unbound. Nil while it is bound.
    var unboundMs: Int64?
    /// True if the log says that the address cannot be bound.
    var isBlocked = false
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

  /// Adds a link. From then on, the authenticator authorizes the link's peers.
  func add(_ socket: Socket, _ link: LinkName, _ access: LiveAllowList, _ meters: HandshakeMeters) {
    links[link.domain] = GuardedLink(
      socket: socket, link: link, access: access, meters: meters, revocations: access.revocations)
  }

  func receive(_ frames: [[UInt8]], nowMs: Int64) {
    guard let request = ZAPRequest(frames) else { return }
    let (name, reason) = authorize(request)
    if name == nil { links[request.domain]?.meters.keyNotListed.increment() }
    socket.send(frames: request.reply(name))
    log(request, name: name, reason: reason, nowMs: nowMs)
  }

  func tick(nowMs: Int64) -> Int64 {
    var nextMs = Int64.max
    for (domain, guardedLink) in links {
      let revocations = guardedLink.access.revocations
      if revocations != guardedLink.revocations {
        links[domain]?.revocations = revocations
        if guardedLink.unboundMs == nil { guardedLink.socket.unbind() }
        links[domain]?.unboundMs = guardedLink.unboundMs ?? nowMs
        logger.notice("allowlist keys removed: disconnected all peers", metadata: ["link": "\(guardedLink.link)"])
      }
      guard let unboundMs = links[domain]?.unboundMs else { continue }
      if guardedLink.socket.rebind() {
        if guardedLink.isBlocked {
          logger.notice("rebind succeeded: peers can connect", metadata: ["link": "\(guardedLink.link)"])
        }
        links[domain]?.unboundMs = nil
        links[domain]?.isBlocked = false
        continue
      }
      nextMs = nowMs + Limits.rebindMs
      if nowMs - unboundMs > Limits.rebindOverdueMs, logLimiter.admit("bind \(domain)", nowMs: nowMs) != nil {
        links[domain]?.isBlocked = true
        logger.error(
          "rebind failed: no peer can connect",
          metadata: ["link": "\(guardedLink.link)", "error": "\(LinkError.lastReason)"])
      }
    }
    return nextMs
  }

  func shutDown() {}

  /// Returns the name of a permitted peer, or nil and the reason for a refusal.
  func authorize(_ request: ZAPRequest) -> (name: String?, reason: String) {
    guard let guardedLink = links[request.domain] else { return (nil, "unknown link") }
    guard let key = request.key else { return (nil, "no key (mechanism \(request.mechanism))") }
    guard let name = guardedLink.access.name(of: key) else { return (nil, "key not on the allowlist") }
    return (name, "")
  }

  private func log(_ request: ZAPRequest, name: String?, reason: String, nowMs: Int64) {
    let key = request.key.map(\.beginning) ?? "none"
    guard let suppressed = logLimiter.admit("\(request.domain) \(key) \(name ?? "-")", nowMs: nowMs) else { return }
    var metadata: Logger.Metadata = [
      "link": "\(links[request.domain]?.link.rawValue ?? request.domain)", "key": "\(key)",
      "address": "\(request.address)",
    ]
    if suppressed > 0 { metadata["suppressed"] = "\(suppressed)" }
    if let name {
      metadata["name"] = "\(name)"
      logger.info("peer connected", metadata: metadata)
    } else {
      metadata["reason"] = "\(reason)"
      logger.warning("peer refused", metadata: metadata)
    }
  }
}

/// Monitor of a listening link. It logs and counts handshakes that fail before the authorization. Their causes are
/// another server key, no key, a key on a link without keys, or no ZeroMQ. The monitor also counts open connections.
///
/// libzmq reports no event for a peer of a wrong socket type, nor for garbage that looks like an oversize frame.
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
    var metadata: Logger.Metadata = ["link": "\(link)", "reason": "\(reason)"]
    if suppressed > 0 { metadata["suppressed"] = "\(suppressed)" }
    logger.warning("handshake failed", metadata: metadata)
  }

  func tick(nowMs: Int64) -> Int64 { .max }

  func shutDown() {}

  /// Returns the counter and the reason of a failure. Nil for a refusal, which the authenticator has counted and logged
  /// with the key.
  private func meaning(of failure: SocketEvent.Failure) -> (counter: Counter, reason: String)? {
    switch failure {
    case .refused: nil
    case .cryptographic: (meters.wrongServerKey, "peer has another public key for this server")
    case .otherMechanism where hasKeys: (meters.plaintextPeer, "peer sent no key")
    // The end that first notices the mismatch cuts the connection.
    case .malformed where hasKeys, .cut where hasKeys:
      (meters.plaintextPeer, "peer sent no key, or closed the connection")
    case .otherMechanism: (meters.unexpectedCurve, "peer uses keys, but this link does not")
    case .malformed, .cut: (meters.notZeroMQ, "peer does not speak ZMTP 3, or closed the connection")
    }
  }
}

/// The open connections of a listening socket, including connections without a subscription. Reactor's thread only.
package final class OpenConnections {
  private var descriptors: Set<UInt32> = []

  /// Number of connections, including those in a handshake.
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
