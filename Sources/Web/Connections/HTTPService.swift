package import Domain
import Glibc
package import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore

/// HTTP server of a service.
package enum HTTPService {
  /// Listens and serves until graceful shutdown.
  ///
  /// - Parameters:
  ///   - port: The port. 0 selects a free one.
  ///   - heldName: The name under which systemd holds the socket while the service restarts. Nil if it does not.
  ///   - connections: The maximum number of concurrent connections. Further connections wait. Nil selects
  ///     `connectionsMax()`.
  ///   - proxies: The trusted reverse proxies. The limit per network does not apply to them.
  ///   - form: The format of problems that occur before a request reaches the router.
  ///   - listening: The log message when the server listens.
  ///   - ready: Called once with the actual port.
  /// - Throws: `ListenError`.
  package static func run(
    _ router: Router<ConnectionContext>, host: String, port: Int, heldName: String? = nil, connections: Int? = nil,
    proxies: TrustedProxies = TrustedProxies(), form: @escaping ProblemFormat = { _, _ in nil }, logger: Logger,
    listening: Logger.Message = "http listening", ready: @escaping @Sendable (Int) -> Void
  ) async throws {
    let connections = connections ?? connectionsMax()
    let counts = ConnectionCounts(
      perNetworkMax: max(1, connections / Limits.httpNetworkShare), proxies: proxies)
    let unread = UnreadResponses()
    let responder = RequestResponder(router.buildResponder(), logger: logger)
    let channel = HTTP1Channel(
      responder: { try await responder.respond(to: $0, $1, $2) },
      configuration: .init(
        additionalChannelHandlers: [HTTPConnectionGuard(counts, unread, form: form)],
        idleTimeout: .milliseconds(Limits.httpIdleMs),
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: Limits.httpHeaderBytesMax, maxHeaderListSize: Limits.httpHeaderBytesMax,
          maxHeaderFieldCount: Limits.httpHeadersMax)))
    let server = HTTPServer(
      host: host, port: port, heldName: heldName, connectionsMax: connections, channel: channel, logger: logger
    ) {
      server in
      let port = server.localAddress?.port ?? port
      logger.info(listening, metadata: ["address": "\(host):\(port)"])
      ready(port)
    }
    do { try await server.run() } catch let error as IOError {
      throw ListenError(address: "\(host):\(port)", reason: error.localizedReason)
    } catch is SocketAddressError.UnknownHost {
      throw ListenError(address: "\(host):\(port)", reason: "unknown host")
    }
  }

  /// Returns the maximum number of concurrent connections of one service. The maximum is `Limits.httpConnectionsMax`,
  /// or a share of the process's file descriptors if that is less.
  ///
  /// - Parameter isAlone: True if the process has no other service with this limit.
  package static func connectionsMax(isAlone: Bool = false) -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return Limits.httpConnectionsMax }
    let shares = isAlone ? Limits.httpDescriptorsSharesAlone : 1
    let part = limit.rlim_cur / rlim_t(Limits.httpDescriptorsShare) * rlim_t(shares)
    return Int(min(part, rlim_t(Limits.httpConnectionsMax)))
  }
}

extension IOError {
  fileprivate var localizedReason: String { String(cString: strerror(errnoCode)) }
}
