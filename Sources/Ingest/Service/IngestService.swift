package import Domain
package import Logging
package import Messaging
import ServiceLifecycle
package import SignIn
package import Store
package import Telemetry
package import Web

/// Where ingest listens and keeps its data.
package struct IngestConfiguration: Sendable {
  /// The folder of the process's data.
  package var data: String
  /// HTTP.
  package var host: String
  /// 0 for a free one.
  package var port: Int
  /// The job link's address.
  package var jobs: Endpoint
  /// The change log's address.
  package var changes: Endpoint
  /// Where producers submit.
  package var submit: Endpoint
  /// Where operators ask and steer the queue; nil where nobody can.
  package var admin: Endpoint?
  /// What people open, "https://example.org"; empty where that is not known.
  package var origin: String
  /// Who may say for whom they ask.
  package var proxies = TrustedProxies()
  /// Origins of others whose pages may use the API from a browser: "https://app.example.org".
  package var allowedOrigins: Set<String> = []
  /// Whether anybody may sign up.
  package var isSignUpOpen = true
  /// By which app people log in with Facebook; nil where they cannot.
  package var facebook: FacebookConfiguration?
  /// At which provider of OpenID Connect they do; nil where they cannot.
  package var openID: OpenIDConfiguration?
  /// What the page is told.
  package var page = PageConfiguration()
  /// Requests a second to remote providers, of all workers together; within `Limits.remotePerSecondRange`.
  package var remotePerSecond = Limits.remotePerSecond
  /// When a post has waited for a worker for so long, no more are taken.
  package var queueWaitMaxMs = Limits.queueWaitMaxMs
  /// Posts and edits that one account may make in a minute; within `Limits.postsPerMinuteRange`. Nil for as many as it
  /// can.
  package var postsPerMinute: Int?
  /// Keys of submission; nil for plain text.
  package var submitCurve: CurveServer?
  /// Keys of the job link; nil for plain text.
  package var jobsCurve: CurveServer?
  /// Keys of the change log; nil for plain text.
  package var changesCurve: CurveServer?
  /// Who shows its metrics; nil where nobody does.
  package var registry: MetricRegistry?
  /// Readiness of the process, to which ingest adds its part.
  package var readiness = Readiness()
  /// Whether some link of it uses keys.
  package var usesKeys: Bool { submitCurve != nil || jobsCurve != nil || changesCurve != nil }

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

/// The authority: it accepts, dispatches, checks and stores, and tells feeds what changed.
package struct IngestService: Service {
  /// Where it listens, with the ports that were taken.
  package struct Addresses: Sendable {
    /// Of HTTP.
    package let httpPort: Int
    package let jobs: Endpoint
    package let changes: Endpoint
    package let submit: Endpoint
  }

  private let configuration: IngestConfiguration
  private let store: @Sendable () throws -> any IngestStore
  private let logger: Logger
  private let ready: @Sendable (Addresses) -> Void

  /// - Parameters:
  ///   - store: opens the store; called once, by `run`.
  ///   - ready: called once, when everything listens.
  package init(
    _ configuration: IngestConfiguration, store: @escaping @Sendable () throws -> any IngestStore, logger: Logger,
    ready: @escaping @Sendable (Addresses) -> Void
  ) {
    self.configuration = configuration
    self.store = store
    self.logger = logger
    self.ready = ready
  }

  /// Runs until graceful shutdown: first no more requests, then no more jobs, then the database is closed.
  ///
  /// - Throws: `DiskFailure`, after which the next start may do better; `StoreError`, `LinkError`, or what HTTP's
  ///   socket says, all final until the configuration changes.
  package func run() async throws {
    let components = try IngestComponents.start(configuration, store: store, logger: logger)
    // Who asks for metrics may have the database for longer.
    defer { components.end() }
    configuration.readiness.add(components.readiness.check)
    configuration.registry?.add(components.samples.collect)
    warn()
    // Before anybody can ask: who has deleted an account is not to be seen again.
    try await components.finishErasures()
    let endpoints = components.endpoints
    let http = HTTPRun { [self] in
      try await HTTPService.run(
        components.router(), host: configuration.host, port: configuration.port, proxies: configuration.proxies,
        form: CompatResponseFormat.body, logger: logger
      ) { port in
        ready(
          Addresses(httpPort: port, jobs: endpoints.jobs, changes: endpoints.changes, submit: endpoints.submit))
      }
    }
    try await StoreFailureMonitor(database: components.database, logger: logger).run(beside: http, components.history)
  }

  /// What the operator may not have thought of.
  private func warn() {
    if configuration.admin == nil {
      logger.warning("no admin socket: the path in the data folder would be too long; set ONTHEMAP_ADMIN")
    }
    if configuration.page.viewing.isClosed, configuration.page.viewing.tickets == nil {
      logger.notice(
        "the map is closed, and pages ask for it every few seconds; set ONTHEMAP_VIEW_KEY_FILE here and at feeds")
    } else if case .unknown = configuration.page.feed {
      logger.notice("the page asks for the list every few seconds; set ONTHEMAP_FEED_URL, and it is live")
    }
    if configuration.origin.hasPrefix("https://"), configuration.proxies.isEmpty {
      logger.warning(
        """
        TLS ends in a proxy that is not named: all logins seem to come from it, and are held up together; set \
        ONTHEMAP_TRUSTED_PROXIES
        """
      )
    }
  }
}

/// HTTP, with routes that are made where they are used.
private struct HTTPRun: Service {
  let body: @Sendable () async throws -> Void

  func run() async throws { try await body() }
}
