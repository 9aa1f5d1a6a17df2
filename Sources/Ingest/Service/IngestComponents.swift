import Domain
import Hummingbird
import Logging
import Messaging
import Store
import Web

/// The connected parts of one ingest: the store, the queue, the accounts, the links with their thread, and the API's
/// routes.
///
/// `IngestService` runs the components behind HTTP. Tests call the routes without a server.
final class IngestComponents: Sendable {
  let database: any IngestStore
  let queue: PostPipeline
  let providers: ExternalSignIn
  let readiness: IngestReadiness
  let admin: AdminResponder
  let history: QueueHistory
  let samples: QueueCollector
  let signUps = SignUpGuard()
  /// Nil if ingest sends no mail.
  let mail: AccountMail?
  let gateways: GatewayRequests
  /// Endpoints of the links, with the actual ports.
  let endpoints: Endpoints

  private let configuration: IngestConfiguration
  private let pause: QueuePause
  private let reactor: Reactor
  private let closedAccounts: [AccountID]

  /// Endpoints of the links.
  struct Endpoints: Sendable {
    let jobs: Endpoint
    let changes: Endpoint
    let submit: Endpoint
    /// Nil if ingest has no gateways.
    let gateway: Endpoint?
  }

  /// Starts the links, and queues the store's jobs. Blocks on the disk.
  ///
  /// - Parameters:
  ///   - database: The open store, which closes if this fails.
  ///   - loginUnixMs: Time of the limit of logins, in milliseconds since 1970, UTC. Any thread.
  /// - Throws: `StoreError` or `LinkError`. Both are final until the configuration changes.
  static func start(
    _ configuration: IngestConfiguration, _ database: any IngestStore, logger: Logger,
    loginUnixMs: @escaping @Sendable () -> Int64 = { WallClock.unixMs }
  ) throws -> IngestComponents {
    Secrets.prepare()
    do { return try IngestComponents(configuration, database, logger: logger, loginUnixMs: loginUnixMs) } catch {
      database.close()
      throw error
    }
  }

  private init(
    _ configuration: IngestConfiguration, _ database: any IngestStore, logger: Logger,
    loginUnixMs: @escaping @Sendable () -> Int64
  ) throws {
    let start = try database.start()
    let wake = WakeupEvent()
    let jobs = CommandQueue<JobServer.Command>(wake)
    let changes = CommandQueue<[FeedChange]>(wake)
    let pause = QueuePause(sinceMs: start.pausedMs, changes: database.changes)
    let lookups = Lookups(jobs: jobs, pause: pause, generation: start.generation)
    let queue = PostPipeline(
      database: database, jobs: jobs, changes: changes, lookups: lookups, depth: start.jobs.count,
      waitMaxMs: configuration.queueWaitMaxMs, postsPerMinute: configuration.postsPerMinute,
      requiresConfirmedEmail: configuration.requiresConfirmedEmail, logger: logger)
    let sessions = Sessions(database: database)
    let logins = PasswordLogin(
      database: database, sessions: sessions, passwords: PasswordHasher(pace: queue.pace),
      loginGuard: try LoginGuard(database: database, unixMs: loginUnixMs), audit: AuditLog(logger: logger))
    let adminCommands = CommandQueue<AdminServer.Command>(wake)
    let inspector = QueueInspector(adminCommands)
    let backups = Backups(store: database as? any BackupStore, logger: logger)
    let admin = AdminResponder(
      database: database, queue: queue, pause: pause, users: UserAdministration(database: database, logins: logins),
      backups: backups, inspector: inspector, replies: adminCommands, logger: logger)
    let submitCommands = CommandQueue<SubmitServer.Command>(wake)
    let submissions = Submissions(
      database: database, queue: queue, sessions: sessions, replies: submitCommands, logger: logger)
    let gatewayCommands = CommandQueue<GatewayServer.Command>(wake)
    let gateways = GatewayRequests(queue: queue, sessions: sessions, replies: gatewayCommands, logger: logger)
    (reactor, endpoints) = try Reactor.start("ingest", wake: wake) { context in
      let ingest = IngestStart(epoch: start.list.epoch, generation: start.generation)
      let jobServer = try JobServer(
        context, bind: configuration.jobs, start: ingest, remotePerSecond: configuration.remotePerSecond,
        isPaused: pause.sinceMs != nil, curve: configuration.jobsCurve, commands: jobs, logger: logger,
        perform: { queue.perform($0) }, onQueueWait: { queue.recordQueueWait($0) })
      let changeServer = try ChangeServer(
        context, bind: configuration.changes, state: start.list, generation: start.generation,
        committedChanges: changes, curve: configuration.changesCurve, logger: logger)
      let submitServer = try SubmitServer(
        context, bind: configuration.submit, start: ingest, curve: configuration.submitCurve, commands: submitCommands,
        logger: logger, onRequests: { submissions.handle($0) })
      let adminServer = try AdminServer(
        context, bind: configuration.admin, jobs: jobServer, changes: changeServer, commands: adminCommands,
        logger: logger, onRequest: { admin.handle($0) })
      let gatewayServer = try configuration.gateway.map { endpoint in
        try GatewayServer(
          context, bind: endpoint, start: ingest, site: configuration.gatewaySite, curve: configuration.gatewayCurve,
          commands: gatewayCommands, logger: logger, onRequest: { gateways.handle($0) })
      }
      let sockets: [any ReactorSocket] = [jobServer, changeServer, submitServer, adminServer]
      return (
        sockets + (gatewayServer.map { [$0] } ?? []),
        Endpoints(
          jobs: jobServer.endpoint, changes: changeServer.endpoint, submit: submitServer.endpoint,
          gateway: gatewayServer?.endpoint)
      )
    }
    (self.configuration, self.database, self.pause) = (configuration, database, pause)
    (self.queue, self.gateways, self.admin) = (queue, gateways, admin)
    providers = ExternalSignIn(
      logins: logins, facebook: configuration.facebook, openID: configuration.openID,
      isOpen: configuration.isSignUpOpen, logger: logger)
    mail = AccountMail(configuration, database: database, audit: logins.audit, logger: logger)
    closedAccounts = start.closedAccounts
    readiness = IngestReadiness(database: database, queue: queue, pause: pause)
    history = QueueHistory(database: database, inspector: inspector)
    samples = QueueCollector(database: database, inspector: inspector, pause: pause)
    resume(start.jobs, pausedSinceMs: pause.sinceMs, logger: logger)
  }

  /// Queues the unsettled jobs of the store.
  private func resume(_ unsettled: [StoreSnapshot.QueuedJob], pausedSinceMs: Int64?, logger: Logger) {
    if let pausedSinceMs {
      logger.notice(
        "queue still paused: run onthemap queue resume",
        metadata: ["paused_since": "\(timestamp(unixMs: pausedSinceMs))"])
    }
    queue.jobs.enqueue(.resume(unsettled.map { ($0.job, $0.dueMs) }, unixMs: WallClock.unixMs))
    if !unsettled.isEmpty { logger.notice("queued jobs restored", metadata: ["count": "\(unsettled.count)"]) }
  }

  /// Finishes the account deletions that the last stop interrupted. Call this before serving requests.
  func finishErasures() async throws {
    for account in closedAccounts { try await queue.erasePosts(of: account) }
  }

  /// Stops the links, cancels requests to providers, drops waiting mails, and closes the store. Blocks on the disk.
  func end() {
    reactor.stop()
    mail?.end()
    providers.end()
    database.close()
  }

  /// Returns all routes of ingest's API, as `openapi.json` describes them.
  func router() -> Router<ConnectionContext> {
    let (logins, sessions) = (providers.logins, providers.logins.sessions)
    let router = Router(context: ConnectionContext.self, options: .autoGenerateHeadEndpoints)
    if configuration.registry != nil { router.add(middleware: RequestMeter()) }
    let site = configuration.site
    router.add(middleware: CrossOriginMiddleware(policy: CrossOriginPolicy(allowedOrigins: site.allowedOrigins)))
    router.add(middleware: ProblemMiddleware(Problem.of, form: CompatResponseFormat.body, isSecure: site.isSecure))
    let viewers = MapAuthorization(mapAccess: configuration.page.mapAccess, sessions: sessions, site: site)
    PublicRoutes(latest: queue.latest, readiness: readiness, viewers: viewers).add(to: router)
    let recovery = configuration.recovery
    PageRoutes(
      configuration.page, database: database, sessions: sessions, providers: providers,
      recovery: recovery, site: site, pause: pause
    ).add(to: router)
    InstallationRoutes().add(to: router)
    DocumentRoutes(of: .ingest).add(to: router)
    GeocodeRoutes(lookups: queue.lookups).add(to: router)
    AccountRoutes(
      database: database, sessions: sessions, passwords: logins.passwords, logins: logins, providers: providers,
      site: site, isOpen: configuration.isSignUpOpen, signUps: signUps, mail: mail
    ).add(to: router)
    LoginRoutes(providers: providers, recovery: recovery, site: site).add(to: router)
    RecoveryRoutes(
      database: database, mail: mail, method: recovery, sessions: sessions, passwords: logins.passwords,
      audit: logins.audit, site: site
    ).add(to: router)
    SessionRoutes(database: database, sessions: sessions, passwords: logins.passwords, logins: logins, site: site)
      .add(to: router)
    IdentityRoutes(database: database, sessions: sessions, providers: providers, site: site).add(to: router)
    ProfileRoutes(queue: queue, sessions: sessions, logins: logins, site: site, mail: mail).add(to: router)
    PostRoutes(database: database, queue: queue, sessions: sessions, site: site, viewers: viewers).add(to: router)
    BulkRoutes(queue: queue, sessions: sessions, site: site).add(to: router)
    AdminRoutes(admin: admin, history: history, sessions: sessions, site: site).add(to: router)
    CompatSessionRoutes(sessions: sessions, logins: logins, providers: providers, site: site).add(to: router)
    CompatUserRoutes(database: database, sessions: sessions, site: site).add(to: router)
    CompatListRoutes(database: database, latest: queue.latest, site: site, viewers: viewers).add(to: router)
    CompatPostRoutes(database: database, queue: queue, sessions: sessions, site: site).add(to: router)
    return router
  }
}

extension IngestConfiguration {
  fileprivate var site: Site { Site(origin: origin, proxies: proxies, allowedOrigins: allowedOrigins) }

  fileprivate var recovery: RecoveryMethod {
    RecoveryMethod(
      isByMail: mail != nil, operatorContact: operatorContact, requiresConfirmedEmail: requiresConfirmedEmail)
  }

  /// The site, as gateways need it.
  fileprivate var gatewaySite: GatewaySite {
    GatewaySite(
      isSecure: site.isSecure, allowedOrigins: allowedOrigins, isMapPublic: !page.mapAccess.isMembersOnly)
  }
}
