import Domain
import Logging

/// Log of a client's connection: connected, lost, retried and silent. It limits the lines, because libzmq retries
/// several times a second, and a client with a wrong address connects every few seconds.
struct ConnectionLog {
  private let link: LinkName
  private var endpoint: Endpoint
  private let logger: Logger
  private var isConnected = false
  private var isLost = false
  /// True if a handshake has failed since libzmq's last attempt. The failure has its own line.
  private var isFailureLogged = false
  /// True if the service has answered since the last silence.
  private var hasAnswered = false
  private var failureLimiter = LogRateLimiter()
  private var successLimiter = LogRateLimiter()

  init(_ link: LinkName, to endpoint: Endpoint, logger: Logger) {
    self.link = link
    self.endpoint = endpoint
    self.logger = logger
  }

  /// Continues with another address. Its lines have their own limit.
  mutating func move(to endpoint: Endpoint) {
    self.endpoint = endpoint
    if hasAnswered { successLimiter = LogRateLimiter() }
    (isConnected, isLost, isFailureLogged, hasAnswered) = (false, false, false, false)
  }

  private var metadata: Logger.Metadata { ["link": "\(link)", "endpoint": "\(endpoint)"] }

  /// Logs an event. Reactor's thread only.
  mutating func note(_ event: SocketEvent, nowMs: Int64) {
    switch event {
    case .handshakeSucceeded:
      (isConnected, isLost, isFailureLogged) = (true, false, false)
      guard successLimiter.admit(endpoint.description, nowMs: nowMs) != nil else { return }
      failureLimiter = LogRateLimiter()
      logger.info("connected", metadata: metadata)
    case .disconnected:
      // The return of a lost connection always has a line.
      if isConnected { successLimiter = LogRateLimiter() }
      // A connection that ended during its handshake does not count.
      (isConnected, isLost) = (false, isLost || isConnected)
    case .retrying where isFailureLogged: isFailureLogged = false
    case .retrying(let pauseMs):
      if isLost {
        isLost = false
        // The first retries after a loss need no line of their own.
        _ = failureLimiter.admit(endpoint.description, nowMs: nowMs)
        logger.warning("connection lost: reconnecting", metadata: metadata.merging(["retry_ms": "\(pauseMs)"]) { $1 })
      } else {
        logFailure(["reason": "no reply", "retry_ms": "\(pauseMs)"], nowMs: nowMs)
      }
    case .handshakeFailed:
      isFailureLogged = true
      // The next attempts of the same connection need no line of their own.
      _ = failureLimiter.admit(endpoint.description, nowMs: nowMs)
    case .accepted, .unbound: break
    }
  }
  /// Records a message of the service to this client.
  mutating func answered() { hasAnswered = true }

  /// Logs the silence of a service. Call this before a new connection to the same address.
  ///
  /// libzmq reports nothing of a host that drops all packets, because the client replaces the connection earlier. It
  /// also accepts every ZeroMQ peer, such as another link of ingest.
  mutating func noteSilence(nowMs: Int64) {
    defer { (isConnected, hasAnswered) = (false, false) }
    // The return of a service that worked has a line.
    if hasAnswered { successLimiter = LogRateLimiter() }
    guard !isFailureLogged else { return }
    guard isConnected else { return logFailure(["reason": "no reply"], nowMs: nowMs) }
    guard hasAnswered else {
      let reason = "connected, but no answer: wrong port, or the service is not ready"
      return logFailure(["reason": "\(reason)"], nowMs: nowMs)
    }
    _ = failureLimiter.admit(endpoint.description, nowMs: nowMs)
    logger.warning("connection lost: reconnecting", metadata: metadata.merging(["reason": "no answer"]) { $1 })
  }

  private mutating func logFailure(_ details: Logger.Metadata, nowMs: Int64) {
    guard failureLimiter.admit(endpoint.description, nowMs: nowMs) != nil else { return }
    logger.warning("cannot connect", metadata: metadata.merging(details) { $1 })
  }
}
