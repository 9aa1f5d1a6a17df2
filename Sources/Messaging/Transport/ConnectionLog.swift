import Domain
import Logging

/// Says of a client's connection what people want to know: that it is there, that it is lost, and that it is being
/// tried, which libzmq does several times a second.
struct ConnectionLog {
  private let link: LinkName
  private let endpoint: Endpoint
  private let logger: Logger
  private var isConnected = false
  private var isLost = false
  /// True if a handshake has failed since libzmq's last try: the failure has its own line.
  private var isFailureLogged = false
  private var logLimiter = LogRateLimiter()

  init(_ link: LinkName, to endpoint: Endpoint, logger: Logger) {
    self.link = link
    self.endpoint = endpoint
    self.logger = logger
  }

  /// On the reactor's thread.
  mutating func note(_ event: SocketEvent, nowMs: Int64) {
    switch event {
    case .handshakeSucceeded:
      (isConnected, isLost, isFailureLogged) = (true, false, false)
      logLimiter = LogRateLimiter()
      logger.info("\(link) link: connected to \(endpoint)")
    case .disconnected:
      // A connection that ended during its handshake does not count.
      (isConnected, isLost) = (false, isLost || isConnected)
    case .retrying where isFailureLogged: isFailureLogged = false
    case .retrying(let pauseMs):
      if isLost {
        isLost = false
        // The first tries that follow are the same news.
        _ = logLimiter.admit("", nowMs: nowMs)
        logger.warning("\(link) link: \(endpoint) lost, trying again in \(pauseMs) ms")
      } else if logLimiter.admit("", nowMs: nowMs) != nil {
        logger.warning("\(link) link: \(endpoint) does not answer, trying again in \(pauseMs) ms")
      }
    case .handshakeFailed: isFailureLogged = true
    case .accepted, .unbound: break
    }
  }
}
