package import Domain
import Glibc
import Hummingbird
package import Logging
package import Messaging
import ServiceLifecycle
package import Telemetry
package import Web

/// Configuration of a gateway.
package struct GatewayConfiguration: Sendable {
  /// Addresses of ingest's gateway link, in the order in which to try them.
  package var ingest: [Endpoint]
  /// Address on which HTTP listens.
  package var host: String
  /// Port of HTTP. 0 selects a free one.
  package var port: Int
  /// Keys of the link. Nil disables encryption.
  package var curve: CurveClient?
  /// Number of password hashes that the gateway computes at a time, within `Limits.gatewayPasswordHashesRange`.
  package var passwordHashesMax = Limits.concurrentPasswordHashesMax
  /// Feeds of the same ingest, from which the gateway serves the list. It uses one at a time. Empty if ingest serves
  /// the list.
  package var feeds: [Endpoint] = []
  /// Keys for the feeds, the same for all. Nil disables encryption.
  package var feedCurve: CurveClient?
  /// Reverse proxies whose forwarded addresses the gateway trusts.
  package var proxies = TrustedProxies()
  /// Registry for the gateway's metrics. Nil disables them.
  package var registry: MetricRegistry?
  /// Readiness of the process, to which the gateway adds its check.
  package var readiness: Readiness?

  package init(ingest: [Endpoint], host: String, port: Int) {
    self.ingest = ingest
    self.host = host
    self.port = port
  }
}

/// Service that serves ingest's HTTP API on another machine or in another process. It stores nothing: any number of
/// gateways may stand behind a load balancer.
package struct GatewayService: Service {
  private let configuration: GatewayConfiguration
  private let logger: Logger
  private let listening: @Sendable (Int) -> Void

  /// Creates a service that does not run yet.
  ///
  /// - Parameter listening: Called once, with the actual port of HTTP.
  package init(
    _ configuration: GatewayConfiguration, logger: Logger, listening: @escaping @Sendable (Int) -> Void
  ) {
    self.configuration = configuration
    self.logger = logger
    self.listening = listening
  }

  /// Runs until graceful shutdown. The shutdown first stops HTTP, and then closes the link. Requests that still wait
  /// after `Limits.gatewayDrainMs` get their responses then.
  ///
  /// - Throws: `LinkError` or `ListenError`, which are final until the configuration changes.
  package func run() async throws {
    async let page: Void = PageFiles.prepare()
    let ingest = IngestStatus()
    let list = configuration.feeds.isEmpty ? nil : GatewayList(ingest: ingest)
    let (reactor, commands, router) = try start(ingest, list)
    defer { reactor.stop() }
    configuration.readiness?.add(ingest.check)
    if let list { configuration.readiness?.add(list.check) }
    await page
    try await withThrowingTaskGroup { group in
      group.addTask {
        try await gracefulShutdown()
        try await Task.sleep(for: .milliseconds(Limits.gatewayDrainMs))
        commands.enqueue(.endWaits)
      }
      defer { group.cancelAll() }
      try await HTTPService.run(
        router, host: configuration.host, port: configuration.port, heldName: "gateway-http",
        proxies: configuration.proxies, form: CompatResponseFormat.body, logger: logger, ready: listening)
    }
  }

  /// Connects to ingest and the feeds, and returns the gateway's routes. The caller stops the reactor.
  ///
  /// - Throws: `LinkError`.
  func start(
    _ ingest: IngestStatus, _ list: GatewayList?
  ) throws -> (Reactor, CommandQueue<GatewayClient.Command>, Router<ConnectionContext>) {
    let hashing =
      configuration.passwordHashesMax > 0 ? GatewayHashing(parallelMax: configuration.passwordHashesMax) : nil
    let wake = WakeupEvent()
    let commands = CommandQueue<GatewayClient.Command>(wake)
    let (reactor, _) = try Reactor.start("gateway", wake: wake) { [configuration, logger] context in
      let client = try GatewayClient(
        context, connect: configuration.ingest, gateway: "gateway-\(getpid())",
        curve: configuration.curve, commands: commands, hashing: hashing?.link, logger: logger,
        welcomed: {
          ingest.set($1, epoch: $0?.epoch)
          list?.welcomed(logger: logger)
        }, turnedAvailable: { ingest.set(isAvailable: $0) })
      guard let list, !configuration.feeds.isEmpty else { return ([client], ()) }
      // A random feed, so that many gateways spread over the feeds.
      let subscriber = try FeedSubscriber(
        context, connect: configuration.feeds, startsAnywhere: true, curve: configuration.feedCurve,
        logsConnections: true, logger: logger
      ) { list.receive($0, logger: logger) }
      return ([client, subscriber], ())
    }
    let router = Router(context: ConnectionContext.self)
    if configuration.registry != nil { router.add(middleware: RequestMeter()) }
    router.add(
      middleware: ForwardingMiddleware(
        link: GatewayLink(commands), ingest: ingest, list: list, proxies: configuration.proxies))
    return (reactor, commands, router)
  }
}
