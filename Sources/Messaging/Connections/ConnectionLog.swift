import Domain
import Logging

/// Log of a client's connection: connected, lost, and retried. It limits the lines, because libzmq retries several
/// times a second.
struct ConnectionLog {
  private let link: LinkName
  private var endpoint: Endpoint
  private let logger: Logger
  private var isConnected = false
  private var isLost = false
  /// True if a handshake has failed since libzmq's last attempt. The failure has its own line.
  private var isFailureLogged = false
  private var logLimiter = LogRateLimiter()

  init(_ link: LinkName, to endpoint: Endpoint, logger: Logger) {
    self.link = link
    self.endpoint = endpoint
    self.logger = logger
  }

  /// Continues with another address. Its lines have their own limit.
  mutating func move(to endpoint: Endpoint) {
    self.endpoint = endpoint
    (isConnected, isLost, isFailureLogged) = (false, false, false)
  }

  private var metadata: Logger.Metadata { ["link": "\(link)", "endpoint": "\(endpoint)"] }

  /// Logs an event. Reactor's thread only.
  mutating func note(_ event: SocketEvent, nowMs: Int64) {
    switch event {
    case .handshakeSucceeded:
      (isConnected, isLost, isFailureLogged) = (true, false, false)
      logLimiter = LogRateLimiter()
      logger.info("connected", metadata: metadata)
    case .disconnected:
      // A connection that ended during its handshake does not count.
      (isConnected, isLost) = (false, isLost || isConnected)
    case .retrying where isFailureLogged: isFailureLogged = false
    case .retrying(let pauseMs):
      if isLost {
        isLost = false
        // The first retries after a loss need no line of their own.
        _ = logLimiter.admit(endpoint.description, nowMs: nowMs)
        logger.warning("connection lost: reconnecting", metadata: metadata.merging(["retry_ms": "\(pauseMs)"]) { $1 })
      } else if logLimiter.admit(endpoint.description, nowMs: nowMs) != nil {
        logger.warning(
          "cannot connect", metadata: metadata.merging(["reason": "no reply", "retry_ms": "\(pauseMs)"]) { $1 })
      }
    case .handshakeFailed: isFailureLogged = true
    case .accepted, .unbound: break
    }
  }
}
