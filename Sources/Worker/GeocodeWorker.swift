import Domain
import Gazetteer
package import Logging
package import Messaging
import Metrics
package import RemoteGeocoding
import ServiceLifecycle
import Telemetry

/// Configuration of a worker.
package struct WorkerConfiguration: Sendable {
  /// Addresses of ingest's job link, at least one. The worker uses one at a time.
  package var ingest: [Endpoint]
  /// Gazetteer that the workers of a process share.
  package var gazetteer: LiveGazetteer
  /// Number of parallel lookups. The worker holds twice as many jobs.
  package var concurrency: Int
  /// Name for people: 1 to 64 bytes.
  package var name: String
  /// Remote provider for streets and houses. Nil for none.
  package var remote: RemoteConfiguration?
  /// Keys for ingest's job link, the same for all addresses. Nil disables encryption.
  package var curve: CurveClient?

  package init(ingest: [Endpoint], gazetteer: LiveGazetteer, concurrency: Int, name: String) {
    self.ingest = ingest
    self.gazetteer = gazetteer
    self.concurrency = concurrency
    self.name = name
  }
}

/// Worker that geocodes jobs with the gazetteer. Each job takes microseconds, so the reactor's thread does it. Texts
/// for a remote provider go to another thread, and their results come later.
package struct GeocodeWorker: Service {
  private let configuration: WorkerConfiguration
  private let logger: Logger
  private let ready: @Sendable () -> Void
  private let session: @Sendable (Bool) -> Void

  /// Creates a worker.
  ///
  /// - Parameters:
  ///   - ready: Called once, when ingest has accepted the worker.
  ///   - session: Called with true when ingest has opened a session, and with false when it is over. The function must
  ///     not block.
  package init(
    _ configuration: WorkerConfiguration, logger: Logger, ready: @escaping @Sendable () -> Void,
    session: @escaping @Sendable (Bool) -> Void = { _ in }
  ) {
    self.session = session
    self.configuration = configuration
    self.logger = logger
    self.ready = ready
  }

  /// Runs until graceful shutdown. Jobs whose results are then unacknowledged go to another worker.
  ///
  /// - Throws: `LinkError`. Do not retry until the configuration changes.
  package func run() async throws {
    var random = SystemRandomNumberGenerator()
    let instance = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    let joined = OneShot<Void>()
    let sessions = Metric.workerSessions.counter()
    let meters = GeocodeMeters(logger: logger)
    let wake = WakeupEvent()
    let deferredResults = CommandQueue<JobResult>(wake)
    let remote = configuration.remote.map {
      RemoteLookups($0, logger: logger, results: deferredResults, meters: meters)
    }
    defer { remote?.end() }
    let (reactor, _) = try Reactor.start("worker", wake: wake) { [configuration, logger, ready, session] context in
      let client = try JobClient(
        context, connect: configuration.ingest, worker: configuration.name, instance: instance, software: "onthemap",
        concurrency: configuration.concurrency, logger: logger,
        remoteIntervalMs: configuration.remote?.intervalMs, deferredResults: deferredResults,
        curve: configuration.curve,
        joined: {
          sessions.increment()
          session(true)
          if joined.set(()) { ready() }
        }, left: { session(false) },
        reply: { job, lease in
          let watch = Stopwatch()
          var query = job.placeQuery
          let index = configuration.gazetteer.index
          let found = index.locate(query)
          if let remote {
            // The index returns unmatched words only with detail.
            query.isDetailed = true
            let detailed = found.first?.match == .fallback ? index.locate(query) : found
            if remote.accept(job, lease, found: detailed) { return nil }
          }
          let reply = WorkerReply.outcome(found.isEmpty ? .notFound : .located(found))
          meters.count(reply, to: job, since: watch)
          return reply
        })
      return ([client], ())
    }
    try? await gracefulShutdown()
    reactor.stop()
  }
}
