package import Domain
import Glibc
package import Hummingbird
package import Logging
import NIOCore

/// Listens and answers, until graceful shutdown.
package enum HTTPService {
  /// - Parameters:
  ///   - port: 0 for a free one.
  ///   - connections: at once, at most; further ones wait. Nil for as many as there may be.
  ///   - proxies: in front of it: what one address may have does not hold for theirs.
  ///   - form: of what is said before a request reaches the router.
  ///   - ready: called once with the port that was taken.
  /// - Throws: `ListenError`.
  package static func run(
    _ router: Router<ConnectionContext>, host: String, port: Int, connections: Int? = nil,
    proxies: TrustedProxies = TrustedProxies(), form: @escaping ProblemFormat = { _, _ in nil }, logger: Logger,
    ready: @escaping @Sendable (Int) -> Void
  ) async throws {
    let connections = connections ?? connectionsMax()
    let counts = ConnectionCounts(
      perNetworkMax: max(1, connections / Limits.httpNetworkShare), proxies: proxies)
    let application = Application(
      router: router,
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [HTTPConnectionGuard(counts, form: form)],
          idleTimeout: .milliseconds(Limits.httpIdleMs),
          httpDecoderConfiguration: .init(
            maxHeaderFieldSize: Limits.httpHeaderBytesMax, maxHeaderListSize: Limits.httpHeaderBytesMax,
            maxHeaderFieldCount: Limits.httpHeadersMax))),
      configuration: .init(
        address: .hostname(host, port: port), backlog: Limits.httpBacklog,
        availableConnectionsDelegate: .maximum(connections, logger: logger)),
      onServerRunning: { channel in ready(channel.localAddress?.port ?? port) }, logger: logger)
    do { try await application.run() } catch let error as IOError {
      throw ListenError(address: "\(host):\(port)", reason: error.localizedReason)
    } catch is SocketAddressError.UnknownHost {
      throw ListenError(address: "\(host):\(port)", reason: "the host is not known")
    }
  }

  /// Connections that one service may have at once, by its limit and by the process's descriptors.
  ///
  /// - Parameter isAlone: whether there is no other such service in the process.
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
