import HTTPTypes
import Link
import OnTheMap
import Synchronization
import Web

/// Look-ups for a preview: jobs like any other, but first in line and on no disk. Lost, a look-up fails, and its client
/// may repeat it.
final class Lookups: Sendable {
  private let jobs: Inbox<JobServer.Command>
  private let pause: QueuePause
  private let waiters = Waiters<JobID, JobOutcome>(max: Limits.lookupsMax)
  /// The boot number is part of it: a worker may still hold an answer of before a restart.
  private let counter: Atomic<UInt64>

  /// - Parameter boot: the number of this start of ingest.
  init(jobs: Inbox<JobServer.Command>, pause: QueuePause, boot: UInt32) {
    self.jobs = jobs
    self.pause = pause
    counter = Atomic(UInt64(boot) << 39)
  }

  /// Places for a question, best first; none when none is known.
  ///
  /// - Throws: `Problem` when too many look up, the queue is paused, or no worker answers in time.
  func places(_ query: PlaceQuery) async throws -> [Place] {
    guard pause.sinceMs == nil else {
      throw Problem(
        .serviceUnavailable, "geocoder_unavailable", "the operator has paused the queue; try again later",
        retryAfterSeconds: 30)
    }
    let id = JobID(lookup: counter.add(1, ordering: .relaxed).newValue)
    guard waiters.expect(id) else { throw Problem.busy }
    jobs.put(.add([Job(id: id, account: AccountID(rawValue: 0), question: .lookup(query))]))
    switch await waiters.outcome(of: id, withinMs: Limits.lookupTimeoutMs)?.withoutRemote {
    case .located(let places): return places
    case .notFound, .remoteNeeded: return []
    case .failed(let failure):
      throw Problem(
        .serviceUnavailable, "geocoder_unavailable", "the place could not be looked up: \(failure.detail)",
        retryAfterSeconds: 2)
    case nil:
      jobs.put(.cancel([id]))
      throw Problem(
        .serviceUnavailable, "geocoder_unavailable", "no geocoding worker answers at the moment; try again later",
        retryAfterSeconds: 5)
    }
  }

  func answer(_ id: JobID, _ outcome: JobOutcome) { waiters.tell(id, outcome) }

  /// Its worker was lost.
  func lose(_ id: JobID) {
    waiters.tell(id, .failed(.init(kind: .transient, code: "worker_lost", detail: "its worker was lost")))
  }
}
