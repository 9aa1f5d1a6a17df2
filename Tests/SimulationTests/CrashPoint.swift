import Fuzzing

/// Moments at which ingest or a worker may crash.
enum CrashPoint: String, CaseIterable {
  /// A request has arrived, and nothing is written.
  case ingestHasRequest
  /// Results have arrived, and nothing is written.
  case ingestHasResults
  /// A group of writes is submitted and not committed.
  case ingestBeforeCommit
  /// The group is committed, and no completion has run.
  case ingestAfterCommit
  /// The group is committed, and one of its completions has run.
  case ingestHasCompleted
  /// Jobs are sent.
  case ingestHasSentJobs
  /// Jobs have arrived.
  case workerHasJobs
  /// A job is finished, and its result is not sent.
  case workerBeforeResults
  /// The result is sent.
  case workerAfterResults
  /// The result is acknowledged.
  case workerHasAcks
}

extension Simulation {
  /// Returns true, at random, if the process crashes at this point, and counts the crash. Always false in the calm.
  func mayCrash(_ point: CrashPoint) -> Bool {
    guard !isCalm, random.below(1_000) < (point.rawValue.hasPrefix("ingest") ? 6 : 12) else { return false }
    crashes[point, default: 0] += 1
    return true
  }
}
