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

/// Addresses, keys and options of a feed.
package struct FeedConfiguration: Sendable {
  /// Addresses of ingest's change log, at least one. The feed uses one at a time.
  package var ingest: [Endpoint]
  /// Address at which the feed publishes.
  package var publish: Endpoint
  /// Address for queries.
  package var query: Endpoint
  /// Host name or address of the HTTP server.
  package var host: String
  /// Port of the HTTP server. 0 for a free one.
  package var port: Int
  /// Folder of the snapshot file with the feed's last list. Nil disables the file.
  package var data: String?
  /// Other feeds of the same list, to which subscribers connect when this feed ends.
  package var failoverEndpoints: [Endpoint] = []
  /// Keys for ingest's change log, the same for all addresses. Nil disables encryption.
  package var ingestCurve: CurveClient?
  /// Keys for subscribers. Nil disables encryption.
  package var publishCurve: CurveServer?
  /// Keys for queries. Nil disables encryption.
  package var queryCurve: CurveServer?
  /// Reverse proxies in front of the HTTP server.
  package var proxies = TrustedProxies()
  /// True if the process has no other HTTP server for many clients. The feed may then use more file descriptors.
  package var isAlone = false
  /// Access control for the list over HTTP.
  package var mapAccess = MapAccess.public
  /// Registry of the feed's metrics. Nil if no address exports them.
  package var registry: MetricRegistry?
  /// Readiness of the process, to which the feed adds its check. Nil if no address shows the readiness.
  package var readiness: Readiness?

  package init(ingest: [Endpoint], publish: Endpoint, query: Endpoint, host: String, port: Int) {
    self.ingest = ingest
    self.publish = publish
    self.query = query
    self.host = host
    self.port = port
  }
}

/// Service that publishes the latest posts over ZeroMQ and HTTP.
package struct FeedService: Service {
  /// Addresses at which the feed listens, with the actual ports.
  package struct Addresses: Sendable {
    /// Port of the HTTP server.
    package let httpPort: Int
    package let publish: Endpoint
    package let query: Endpoint
  }

  /// Divisor for the HTTP connections. One sixth is reserved for requests of the list, and streams may use the rest. A
  /// stream keeps its connection for as long as the client wants, a request only for milliseconds.
  private static let listShare = 6

  private let configuration: FeedConfiguration
  private let logger: Logger
  private let ready: @Sendable (Addresses) -> Void
  private let listening: @Sendable () -> Void

  /// Creates the feed.
  ///
  /// - Parameters:
  ///   - configuration: addresses, keys and options.
  ///   - logger: Log of the feed.
  ///   - ready: Called once, when the feed listens at every address and has its first list.
  ///   - listening: Called once, when the feed listens at every address. It may have no list yet. The function must not
  ///     block.
  package init(
    _ configuration: FeedConfiguration, logger: Logger, ready: @escaping @Sendable (Addresses) -> Void,
    listening: @escaping @Sendable () -> Void = {}
  ) {
    self.configuration = configuration
    self.logger = logger
    self.ready = ready
    self.listening = listening
  }

  /// Runs the feed until graceful shutdown. The feed then says goodbye to its subscribers, and names the failover
  /// endpoints.
  ///
  /// - Throws: `LinkError`, or an error of the HTTP server's socket. Do not retry before the configuration changes.
  package func run() async throws {
    let latest = CurrentList()
    let connections = HTTPService.connectionsMax(isAlone: configuration.isAlone)
    let capacity = connections / FeedService.listShare * (FeedService.listShare - 1)
    let streams = SSEBroadcaster(latest, capacity: min(Limits.streamsMax, capacity))
    let (boundPort, firstList) = (OneShot<Int>(), OneShot<Void>())
    let meters = FeedMeters(nowMs: Reactor.nowMs)
    let snapshotFile = configuration.data.map { SnapshotFile(folder: $0, latest: latest, logger: logger) }
    let (reactor, addresses) = try start(
      snapshot: snapshotFile?.read(),
      ListObservers(
        replaced: { state in
          latest.replace(state)
          streams.changed()
          meters.seq.set(Double(state.seq))
          firstList.set(())
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
      snapshotFile?.save()
    }
    configuration.registry?.add { meters.collect(nowMs: Reactor.nowMs) }
    configuration.readiness?.add(latest.check)
    let router = routes(latest, streams)
    try await withThrowingDiscardingTaskGroup { group in
      if let snapshotFile { group.addTask { await snapshotFile.run() } }
      group.addTask { [ready] in
        guard let port = try? await boundPort.value, (try? await firstList.value) != nil else { return }
        ready(Addresses(httpPort: port, publish: addresses.publish, query: addresses.query))
      }
      try await withGracefulShutdownHandler {
        try await HTTPService.run(
          router, host: configuration.host, port: configuration.port, heldName: "feed-http", connections: connections,
          proxies: configuration.proxies, logger: logger
        ) { [listening] port in
          boundPort.set(port)
          listening()
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
    FeedRoutes(latest: latest, streams: streams, mapAccess: configuration.mapAccess).add(to: router)
    DocumentRoutes(of: .feed).add(to: router)
    return router
  }

  /// Observers of the list besides the ZeroMQ subscribers. Called on the reactor's thread.
  private struct ListObservers: Sendable {
    let replaced: @Sendable (FeedState) -> Void
    let changed: @Sendable ([FeedChange], FeedState) -> Void
    let turnedStale: @Sendable (Bool) -> Void
    /// Returns the number of streams.
    let streams: @Sendable () -> Int
  }

  private func start(
    snapshot: FeedState?, _ observers: ListObservers, _ meters: FeedMeters
  ) throws -> (Reactor, (publish: Endpoint, query: Endpoint)) {
    try Reactor.start("feed", wake: WakeupEvent(), ioThreads: 2) { [configuration, logger] context in
      let instance = "feed-\(getpid())"
      let publisher = try FeedPublisher(
        context, bind: configuration.publish, instance: instance, failoverEndpoints: configuration.failoverEndpoints,
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
        onValidReply: { meters.recordReply(nowMs: $0) },
        turnedStale: { isStale, nowMs in
          query.set(isStale: isStale)
          publisher.set(isStale: isStale, nowMs: nowMs)
          observers.turnedStale(isStale)
        },
        replaced: replaced,
        changed: { changes, delta, state in
          query.change(changes, to: state)
          publisher.change(delta, to: state, minAfterSeq: query.minAfterSeq)
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
