import Domain
import Logging
import Messaging
import RemoteGeocoding
import Telemetry

/// Requests to a remote provider for streets and houses, which the gazetteer lacks. They run on other threads than the
/// reactor's, and each needs a permit of ingest. Any thread.
final class RemoteLookups: Sendable {
  private let geocoder: RemoteGeocoder
  private let results: CommandQueue<JobResult>
  private let meters: GeocodeMeters

  /// Creates the client of a provider.
  ///
  /// - Parameter results: Queue for the results.
  init(
    _ configuration: RemoteConfiguration, logger: Logger, results: CommandQueue<JobResult>, meters: GeocodeMeters
  ) {
    geocoder = RemoteGeocoder(configuration, logger: logger) { Reactor.nowMs }
    self.results = results
    self.meters = meters
  }

  /// Ends the provider's client. Call no `accept` afterwards.
  func end() { geocoder.end() }

  /// Accepts a job whose text names a street or a house that the gazetteer did not find (`AddressClassifier`). Returns
  /// false for any other job. The result of an accepted job comes later.
  func accept(_ job: Job, _ lease: Lease, found: [Place]) -> Bool {
    guard AddressClassifier.needsRemoteLookup(job.placeQuery, found: found) else { return false }
    let query = job.placeQuery
    let pending = PendingResult(job, lease, results, meters)
    Task { [geocoder] in
      if let known = await geocoder.cachedOutcome(query) {
        return pending.complete(.outcome(.remote(known, found: found)))
      }
      guard job.isRemote else { return pending.complete(.needsRemote(found)) }
      pending.complete(.outcome(.remote(await geocoder.locate(query), found: found)))
    }
    guard job.isRemote, job.id.isLookup else { return true }
    // A client waits for a lookup, and a city is better than no place.
    Task {
      try? await Task.sleep(for: .milliseconds(Limits.remoteLookupMs))
      pending.complete(.outcome(.degraded(found, code: "remote_timeout")))
    }
    return true
  }
}

extension JobOutcome {
  /// Returns the outcome from the gazetteer's places `found` and the remote provider's reply.
  fileprivate static func remote(_ reply: RemoteGeocoder.Outcome, found: [Place]) -> JobOutcome {
    switch reply {
    // The gazetteer is better than the provider for places wider than a street.
    case .found(let places) where found.isEmpty || places[0].level >= .street: .located(places)
    case .found, .notFound: found.isEmpty ? .notFound : .located(found)
    case .unavailable(let code): .degraded(found, code: code)
    }
  }
}

/// The result of one job. Only the first call of `complete` counts.
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
    // Results of posts omit the detail of places.
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
