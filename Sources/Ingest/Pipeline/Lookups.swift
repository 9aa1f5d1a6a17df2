import Domain
import HTTPTypes
import Messaging
import Synchronization
import Web

/// Lookups for a preview: jobs like any other, but first in line and on no disk. Lost, a lookup fails, and its client
/// may repeat it. Who asks what is being looked up already waits for that answer: a page that everybody opens at once
/// asks a worker once.
final class Lookups: Sendable {
  /// A job, and those who wait for it.
  private struct InFlightLookup: Sendable {
    let job: JobID
    var waiting: Set<JobID>
  }

  private struct InFlightLookups: Sendable {
    var byQuery: [PlaceQuery: InFlightLookup] = [:]
    var queries: [JobID: PlaceQuery] = [:]

    /// Whether somebody is the first to ask, and has to send the job.
    mutating func join(_ query: PlaceQuery, _ id: JobID) -> Bool {
      if byQuery[query]?.waiting.insert(id) != nil { return false }
      byQuery[query] = InFlightLookup(job: id, waiting: [id])
      queries[id] = query
      return true
    }

    /// The job, where the last one who waited for it has gone.
    mutating func leave(_ query: PlaceQuery, _ id: JobID) -> JobID? {
      guard byQuery[query]?.waiting.remove(id) != nil, let flight = byQuery[query], flight.waiting.isEmpty else {
        return nil
      }
      _ = complete(flight.job)
      return flight.job
    }

    /// It is over; those who waited.
    mutating func complete(_ job: JobID) -> Set<JobID> {
      queries.removeValue(forKey: job).flatMap { byQuery.removeValue(forKey: $0) }?.waiting ?? []
    }
  }

  private let jobs: CommandQueue<JobServer.Command>
  private let pause: QueuePause
  private let waiters = Waiters<JobID, JobOutcome>(max: Limits.lookupsMax)
  private let inFlight = Mutex(InFlightLookups())
  /// The boot number is part of it: a worker may still hold an answer of before a restart.
  private let counter: Atomic<UInt64>
  private let timeoutMs: Int64

  /// - Parameters:
  ///   - boot: the number of this start of ingest.
  ///   - timeoutMs: how long an answer is waited for.
  init(
    jobs: CommandQueue<JobServer.Command>, pause: QueuePause, generation: UInt32, timeoutMs: Int64 = Limits.lookupTimeoutMs
  ) {
    self.jobs = jobs
    self.pause = pause
    self.timeoutMs = timeoutMs
    counter = Atomic(JobID.lookupsBefore(generation: generation))
  }

  /// Places for a question, best first; none when none is known.
  ///
  /// - Parameter onDisconnect: takes what is to be called when the client has gone.
  /// - Throws: `Problem` when too many look up, the queue is paused, or no worker answers in time.
  func places(
    _ query: PlaceQuery, onDisconnect: (@escaping @Sendable () -> Void) -> Void = { _ in }
  ) async throws -> [Place] {
    guard pause.sinceMs == nil else {
      throw Problem(
        .serviceUnavailable, "geocoder_unavailable", "the operator has paused the queue; try again later",
        retryAfterSeconds: Limits.retryOperatorSeconds)
    }
    let id = JobID(lookup: counter.add(1, ordering: .relaxed).newValue)
    guard waiters.register(id) else { throw Problem.busy }
    onDisconnect { [waiters] in waiters.cancel(id) }
    if inFlight.withLock({ $0.join(query, id) }) {
      jobs.enqueue(.lookUp(Job(id: id, account: AccountID(rawValue: 0), request: .lookup(query))))
    }
    switch await waiters.outcome(of: id, withinMs: timeoutMs) {
    case .located(let places): return places
    case .notFound: return []
    case .failed(let failure):
      throw Problem(
        .serviceUnavailable, "geocoder_unavailable", "the place could not be looked up: \(failure.detail)",
        retryAfterSeconds: Limits.retrySoonSeconds)
    case nil:
      if let job = inFlight.withLock({ $0.leave(query, id) }) { jobs.enqueue(.cancel([job])) }
      throw Problem(
        .serviceUnavailable, "geocoder_unavailable", "no geocoding worker answers at the moment; try again later",
        retryAfterSeconds: Limits.retryRestartSeconds)
    }
  }

  func complete(_ job: JobID, _ outcome: JobOutcome) {
    for id in inFlight.withLock({ $0.complete(job) }) { waiters.complete(id, outcome) }
  }
}
