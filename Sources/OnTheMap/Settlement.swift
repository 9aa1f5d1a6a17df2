/// What becomes of a post's job when a worker has answered it.
package enum Settlement: Sendable, Equatable {
  /// The post is published or rejected, and the job is gone.
  case verdict(Verdict)
  /// The job goes out again after a pause in ms, 1 … `Limits.backoffCapMs`. So many failures have counted by now: as
  /// many as before where the worker had not even started, and nothing is to be stored.
  case retry(attempts: Int, pauseMs: Int64)
  /// The post is dead, with the reason, and the job is gone. `attempts` counts all failures, this one included.
  case dead(Verdict.Reason, attempts: Int)

  /// - Parameters:
  ///   - outcome: what the worker says.
  ///   - job: as on disk before it.
  ///   - random: for the pause; the caller's, so that a simulation can be repeated.
  package init(of outcome: JobOutcome, job: Job, using random: inout some RandomNumberGenerator) {
    switch outcome.withoutRemote {
    case .located(let places):
      self = .verdict(ResultCheck.verdict(place: job.query, coordinate: job.given, found: places.first))
    case .notFound, .remoteNeeded:
      self = .verdict(ResultCheck.verdict(place: job.query, coordinate: job.given, found: nil))
    case .failed(let failure):
      self = Settlement.of(failure, attempts: job.attempts, using: &random)
    }
  }

  private static func of(
    _ failure: JobOutcome.Failure, attempts before: Int, using random: inout some RandomNumberGenerator
  ) -> Settlement {
    let attempts: Int
    let pauseMs: Int64
    switch failure.kind {
    case .notStarted: (attempts, pauseMs) = (before, Limits.notStartedPauseMs)
    case .transient where before + 1 < Limits.attemptsMax:
      attempts = before + 1
      pauseMs = Backoff.pauseMs(attempts: attempts, using: &random)
    case .transient, .permanent:
      return .dead(Verdict.Reason(code: failure.code, detail: failure.detail), attempts: before + 1)
    }
    return .retry(attempts: attempts, pauseMs: min(max(failure.retryAfterMs, pauseMs), Limits.backoffCapMs))
  }
}
