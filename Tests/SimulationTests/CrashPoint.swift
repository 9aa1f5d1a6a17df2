import Fuzzing

/// The moments at which somebody may end without warning.
enum CrashPoint: String, CaseIterable {
  /// A request has come, and nothing is written.
  case ingestHasRequest
  /// Results have come, and nothing is written.
  case ingestHasResults
  /// A group of writes is on its way to the disk, and not there.
  case ingestBeforeCommit
  /// It is on disk, and nobody knows.
  case ingestAfterCommit
  /// It is on disk, and one of those who wait for it knows.
  case ingestHasTold
  /// Jobs have gone out.
  case ingestHasSentJobs
  /// Jobs have come.
  case workerHasJobs
  /// A job is done, and its result is not sent.
  case workerBeforeResults
  /// It is sent.
  case workerAfterResults
  /// It is acknowledged.
  case workerHasAcks
}

extension Simulation {
  /// Returns true if the role that is at this point crashes here, and counts the crash. Never true in the calm.
  func mayCrash(_ point: CrashPoint) -> Bool {
    guard !isCalm, random.below(1_000) < (point.rawValue.hasPrefix("ingest") ? 6 : 12) else { return false }
    crashes[point, default: 0] += 1
    return true
  }
}
