import ArgumentParser
import Domain
import Feed
import Ingest
import Logging
import Messaging
import ServiceLifecycle
import Web
import Worker

struct UpCommand: ServiceCommand {
  static let configuration = CommandConfiguration(
    commandName: "up", abstract: "Run all services in one process.",
    discussion: """
      The services connect over sockets, as separate processes do. Prints their
      addresses when all services are ready. SIGHUP reloads the gazetteer and the
      allowlists. The process refuses a damaged file and keeps the current one.
      Exit status 74 if the store fails, 78 if a setting is invalid.

      Examples:
        onthemap up
        onthemap up --data /var/lib/onthemap --http 127.0.0.1:9000 --workers 4
        onthemap up --http 127.0.0.1:0 --feed-http 127.0.0.1:0 \\
          --jobs 'tcp://127.0.0.1:*' --changes 'tcp://127.0.0.1:*' \\
          --submit 'tcp://127.0.0.1:*' --publish 'tcp://127.0.0.1:*' \\
          --operations 127.0.0.1:0
      """)

  @Option(.feedHTTP)
  var feedHttp: String?
  @Option(.workers)
  var workers: String?
  @Option(.gazetteer)
  var gazetteer: String?
  @OptionGroup var options: IngestOptions
  @OptionGroup(title: "Feed options") var feedOptions: FeedOptions
  @OptionGroup(title: "Remote provider options") var remote: RemoteOptions
  @OptionGroup var common: CommonOptions

  func prepare() async throws -> PreparedServices {
    let settings = try await Settings(common)
    var keys = try options.keys(settings)
    var ingest = try options.configuration(settings, keys: &keys, isAll: true)
    let store = try options.store.selection(settings, data: ingest.data)
    let feedAddress = try settings.address(.feedHTTP, flag: feedHttp)
    // This address of ingest is preliminary. The actual one is known when ingest listens.
    var feed = try feedOptions.configuration(settings, ingest: [ingest.changes], http: feedAddress, keys: &keys)
    (feed.proxies, feed.mapAccess, feed.data) = (ingest.proxies, ingest.page.mapAccess, ingest.data + "/feed")
    try keys.apply(to: feed.mapAccess)
    try keys.check(
      isUsed: ingest.usesKeys || feed.publishCurve != nil, wanted: .allowProducers, .allowWorkers,
      .allowFeeds, .allowSubscribers)
    let workers = try settings.number(.workers, flag: workers, in: ToolLimits.workersRange)
    let remote = try remote.configuration(settings)
    let level = settings.logLevel
    let logger = makeLogger("up", level: level)
    let operations = try options.operations(settings, logger: logger)
    (ingest.registry, ingest.readiness) = (operations.registry, operations.readiness)
    let gazetteer = try LiveGazetteer(path: try settings.gazetteer(flag: gazetteer), logger: logger)
    // The other services start when ingest listens, because its ports are unknown before.
    let (ingestReady, feedReady) = (OneShot<IngestService.Addresses>(), OneShot<FeedService.Addresses>())
    // With TLS in front, a browser reaches the feed at an address that the process does not know.
    if case .unknown = ingest.page.feed, !ingest.origin.hasPrefix("https://") {
      ingest.page.feed = .port { feedReady.now?.httpPort }
    }
    var services: [any Service] = [
      IngestService(ingest, store: store, logger: makeLogger("ingest", level: level)) { ingestReady.set($0) },
      DeferredService { [ingest, feed] in
        let addresses = try await ingestReady.value
        var configuration = feed
        configuration.ingest = [addresses.changes.connectable]
        configuration.ingestCurve = ingest.changesCurve?.client
        (configuration.registry, configuration.readiness) = (operations.registry, operations.readiness)
        return FeedService(configuration, logger: makeLogger("feed", level: level)) { feedReady.set($0) }
      },
    ]
    let joined = (1...workers).map { _ in OneShot<Void>() }
    let sessions = WorkerSessions(in: operations.readiness)
    for (index, joined) in joined.enumerated() {
      let name = "worker-\(index + 1)"
      services.append(
        worker(name, level: level, sessions: sessions, joined: joined) { [ingest] in
          var configuration = WorkerConfiguration(
            ingest: [try await ingestReady.value.jobs.connectable], gazetteer: gazetteer,
            concurrency: ToolLimits.concurrencyRange.upperBound, name: name)
          configuration.remote = remote
          configuration.curve = ingest.jobsCurve?.client
          return configuration
        })
    }
    services.append(
      ReloadService { [keys] in
        gazetteer.reopen()
        if !keys.lists.isEmpty { keys.reload(logger: logger) }
      })
    services.append(
      StartupAnnouncement(logger: logger) { [host = ingest.host] in
        let (addresses, feed) = (try await ingestReady.value, try await feedReady.value)
        for worker in joined { try await worker.value }
        operations.begin()
        announce(
          addresses, at: authority(host), feed, at: authority(feedAddress.host),
          operations: try await operations.readyText)
      })
    let plan = ServicePlan(
      ingest: ingest, store: store, feed: feed, workers: workers, operations: operations.address, keys: keys)
    return try PreparedServices(
      operations.services + services, plan: plan, settings: settings, keys: keys, logger: logger)
  }

  /// Returns a worker that starts when its configuration is known.
  private func worker(
    _ name: String, level: Logger.Level, sessions: WorkerSessions, joined: OneShot<Void>,
    configuration: @escaping @Sendable () async throws -> WorkerConfiguration
  ) -> any Service {
    DeferredService {
      GeocodeWorker(
        try await configuration(), logger: makeLogger(name, level: level), ready: { joined.set(()) },
        session: { sessions.note(name, hasSession: $0) })
    }
  }

  /// Prints a line for programs, and a line for people.
  private func announce(
    _ ingest: IngestService.Addresses, at host: String, _ feed: FeedService.Addresses, at feedHost: String,
    operations: String
  ) {
    printLine(
      "ready http=http://\(host):\(ingest.httpPort) feed-http=http://\(feedHost):\(feed.httpPort) feed=\(feed.publish) "
        + "query=\(feed.query) jobs=\(ingest.jobs) changes=\(ingest.changes) submit=\(ingest.submit)"
        + (ingest.gateway.map { " gateways=\($0)" } ?? "") + operations)
    printLine("Open http://\(host):\(ingest.httpPort)/ in a browser. Press Ctrl-C to stop.")
  }
}

/// A service that is created when its inputs are available.
private struct DeferredService<Made: Service>: Service {
  let make: @Sendable () async throws -> Made

  func run() async throws {
    guard let made = try? await cancelWhenGracefulShutdown({ try await make() }) else { return }
    try await made.run()
  }
}
