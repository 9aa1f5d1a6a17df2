import Domain
import Logging

/// Keeps a client connected. After a failed handshake it drops the connection, logs the reason, and reconnects after a
/// pause. libzmq itself never tries again after a refusal or if only one end uses keys, and tries several times a
/// second after a wrong key.
final class Reconnector: ReactorSocket {
  let socket: Socket
  private let client: Socket
  private let curve: CurveClient?
  private let link: LinkName?
  private let logger: Logger
  private var backoff = HandshakeBackoff()
  private var logLimiter = LogRateLimiter()
  private var connection: ConnectionLog?

  /// - Parameters:
  ///   - curve: nil for plain text.
  ///   - link: nil to log no connections.
  init(
    _ context: Reactor.Context, reconnecting dialled: Socket, _ endpoint: Endpoint, curve: CurveClient?, link: LinkName?,
    logger: Logger
  ) throws(LinkError) {
    socket = try context.monitor(dialled)
    self.client = dialled
    self.curve = curve
    self.logger = logger
    self.link = link
    connection = link.map { ConnectionLog($0, to: endpoint, logger: logger) }
  }

  func receive(_ frames: [[UInt8]], nowMs: Int64) {
    let event = SocketEvent(frames)
    // After a failed handshake libzmq's own next try is cancelled, so do not log it.
    if let event, backoff.dueMs == nil { connection?.note(event, nowMs: nowMs) }
    switch event {
    case .handshakeSucceeded:
      backoff.succeeded()
      // The next failure is news again.
      logLimiter = LogRateLimiter()
    case .handshakeFailed(let failure):
      // The failure is of a connection that is already dropped.
      guard backoff.dueMs == nil else { return }
      logFailure(failure, nowMs: nowMs)
      // Without keys libzmq itself tries again after a cut, which may be a proxy whose service restarts.
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
    let reason = reason(for: failure)
    guard let suppressed = logLimiter.admit(reason, nowMs: nowMs) else { return }
    var metadata: Logger.Metadata = [
      "to": "\(client.peer?.description ?? "")", "reason": "\(reason)", "before": "\(suppressed)",
    ]
    if let curve {
      metadata["key"] = "\(curve.keys.publicKey)"
      metadata["expected"] = "\(curve.server)"
    }
    logger.warning("cannot connect", metadata: metadata)
  }

  private func reason(for failure: SocketEvent.Failure) -> String {
    guard curve != nil else {
      let option = link.map { " (\($0.publicKeyFlag))" } ?? ""
      let advice = "pass --key-file and its public key\(option)"
      return switch failure {
      case .refused: "it refuses this end"
      case .otherMechanism: "it asks for keys (CURVE): \(advice)"
      // The end that first sees that only one end uses keys cuts the connection.
      case .cut: "it ended the handshake: it is restarting, or it asks for keys (CURVE): \(advice)"
      case .cryptographic, .malformed: "it does not speak ZeroMQ's protocol 3: is this the right port?"
      }
    }
    return switch failure {
    case .refused: "it does not let this key in: add the key to its list, and reload that"
    case .otherMechanism: "it does not use keys: it listens in plain text"
    case .cryptographic, .malformed: "it does not speak CURVE as expected"
    case .cut: "it ended the handshake: is this its public key, and does it use keys?"
    }
  }
}

extension LinkName {
  /// The option that names the link's public key at its clients.
  fileprivate var publicKeyFlag: String {
    switch self {
    case .submit: "--submit-key"
    case .jobs, .changes: "--ingest-key"
    case .feed, .query: "--feed-key"
    }
  }
}
