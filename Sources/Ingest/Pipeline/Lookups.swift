import Domain
import HTTPTypes
import Messaging
import Synchronization
import Web

/// Lookups of clients, as jobs with priority that ingest never stores. A lost lookup fails, and its client may retry.
/// Clients with the same query share one job, such as people who open the same page together.
final class Lookups: Sendable {
  /// A job and the clients that wait for it.
  private struct InFlightLookup: Sendable {
    let job: JobID
    var waiting: Set<JobID>
  }

  private struct InFlightLookups: Sendable {
    var byQuery: [PlaceQuery: InFlightLookup] = [:]
    var queries: [JobID: PlaceQuery] = [:]

    /// Adds a waiting client. Returns true for the first one, which must enqueue the job.
    mutating func join(_ query: PlaceQuery, _ id: JobID) -> Bool {
      if byQuery[query]?.waiting.insert(id) != nil { return false }
      byQuery[query] = InFlightLookup(job: id, waiting: [id])
      queries[id] = query
      return true
    }

    /// Removes a waiting client. Returns the job if no other client waits for it.
    mutating func leave(_ query: PlaceQuery, _ id: JobID) -> JobID? {
      guard byQuery[query]?.waiting.remove(id) != nil, let flight = byQuery[query], flight.waiting.isEmpty else {
        return nil
      }
      _ = complete(flight.job)
      return flight.job
    }

    /// Removes a finished job. Returns its waiting clients.
    mutating func complete(_ job: JobID) -> Set<JobID> {
      queries.removeValue(forKey: job).flatMap { byQuery.removeValue(forKey: $0) }?.waiting ?? []
    }
  }

  private let jobs: CommandQueue<JobServer.Command>
  private let pause: QueuePause
  private let waiters = Waiters<JobID, JobOutcome>(max: Limits.lookupsMax)
  private let inFlight = Mutex(InFlightLookups())
  /// Number of the latest lookup. It contains the generation, because a worker may still hold a result from before a
  /// restart.
  private let counter: Atomic<UInt64>
  private let timeoutMs: Int64

  /// Creates the lookups of one start of ingest.
  ///
  /// - Parameters:
  ///   - generation: The number of this start of ingest.
  ///   - timeoutMs: Timeout for a result, in milliseconds.
  init(
    jobs: CommandQueue<JobServer.Command>, pause: QueuePause, generation: UInt32,
    timeoutMs: Int64 = Limits.lookupTimeoutMs
  ) {
    self.jobs = jobs
    self.pause = pause
    self.timeoutMs = timeoutMs
    counter = Atomic(JobID.lookupBase(generation: generation))
  }

  /// Returns the places for a query, best first. Empty if none is known.
  ///
  /// - Parameter onWaitEnd: Receives a callback. Call the callback to end the wait.
  /// - Throws: `Problem` if too many lookups wait, the queue is paused, or no result arrives in time.
  func places(
    _ query: PlaceQuery, onWaitEnd: (@escaping @Sendable () -> Void) -> Void = { _ in }
  ) async throws -> [Place] {
    guard pause.sinceMs == nil else {
      throw Problem(
        .serviceUnavailable, "queue_paused", "the operator has paused the queue; try again later",
        retryAfterSeconds: Limits.retryOperatorSeconds)
    }
    let id = JobID(lookup: counter.add(1, ordering: .relaxed).newValue)
    guard waiters.register(id) else { throw Problem.busy }
    if inFlight.withLock({ $0.join(query, id) }) {
      jobs.enqueue(.lookUp(Job(id: id, account: AccountID(rawValue: 0), request: .lookup(query))))
    }
    switch await waiters.outcome(of: id, withinMs: timeoutMs, onWaitEnd: onWaitEnd) {
    case .located(let places): return places
    case .notFound: return []
    case .failed(let failure):
      throw Problem(
        .serviceUnavailable, "geocoder_unavailable", "the lookup failed: \(failure.detail)",
        retryAfterSeconds: Limits.retrySoonSeconds)
    case nil:
      if let job = inFlight.withLock({ $0.leave(query, id) }) { jobs.enqueue(.cancel([job])) }
      throw Problem(
        .serviceUnavailable, "geocoder_unavailable", "no geocoding worker is available; try again later",
        retryAfterSeconds: Limits.retryRestartSeconds)
    }
  }

  func complete(_ job: JobID, _ outcome: JobOutcome) {
    for id in inFlight.withLock({ $0.complete(job) }) { waiters.complete(id, outcome) }
  }
}
