import Logging
import OnTheMap

/// Keeps a client's connection with keys: after a handshake that failed it takes the connection away, and makes it anew
/// after a pause. libzmq would never try again after a refusal, and several times a second after a wrong key.
final class CurveDial: Station {
  let socket: Socket
  private let dialled: Socket
  private let curve: CurveClient
  private let logger: Logger
  private var pacing = HandshakePacing()
  private var quota = LogQuota()
  private var connection: ConnectionLog?

  init(
    _ context: Reactor.Context, dialling dialled: Socket, curve: CurveClient, connection: ConnectionLog?, logger: Logger
  ) throws(LinkError) {
    socket = try context.monitor(dialled)
    self.dialled = dialled
    self.curve = curve
    self.logger = logger
    self.connection = connection
  }

  func receive(_ frames: [[UInt8]], nowMs: Int64) {
    let event = SocketEvent(frames)
    if let event { connection?.note(event, nowMs: nowMs) }
    switch event {
    case .handshakeSucceeded:
      pacing.succeeded()
      // What was said of failures is over: the next one is news.
      quota = LogQuota()
    case .handshakeFailed(let failure):
      // Of the connection that is gone already.
      guard pacing.dueMs == nil else { return }
      dialled.holdBack()
      var random = SystemRandomNumberGenerator()
      pacing.failed(nowMs: nowMs, using: &random)
      tell(failure, nowMs: nowMs)
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
    let reason =
      switch failure {
      case .refused: "it does not let this key in: add the key to its list, and reload that"
      case .otherMechanism: "it does not use keys: it listens in plain text"
      case .cryptographic, .malformed: "it does not speak CURVE as expected"
      case .cut: "it ended the handshake: is this its public key, and does it use keys?"
      }
    guard let suppressed = quota.admit(reason, nowMs: nowMs) else { return }
    logger.warning(
      "cannot connect",
      metadata: [
        "to": "\(dialled.peer?.description ?? "")", "reason": "\(reason)", "key": "\(curve.keys.publicKey)",
        "expected": "\(curve.server)", "before": "\(suppressed)",
      ])
  }
}
