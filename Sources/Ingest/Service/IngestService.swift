package import Domain
import Hummingbird
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
  package var partners: Set<String> = []
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
    Secrets.prepare()
    let database = try store()
    // Who asks for metrics may have it for longer.
    defer { database.close() }
    let start = try database.start()
    let wake = Wake()
    let jobs = Inbox<JobServer.Command>(wake)
    let changes = Inbox<[FeedChange]>(wake)
    let pause = QueuePause(sinceMs: start.pausedMs, changes: database.changes)
    let lookups = Lookups(jobs: jobs, pause: pause, boot: start.generation)
    let queue = PostQueue(
      database: database, jobs: jobs, changes: changes, lookups: lookups, depth: start.jobs.count,
      waitMaxMs: configuration.queueWaitMaxMs, postsPerMinute: configuration.postsPerMinute, logger: logger)
    let sessions = Sessions(database: database)
    let logins = Logins(
      database: database, sessions: sessions, passwords: Passwords(pace: queue.pace),
      tries: try LoginTries(database: database), audit: Audit(logger: logger))
    let providers = ProviderLogins(
      logins: logins, facebook: configuration.facebook, openID: configuration.openID,
      isOpen: configuration.isSignUpOpen, logger: logger)
    defer { providers.end() }
    let answers = Inbox<AdminServer.Command>(wake)
    let view = QueueView(answers)
    let history = QueueHistory(database: database, view: view)
    let admin = AdminAnswers(
      database: database, queue: queue, pause: pause, users: UserAnswers(database: database, logins: logins),
      view: view, answers: answers, logger: logger)
    let submitted = Inbox<SubmitServer.Command>(wake)
    let submissions = Submissions(
      database: database, queue: queue, sessions: sessions, answers: submitted, logger: logger)
    let readiness = IngestReadiness(database: database, queue: queue, pause: pause)
    show(readiness, QueueSamples(database: database, view: view, pause: pause))
    let (reactor, addresses) = try Reactor.start("ingest", wake: wake) { [configuration, logger] context in
      let jobServer = try JobServer(
        context, bind: configuration.jobs, boot: start.generation, remotePerSecond: configuration.remotePerSecond,
        isPaused: pause.sinceMs != nil, curve: configuration.jobsCurve, inbox: jobs, logger: logger,
        perform: { queue.perform($0) }, waited: { queue.waited($0) })
      let changeServer = try ChangeServer(
        context, bind: configuration.changes, state: start.list, inbox: changes, curve: configuration.changesCurve,
        logger: logger)
      let submitServer = try SubmitServer(
        context, bind: configuration.submit, curve: configuration.submitCurve, inbox: submitted, logger: logger,
        taken: { submissions.take($0) })
      let adminServer = try AdminServer(
        context, bind: configuration.admin, jobs: jobServer, changes: changeServer, inbox: answers, logger: logger,
        asked: { admin.take($0) })
      return (
        [jobServer, changeServer, submitServer, adminServer],
        (jobs: jobServer.endpoint, changes: changeServer.endpoint, submit: submitServer.endpoint)
      )
    }
    defer { reactor.stop() }
    warn()
    resume(start.jobs, isPaused: pause.sinceMs != nil, jobs)
    // Before anybody can ask: who has deleted an account is not to be seen again.
    for account in start.closedAccounts { try await queue.erasePosts(of: account) }
    let http = HTTPRun { [self] in
      let router = try routes(database, queue, providers, readiness, admin, history)
      try await HTTPService.run(
        router, host: configuration.host, port: configuration.port, proxies: configuration.proxies,
        form: ClassicForm.body, logger: logger
      ) { port in
        ready(
          Addresses(httpPort: port, jobs: addresses.jobs, changes: addresses.changes, submit: addresses.submit))
      }
    }
    try await DiskWatch(database: database, logger: logger).run(beside: http, history)
  }

  /// Everything that ingest answers over HTTP, as `openapi.json` describes it. Throws where that is no JSON.
  func routes(
    _ database: any IngestStore, _ queue: PostQueue, _ providers: ProviderLogins, _ readiness: IngestReadiness,
    _ admin: AdminAnswers, _ history: QueueHistory
  ) throws -> Router<ConnectionContext> {
    let (logins, sessions) = (providers.logins, providers.logins.sessions)
    let router = Router(context: ConnectionContext.self, options: .autoGenerateHeadEndpoints)
    if configuration.registry != nil { router.add(middleware: RequestMeter()) }
    let site = Site(
      origin: configuration.origin, proxies: configuration.proxies, partners: configuration.partners)
    router.add(middleware: CrossOriginAnswers(site: site))
    router.add(middleware: ProblemMiddleware(Problem.of, form: ClassicForm.body, isSecure: site.isSecure))
    let viewers = Viewers(viewing: configuration.page.viewing, sessions: sessions, site: site)
    PublicRoutes(latest: queue.latest, readiness: readiness, viewers: viewers).add(to: router)
    PageRoutes(configuration.page, sessions: sessions, providers: providers, site: site).add(to: router)
    try DocumentRoutes(of: .ingest).add(to: router)
    GeocodeRoutes(lookups: queue.lookups).add(to: router)
    AccountRoutes(
      database: database, sessions: sessions, passwords: logins.passwords, logins: logins, providers: providers,
      site: site, isOpen: configuration.isSignUpOpen
    ).add(to: router)
    LoginRoutes(providers: providers, site: site).add(to: router)
    SessionRoutes(database: database, sessions: sessions, passwords: logins.passwords, logins: logins, site: site)
      .add(to: router)
    IdentityRoutes(database: database, sessions: sessions, providers: providers, site: site).add(to: router)
    ProfileRoutes(queue: queue, sessions: sessions, logins: logins, site: site).add(to: router)
    PostRoutes(database: database, queue: queue, sessions: sessions, site: site, viewers: viewers).add(to: router)
    BulkRoutes(queue: queue, sessions: sessions, site: site).add(to: router)
    AdminRoutes(admin: admin, history: history, sessions: sessions, site: site).add(to: router)
    ClassicSessionRoutes(sessions: sessions, logins: logins, providers: providers, site: site).add(to: router)
    ClassicUserRoutes(database: database, sessions: sessions, site: site).add(to: router)
    ClassicListRoutes(database: database, latest: queue.latest, site: site, viewers: viewers).add(to: router)
    ClassicPostRoutes(database: database, queue: queue, sessions: sessions, site: site).add(to: router)
    return router
  }

  /// Adds ingest's readiness and metrics to the process's operations.
  private func show(_ readiness: IngestReadiness, _ samples: QueueSamples) {
    configuration.readiness.add(readiness.check)
    configuration.registry?.add(samples.collect)
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

  /// Hands the job link what is to be done since before.
  private func resume(_ unsettled: [StoreSnapshot.QueuedJob], isPaused: Bool, _ jobs: Inbox<JobServer.Command>) {
    if isPaused { logger.notice("the queue is paused; onthemap queue resume lets it go on") }
    let nowMs = WallClock.unixMs
    // Whatever the clock was when they were stored, none waits longer than the longest pause.
    jobs.put(.resume(unsettled.map { ($0.job, min(max(0, $0.dueMs - nowMs), Limits.backoffCapMs)) }))
    if !unsettled.isEmpty { logger.notice("jobs of before", metadata: ["count": "\(unsettled.count)"]) }
  }
}

/// HTTP, with routes that are made where they are used.
private struct HTTPRun: Service {
  let body: @Sendable () async throws -> Void

  func run() async throws { try await body() }
}
