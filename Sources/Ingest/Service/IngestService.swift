package import Domain
package import Logging
package import Mail
package import Messaging
import ServiceLifecycle
package import SignIn
package import Store
package import Telemetry
package import Web

/// Configuration of ingest.
package struct IngestConfiguration: Sendable {
  /// Path of the process's data directory.
  package var data: String
  /// Address on which HTTP listens.
  package var host: String
  /// Port of HTTP. 0 selects a free one.
  package var port: Int
  /// Endpoint of the job link.
  package var jobs: Endpoint
  /// Endpoint of the change log.
  package var changes: Endpoint
  /// Endpoint for producers.
  package var submit: Endpoint
  /// Endpoint for gateways. Nil if there are none.
  package var gateway: Endpoint?
  /// Endpoint of the admin socket. Nil disables it.
  package var admin: Endpoint?
  /// The site's origin, such as "https://example.org". Empty if it is unknown.
  package var origin: String
  /// Reverse proxies whose forwarded addresses ingest trusts.
  package var proxies = TrustedProxies()
  /// Origins of other sites whose pages may use the API from a browser, such as "https://app.example.org".
  package var allowedOrigins: Set<String> = []
  /// True if anyone may sign up.
  package var isSignUpOpen = true
  /// The app for logins with Facebook. Nil disables them.
  package var facebook: FacebookConfiguration?
  /// The provider for logins with OpenID Connect. Nil disables them.
  package var openID: OpenIDConfiguration?
  /// The mail server, for links that recover an account or confirm an address. Nil disables mail. The links need
  /// `origin`.
  package var mail: MailConfiguration?
  /// True if only accounts with a confirmed email address may post. Requires `mail`.
  package var requiresConfirmedEmail = false
  /// Mail address or URL of the operator, for users without their password. Nil if there is none.
  package var operatorContact: String?
  /// Configuration of the page.
  package var page = PageConfiguration()
  /// Maximum rate of requests to remote providers by all workers together, per second. Within
  /// `Limits.remotePerSecondRange`.
  package var remotePerSecond = Limits.remotePerSecond
  /// Maximum wait of a queued post, in milliseconds. Ingest refuses new posts with 503 while a post waits longer.
  package var queueWaitMaxMs = Limits.queueWaitMaxMs
  /// Maximum number of posts and edits of one account per minute, within `Limits.postsPerMinuteRange`. Nil sets no
  /// limit.
  package var postsPerMinute: Int?
  /// Keys of the submission link. Nil disables encryption.
  package var submitCurve: CurveServer?
  /// Keys of the job link. Nil disables encryption.
  package var jobsCurve: CurveServer?
  /// Keys of the change log. Nil disables encryption.
  package var changesCurve: CurveServer?
  /// Keys of the gateway link. Nil disables encryption.
  package var gatewayCurve: CurveServer?
  /// Registry for ingest's metrics. Nil disables them.
  package var registry: MetricRegistry?
  /// Readiness of the process, to which ingest adds its check.
  package var readiness = Readiness()
  /// True if any link uses keys.
  package var usesKeys: Bool {
    [submitCurve, jobsCurve, changesCurve, gatewayCurve].contains { $0 != nil }
  }

  package init(
    data: String, host: String, port: Int, jobs: Endpoint, changes: Endpoint, submit: Endpoint, origin: String
  ) {
    self.data = data
    self.host = host
    self.port = port
    self.jobs = jobs
    self.changes = changes
    self.submit = submit
    self.origin = origin
  }
}

/// The service that accepts, dispatches, checks and stores posts, and publishes changes to feeds.
package struct IngestService: Service {
  /// Addresses on which ingest listens, with the actual ports.
  package struct Addresses: Sendable {
    /// Port of HTTP.
    package let httpPort: Int
    package let jobs: Endpoint
    package let changes: Endpoint
    package let submit: Endpoint
    /// Nil if ingest has no gateways.
    package let gateway: Endpoint?
  }

  private let configuration: IngestConfiguration
  private let store: @Sendable () async throws -> any IngestStore
  private let logger: Logger
  private let ready: @Sendable (Addresses) -> Void

  /// Creates a service that does not run yet.
  ///
  /// - Parameters:
  ///   - store: Opens the store. Called once, by `run`. A standby returns when it leads.
  ///   - ready: Called once, when all addresses listen.
  package init(
    _ configuration: IngestConfiguration, store: @escaping @Sendable () async throws -> any IngestStore,
    logger: Logger,
    ready: @escaping @Sendable (Addresses) -> Void
  ) {
    self.configuration = configuration
    self.store = store
    self.logger = logger
    self.ready = ready
  }

  /// Runs until graceful shutdown. The shutdown first stops requests, then stops jobs, then closes the store.
  ///
  /// - Throws: `StoreFailure`, after which a restart may succeed. `StoreError`, `LinkError` or `ListenError`, which are
  ///   final until the configuration changes.
  package func run() async throws {
    // A standby has the page before it leads.
    async let page: Void = PageFiles.prepare()
    let database: any IngestStore
    do { database = try await cancelWhenGracefulShutdown { try await store() } } catch is CancellationError { return }
    let components = try IngestComponents.start(configuration, database, logger: logger)
    // The operations server may still read metrics of the store after this.
    defer { components.end() }
    configuration.readiness.add(components.readiness.check)
    configuration.registry?.add(components.samples.collect)
    warn()
    // Do this before serving requests, because posts of a deleted account must not be visible again.
    try await components.finishErasures()
    await page
    let endpoints = components.endpoints
    if endpoints.gateway != nil { components.gateways.begin(components.router()) }
    let http = HTTPRun { [self] in
      try await HTTPService.run(
        components.router(), host: configuration.host, port: configuration.port, heldName: "http",
        proxies: configuration.proxies,
        form: CompatResponseFormat.body, logger: logger
      ) { port in
        ready(
          Addresses(
            httpPort: port, jobs: endpoints.jobs, changes: endpoints.changes, submit: endpoints.submit,
            gateway: endpoints.gateway))
      }
    }
    try await StoreFailureMonitor(database: components.database, logger: logger).run(beside: http, components.history)
    if endpoints.gateway != nil { await components.gateways.shutDown() }
  }

  /// Logs warnings about settings that are probably mistakes.
  private func warn() {
    if configuration.admin == nil {
      logger.warning("admin socket disabled: path too long; set ONTHEMAP_ADMIN")
    }
    if configuration.page.mapAccess.isMembersOnly, configuration.page.mapAccess.tickets == nil {
      logger.notice(
        "live updates disabled: pages poll; set ONTHEMAP_MAP_ACCESS_SECRET_FILE at ingest and feeds")
    } else if case .unknown = configuration.page.feed {
      logger.notice("live updates disabled: pages poll; set ONTHEMAP_PUBLIC_FEED_URL")
    }
    // Gateways determine the addresses of their clients themselves.
    if configuration.origin.hasPrefix("https://"), configuration.proxies.isEmpty, configuration.gateway == nil {
      logger.warning(
        "reverse proxy not trusted: all clients share its login rate limit; set ONTHEMAP_TRUSTED_PROXIES")
    }
  }
}

/// Service that runs the HTTP server. It creates the routes when it runs.
private struct HTTPRun: Service {
  let body: @Sendable () async throws -> Void

  func run() async throws { try await body() }
}
