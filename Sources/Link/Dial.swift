import Logging
import OnTheMap

/// Keeps a client's connection: after a handshake that failed it takes the connection away, says why, and makes the
/// connection anew after a pause. libzmq itself would never try again after a refusal or where one end alone uses keys,
/// and several times a second after a wrong key.
final class Dial: Station {
  let socket: Socket
  private let dialled: Socket
  private let curve: CurveClient?
  private let link: LinkName?
  private let logger: Logger
  private var pacing = HandshakePacing()
  private var quota = LogQuota()
  private var connection: ConnectionLog?

  /// - Parameters:
  ///   - curve: nil for plain text.
  ///   - link: nil where the log is not to tell of connections.
  init(
    _ context: Reactor.Context, dialling dialled: Socket, _ endpoint: Endpoint, curve: CurveClient?, link: LinkName?,
    logger: Logger
  ) throws(LinkError) {
    socket = try context.monitor(dialled)
    self.dialled = dialled
    self.curve = curve
    self.logger = logger
    self.link = link
    connection = link.map { ConnectionLog($0, to: endpoint, logger: logger) }
  }

  func receive(_ frames: [[UInt8]], nowMs: Int64) {
    let event = SocketEvent(frames)
    // After a failed handshake libzmq's own next try is taken away: it is no news.
    if let event, pacing.dueMs == nil { connection?.note(event, nowMs: nowMs) }
    switch event {
    case .handshakeSucceeded:
      pacing.succeeded()
      // What was said of failures is over: the next one is news.
      quota = LogQuota()
    case .handshakeFailed(let failure):
      // Of the connection that is gone already.
      guard pacing.dueMs == nil else { return }
      tell(failure, nowMs: nowMs)
      // Without keys libzmq goes on by itself after a cut, which may be a proxy whose service restarts.
      guard curve != nil || failure != .cut else { return }
      dialled.holdBack()
      var random = SystemRandomNumberGenerator()
      pacing.failed(nowMs: nowMs, using: &random)
    case .disconnected, .retrying, .accepted, .unbound, nil: break
    }
  }

  func turn(nowMs: Int64) -> Int64 {
    guard let dueMs = pacing.dueMs else { return .max }
    guard nowMs >= dueMs else { return dueMs }
    pacing.begun()
    dialled.letGo()
    return .max
  }

  func leave() {}

  private func tell(_ failure: SocketEvent.Failure, nowMs: Int64) {
    let reason = reason(for: failure)
    guard let suppressed = quota.admit(reason, nowMs: nowMs) else { return }
    var metadata: Logger.Metadata = [
      "to": "\(dialled.peer?.description ?? "")", "reason": "\(reason)", "before": "\(suppressed)",
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
      // Whichever end sees first that only one of them uses keys cuts the connection.
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
