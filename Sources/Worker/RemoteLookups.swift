import Domain
import Logging
import Messaging
import RemoteGeocoding
import Telemetry

/// Lookups of streets and houses, which the gazetteer does not have: asked of a remote provider off the reactor's
/// thread, with ingest's permit for each request. Any thread.
final class RemoteLookups: Sendable {
  private let geocoder: RemoteGeocoder
  private let results: CommandQueue<JobResult>
  private let meters: GeocodeMeters

  /// - Parameter results: where the answers go.
  init(
    _ configuration: RemoteConfiguration, logger: Logger, results: CommandQueue<JobResult>, meters: GeocodeMeters
  ) {
    geocoder = RemoteGeocoder(configuration, logger: logger) { Reactor.nowMs }
    self.results = results
    self.meters = meters
  }

  /// Nothing may be taken afterwards.
  func end() { geocoder.end() }

  /// Takes a job whose text asks for a street or a house that was not found (`AddressClassifier`). Returns false for any
  /// other job; otherwise the result comes later.
  func accept(_ job: Job, _ lease: Lease, found: [Place]) -> Bool {
    guard AddressClassifier.needsRemoteLookup(job.placeQuery, found: found) else { return false }
    let query = job.placeQuery
    let once = PendingResult(job, lease, results, meters)
    Task { [geocoder] in
      if let known = await geocoder.cachedOutcome(query) { return once.complete(.outcome(.remote(known, found: found))) }
      guard job.isRemote else { return once.complete(.needsRemote(found)) }
      once.complete(.outcome(.remote(await geocoder.locate(query), found: found)))
    }
    guard job.isRemote, job.id.isLookup else { return true }
    // Somebody waits for it, and is better served with a town than with nothing.
    Task {
      try? await Task.sleep(for: .milliseconds(Limits.remoteLookupMs))
      once.complete(.outcome(.degraded(found, code: "remote_timeout")))
    }
    return true
  }
}

extension JobOutcome {
  /// The outcome of a lookup for which the gazetteer has `found` and a remote provider has answered.
  fileprivate static func remote(_ reply: RemoteGeocoder.Outcome, found: [Place]) -> JobOutcome {
    switch reply {
    // What is no street or house is known better here.
    case .found(let places) where found.isEmpty || places[0].level >= .street: .located(places)
    case .found, .notFound: found.isEmpty ? .notFound : .located(found)
    case .unavailable(let code): .degraded(found, code: code)
    }
  }
}

/// The result of one job: the first one counts.
private final class PendingResult: Sendable {
  private let job: Job
  private let lease: Lease
  private let results: CommandQueue<JobResult>
  private let meters: GeocodeMeters
  private let watch = Stopwatch()
  private let isDone = OneShot<Void>()

  init(_ job: Job, _ lease: Lease, _ results: CommandQueue<JobResult>, _ meters: GeocodeMeters) {
    self.job = job
    self.lease = lease
    self.results = results
    self.meters = meters
  }

  func complete(_ reply: WorkerReply) {
    guard isDone.set(()) else { return }
    meters.count(reply, to: job, since: watch)
    // Places of posts do not keep their detail.
    let isDetailed = job.placeQuery.isDetailed
    results.enqueue(JobResult(lease: lease, reply: isDetailed ? reply : reply.withoutDetail))
  }
}

extension WorkerReply {
  fileprivate var withoutDetail: WorkerReply {
    func bare(_ places: [Place]) -> [Place] {
      places.map { place in
        var place = place
        place.detail = nil
        return place
      }
    }
    switch self {
    case .outcome(.located(let places)): return .outcome(.located(bare(places)))
    case .needsRemote(let places): return .needsRemote(bare(places))
    case .outcome(.notFound), .outcome(.failed): return self
    }
  }
}
