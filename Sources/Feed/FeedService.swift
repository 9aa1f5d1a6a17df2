package import Domain
import Glibc
import HTTPTypes
import Hummingbird
package import Logging
package import Messaging
import Metrics
import NIOCore
import ServiceLifecycle
package import Telemetry
package import Web

/// Where a feed pulls from, publishes and listens.
package struct FeedConfiguration: Sendable {
  /// Ingest's change log.
  package var ingest: Endpoint
  /// The feed's own address.
  package var publish: Endpoint
  /// Where it is asked.
  package var query: Endpoint
  /// HTTP.
  package var host: String
  /// 0 for a free one.
  package var port: Int
  /// The folder where it keeps its last list; nil where it keeps none.
  package var data: String?
  /// Other feeds of the same list, to which subscribers are sent when this one ends.
  package var alternates: [Endpoint] = []
  /// Keys for ingest's change log; nil for plain text.
  package var ingestCurve: CurveClient?
  /// Keys for subscribers; nil for plain text.
  package var publishCurve: CurveServer?
  /// Keys for those who ask; nil for plain text.
  package var queryCurve: CurveServer?
  /// In front of its HTTP.
  package var proxies = TrustedProxies()
  /// Whether its process has nothing else that serves HTTP to many: then more descriptors are its own.
  package var isAlone = false
  /// Who may see the list over HTTP.
  package var viewing = MapAccess.open
  /// Who shows its metrics; nil where nobody does.
  package var registry: MetricRegistry?
  /// Readiness of the process, to which the feed adds its part; nil where no address shows it.
  package var readiness: Readiness?

  package init(ingest: Endpoint, publish: Endpoint, query: Endpoint, host: String, port: Int) {
    self.ingest = ingest
    self.publish = publish
    self.query = query
    self.host = host
    self.port = port
  }
}

/// Tells everybody the latest posts: over ZeroMQ as they come, over HTTP when asked.
package struct FeedService: Service {
  /// Where it listens, with the ports that were taken.
  package struct Addresses: Sendable {
    /// Of HTTP.
    package let httpPort: Int
    package let publish: Endpoint
    package let query: Endpoint
  }

  /// The part of the HTTP connections that streams leave to requests for the list: a sixth. A stream keeps its
  /// connection for as long as its client wants, and a request for a moment only.
  private static let listShare = 6

  private let configuration: FeedConfiguration
  private let logger: Logger
  private let ready: @Sendable (Addresses) -> Void

  /// - Parameter ready: called once, when everything listens.
  package init(_ configuration: FeedConfiguration, logger: Logger, ready: @escaping @Sendable (Addresses) -> Void) {
    self.configuration = configuration
    self.logger = logger
    self.ready = ready
  }

  /// Runs until graceful shutdown: subscribers are told, and sent elsewhere.
  ///
  /// - Throws: `LinkError`, or what HTTP's socket says; all final until the configuration changes.
  package func run() async throws {
    let latest = CurrentList()
    let connections = HTTPService.connectionsMax(isAlone: configuration.isAlone)
    let capacity = connections / FeedService.listShare * (FeedService.listShare - 1)
    let streams = SSEBroadcaster(latest, capacity: min(Limits.streamsMax, capacity))
    let (listening, listed) = (OneShot<Int>(), OneShot<Void>())
    let meters = FeedMeters()
    let keeper = configuration.data.map { SnapshotFile(folder: $0, latest: latest, logger: logger) }
    let (reactor, addresses) = try start(
      snapshot: keeper?.read(),
      ListObservers(
        replaced: { state in
          latest.replace(state)
          streams.changed()
          meters.seq.set(Double(state.seq))
          listed.set(())
        },
        changed: { changes, state in
          latest.change(changes, to: state)
          streams.changed()
          meters.seq.set(Double(state.seq))
        },
        turnedStale: { isStale in
          latest.set(isStale: isStale)
          streams.changed()
        }, streams: { streams.count }), meters)
    defer {
      reactor.stop()
      keeper?.save()
    }
    configuration.registry?.add { meters.collect(nowMs: Reactor.nowMs) }
    configuration.readiness?.add(latest.check)
    let router = routes(latest, streams)
    try await withThrowingDiscardingTaskGroup { group in
      if let keeper { group.addTask { await keeper.run() } }
      group.addTask { [ready] in
        guard let port = try? await listening.value, (try? await listed.value) != nil else { return }
        ready(Addresses(httpPort: port, publish: addresses.publish, query: addresses.query))
      }
      try await withGracefulShutdownHandler {
        try await HTTPService.run(
          router, host: configuration.host, port: configuration.port, connections: connections,
          proxies: configuration.proxies, logger: logger
        ) { port in
          listening.set(port)
        }
      } onGracefulShutdown: {
        streams.end()
      }
      group.cancelAll()
    }
  }

  /// Returns all routes of a feed's HTTP, as `openapi.json` describes them.
  func routes(_ latest: CurrentList, _ streams: SSEBroadcaster) -> Router<ConnectionContext> {
    let router = Router(context: ConnectionContext.self, options: .autoGenerateHeadEndpoints)
    if configuration.registry != nil { router.add(middleware: RequestMeter()) }
    router.add(middleware: PublicOriginMiddleware())
    router.add(middleware: ProblemMiddleware { _ in nil })
    FeedRoutes(latest: latest, streams: streams, viewing: configuration.viewing).add(to: router)
    DocumentRoutes(of: .feed).add(to: router)
    return router
  }

  /// Observers of the list besides ZeroMQ's subscribers. Called on the reactor's thread.
  private struct ListObservers: Sendable {
    let replaced: @Sendable (FeedState) -> Void
    let changed: @Sendable ([FeedChange], FeedState) -> Void
    let turnedStale: @Sendable (Bool) -> Void
    /// How many streams there are.
    let streams: @Sendable () -> Int
  }

  private func start(
    snapshot: FeedState?, _ observers: ListObservers, _ meters: FeedMeters
  ) throws -> (Reactor, (publish: Endpoint, query: Endpoint)) {
    try Reactor.start("feed", wake: WakeupEvent(), ioThreads: 2) { [configuration, logger] context in
      let instance = "feed-\(getpid())"
      let publisher = try FeedPublisher(
        context, bind: configuration.publish, instance: instance, alternates: configuration.alternates,
        curve: configuration.publishCurve, logger: logger, unixMs: { WallClock.unixMs })
      let query = try FeedQueryServer(
        context, bind: configuration.query, curve: configuration.queryCurve, logger: logger)
      let replaced: (FeedState, Int64) -> Void = { state, nowMs in
        query.replace(state)
        publisher.replace(state, nowMs: nowMs)
        observers.replaced(state)
      }
      if let snapshot { replaced(snapshot, Reactor.nowMs) }
      let client = try ChangeClient(
        context, connect: configuration.ingest, feed: instance, snapshot: snapshot, curve: configuration.ingestCurve,
        logger: logger,
        subscribers: {
          meters.subscribers.set(publisher.subscribers)
          return publisher.subscribers + observers.streams()
        },
        heard: { meters.recordReply(nowMs: $0) },
        turnedStale: { isStale, nowMs in
          query.set(isStale: isStale)
          publisher.set(isStale: isStale, nowMs: nowMs)
          observers.turnedStale(isStale)
        },
        replaced: replaced,
        changed: { changes, delta, state in
          query.change(changes, to: state)
          publisher.change(delta, to: state, ringFrom: query.ringFrom)
          observers.changed(changes, state)
          for entry in delta.newOrEdited {
            guard let trace = entry.trace else { continue }
            logger.debug("post published", metadata: ["post": "\(entry.id)", "trace_id": "\(trace.traceID)"])
          }
        })
      return ([client, publisher, query], (publish: publisher.endpoint, query: query.endpoint))
    }
  }
}
