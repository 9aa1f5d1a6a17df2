import Domain
import Logging

/// The reconnection of a client. After a failed handshake it drops the connection, logs the reason, and reconnects
/// after a pause.
///
/// libzmq itself never retries after a refusal, or if only one end uses keys. After a wrong key it retries several
/// times a second.
final class Reconnector: ReactorSocket {
  let socket: Socket
  private let client: Socket
  private let curve: CurveClient?
  private let link: LinkName?
  private let logger: Logger
  private var backoff = HandshakeBackoff()
  private var logLimiter = LogRateLimiter()
  private var connection: ConnectionLog?

  /// Creates the reconnection of a socket.
  ///
  /// - Parameters:
  ///   - curve: Keys of the client and of the link. Nil disables encryption.
  ///   - link: Name of the connection in the log. Nil logs no connections.
  init(
    _ context: Reactor.Context, reconnecting client: Socket, _ endpoint: Endpoint, curve: CurveClient?,
    link: LinkName?,
    logger: Logger
  ) throws(LinkError) {
    socket = try context.monitor(client)
    self.client = client
    self.curve = curve
    self.logger = logger
    self.link = link
    connection = link.map { ConnectionLog($0, to: endpoint, logger: logger) }
  }

  /// Drops the connection until `connect`, because the client leaves the address.
  func disconnect() {
    backoff = HandshakeBackoff()
    // If libzmq has no more sockets, the old connection lasts until `connect`. The client sends nothing meanwhile.
    try? client.drop()
  }

  /// Connects to another address. The pause of the earlier address no longer counts.
  func connect(_ endpoint: Endpoint) {
    backoff = HandshakeBackoff()
    connection?.move(to: endpoint)
    client.isSuspended = false
    // libzmq accepts every valid address. If it has no more sockets, the client changes its address again.
    try? client.reconnect(endpoint)
  }

  /// Records a message of the service to this client.
  func answered() { connection?.answered() }

  /// Logs the silence of a service. Call this before a new connection to the same address.
  func noteSilence(nowMs: Int64) {
    // During the pause after a failed handshake there is no connection, and the log has the reason.
    guard backoff.dueMs == nil else { return }
    connection?.noteSilence(nowMs: nowMs)
  }

  func receive(_ frames: [[UInt8]], nowMs: Int64) {
    let event = SocketEvent(frames)
    // After a failed handshake libzmq's own next attempt is cancelled, so do not log it.
    if let event, backoff.dueMs == nil { connection?.note(event, nowMs: nowMs) }
    switch event {
    case .handshakeSucceeded:
      backoff.succeeded()
      // Log the next failure without a limit.
      logLimiter = LogRateLimiter()
    case .handshakeFailed(let failure):
      // This failure belongs to a connection that is already dropped.
      guard backoff.dueMs == nil else { return }
      logFailure(failure, nowMs: nowMs)
      // Without keys libzmq itself retries after a cut, which may be a proxy whose service restarts.
      guard curve != nil || failure != .cut else { return }
      client.suspend()
      var random = SystemRandomNumberGenerator()
      backoff.failed(nowMs: nowMs, using: &random)
    case .disconnected, .retrying, .accepted, .unbound, nil: break
    }
  }

  func tick(nowMs: Int64) -> Int64 {
    guard let dueMs = backoff.dueMs else { return .max }
    guard nowMs >= dueMs else { return dueMs }
    backoff.begun()
    client.resume()
    return .max
  }

  func shutDown() {}

  private func logFailure(_ failure: SocketEvent.Failure, nowMs: Int64) {
    let reason = Reconnector.reason(for: failure, curve: curve, link: link)
    let endpoint = client.peer?.description ?? ""
    guard let suppressed = logLimiter.admit("\(endpoint) \(reason)", nowMs: nowMs) else { return }
    var metadata: Logger.Metadata = ["endpoint": "\(endpoint)", "reason": "\(reason)"]
    if let link { metadata["link"] = "\(link)" }
    if suppressed > 0 { metadata["suppressed"] = "\(suppressed)" }
    if let curve {
      metadata["public_key"] = "\(curve.keys.publicKey)"
      metadata["expected_server_key"] = "\(curve.server)"
    }
    logger.warning("cannot connect", metadata: metadata)
  }

  /// Returns the reason of a failure, and the remedy if it is known.
  static func reason(for failure: SocketEvent.Failure, curve: CurveClient?, link: LinkName?) -> String {
    guard let curve else {
      let advice = "pass --key-file and \(link?.publicKeyFlag ?? "the server's public key")"
      return switch failure {
      case .refused: "peer refused this client"
      case .otherMechanism: "peer requires keys (CURVE): \(advice)"
      // The end that first notices the mismatch of keys cuts the connection.
      case .cut: "handshake closed: wrong port, a restart, or the peer requires keys (CURVE): \(advice)"
      case .cryptographic, .malformed: "peer does not speak ZMTP 3: wrong port?"
      }
    }
    return switch failure {
    case .refused where curve.isTemporary:
      "key not on its allowlist: without --key-file the key changes at each start (onthemap keys new)"
    case .refused: "key not on its allowlist: add the key and reload"
    case .otherMechanism: "peer does not use keys"
    case .cryptographic, .malformed: "peer does not speak CURVE as expected"
    case .cut: "handshake closed: wrong server key, peer without keys, wrong port, or a restart"
    }
  }
}

extension LinkName {
  /// The option with which clients pass the link's public key.
  fileprivate var publicKeyFlag: String {
    switch self {
    case .submit: "--submit-key"
    case .jobs, .changes, .gateway: "--ingest-key"
    case .feed, .query: "--feed-key"
    }
  }
}
