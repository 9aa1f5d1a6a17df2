import Domain
import Gazetteer
package import Logging
package import Messaging
import Metrics
package import RemoteGeocoding
import ServiceLifecycle
import Telemetry

/// Which ingest a worker serves, and with what.
package struct WorkerConfiguration: Sendable {
  /// Ingest's job link.
  package var ingest: Endpoint
  /// Shared by the workers of a process.
  package var gazetteer: LiveGazetteer
  /// Half of the jobs that may be with the worker at once.
  package var concurrency: Int
  /// For people: 1 to 64 bytes.
  package var name: String
  /// The remote provider for streets and houses; nil for none.
  package var remote: RemoteConfiguration?
  /// Keys for ingest's job link; nil for plain text.
  package var curve: CurveClient?

  package init(ingest: Endpoint, gazetteer: LiveGazetteer, concurrency: Int, name: String) {
    self.ingest = ingest
    self.gazetteer = gazetteer
    self.concurrency = concurrency
    self.name = name
  }
}

/// Finds the places of jobs in the gazetteer, on the thread on which they arrive: a look-up takes microseconds. What
/// only a remote provider may know is asked elsewhere, and answered later.
package struct GeocodeWorker: Service {
  private let configuration: WorkerConfiguration
  private let logger: Logger
  private let ready: @Sendable () -> Void
  private let session: @Sendable (Bool) -> Void

  /// - Parameters:
  ///   - ready: called once, when ingest has accepted the worker.
  ///   - session: called with true when ingest has opened a session, and with false when it is over; must not wait.
  package init(
    _ configuration: WorkerConfiguration, logger: Logger, ready: @escaping @Sendable () -> Void,
    session: @escaping @Sendable (Bool) -> Void = { _ in }
  ) {
    self.session = session
    self.configuration = configuration
    self.logger = logger
    self.ready = ready
  }

  /// Runs until graceful shutdown. Whatever ingest has not acknowledged then is looked up again by another worker.
  ///
  /// - Throws: `LinkError`, final until the configuration changes.
  package func run() async throws {
    var random = SystemRandomNumberGenerator()
    let instance = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    let joined = OneShot<Void>()
    let joins = Metric.geocodeJoins.counter()
    let meters = GeocodeMeters(logger: logger)
    let wake = WakeupEvent()
    let later = CommandQueue<JobResult>(wake)
    let remote = configuration.remote.map { RemoteLookups($0, logger: logger, results: later, meters: meters) }
    defer { remote?.end() }
    let (reactor, _) = try Reactor.start("geocoder", wake: wake) { [configuration, logger, ready, session] context in
      let client = try JobClient(
        context, connect: configuration.ingest, worker: configuration.name, instance: instance, software: "onthemap",
        concurrency: configuration.concurrency, logger: logger,
        remoteIntervalMs: configuration.remote?.intervalMs, later: later, curve: configuration.curve,
        joined: {
          joins.increment()
          session(true)
          if joined.set(()) { ready() }
        }, left: { session(false) },
        answer: { job, lease in
          let watch = Stopwatch()
          var query = job.placeQuery
          let index = configuration.gazetteer.index
          let found = index.locate(query)
          if let remote {
            // What was left over is told only to those who ask for it.
            query.isDetailed = true
            let detailed = found.first?.match == .fallback ? index.locate(query) : found
            if remote.accept(job, lease, found: detailed) { return nil }
          }
          let answer = WorkerReply.outcome(found.isEmpty ? .notFound : .located(found))
          meters.count(answer, to: job, since: watch)
          return answer
        })
      return ([client], ())
    }
    try? await gracefulShutdown()
    reactor.stop()
  }
}
