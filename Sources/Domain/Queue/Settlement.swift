/// Decision about a queued post after the end of its geocoding, or after the loss of its worker.
package enum Settlement: Sendable, Equatable {
  /// The post is published or rejected, and its job ends.
  case verdict(Verdict)
  /// The job is retried after a pause of 1 … `Limits.backoffCapMs`, in milliseconds. `attempts` counts the failures so
  /// far. If the worker had not started the job, the count is unchanged, and nothing has to be stored.
  case retry(attempts: Int, pauseMs: Int64, reason: Verdict.Reason? = nil)
  /// A worker was lost while it had the job. The job stays in the queue.
  case leaseLost
  /// The post is dead for the reason, and its job ends. `attempts` counts all failures. Nil leaves the stored count.
  case dead(Verdict.Reason, attempts: Int? = nil)

  /// True if the job leaves the queue.
  package var isFinal: Bool {
    switch self {
    case .verdict, .dead: true
    case .retry, .leaseLost: false
    }
  }

  /// Creates the settlement of a job whose geocoding has ended.
  ///
  /// - Parameters:
  ///   - outcome: Outcome of the geocoding.
  ///   - job: Job with the counts that the store has.
  ///   - random: Random source for the backoff. The caller supplies it, so that a simulation is repeatable.
  package init(of outcome: JobOutcome, job: Job, using random: inout some RandomNumberGenerator) {
    switch outcome {
    case .located(let places):
      self = .verdict(PlacementCheck.verdict(place: job.query, coordinate: job.clientCoordinate, found: places.first))
    case .notFound:
      self = .verdict(PlacementCheck.verdict(place: job.query, coordinate: job.clientCoordinate, found: nil))
    case .failed(let failure):
      self = Settlement.of(failure, attempts: job.attempts, using: &random)
    }
  }

  private static func of(
    _ failure: JobOutcome.Failure, attempts before: Int, using random: inout some RandomNumberGenerator
  ) -> Settlement {
    let reason = Verdict.Reason(code: failure.code, detail: failure.detail)
    let attempts: Int
    let pauseMs: Int64
    switch failure.kind {
    case .notStarted: (attempts, pauseMs) = (before, Limits.notStartedPauseMs)
    case .transient where before + 1 < Limits.attemptsMax:
      attempts = before + 1
      pauseMs = Backoff.pauseMs(attempts: attempts, using: &random)
    case .transient, .permanent: return .dead(reason, attempts: before + 1)
    }
    return .retry(
      attempts: attempts, pauseMs: min(max(failure.retryAfterMs, pauseMs), Limits.backoffCapMs), reason: reason)
  }
}

/// Settlement of one queued post for the store to write.
package struct SettlementRecord: Sendable {
  package let post: PostID
  package let settlement: Settlement
  /// The post's job. With its `content`, the store need not read the post.
  package let job: Job?

  package init(_ post: PostID, _ settlement: Settlement, of job: Job? = nil) {
    (self.post, self.settlement, self.job) = (post, settlement, job)
  }
}

/// The store's result of settlements.
package struct SettlementResult: Sendable {
  /// New entries of the list, by ascending `seq`.
  package var entries: [FeedEntry] = []
  /// Posts that were deleted while their jobs ran, and thus no longer queued. Their settlements changed nothing.
  package var notQueued: Set<PostID> = []

  package init() {}
}

extension IngestCore.Write {
  /// Settlements of single posts, in the order in which the store writes them.
  package var records: [SettlementRecord] {
    switch self {
    case .settle(let settlements):
      return settlements.compactMap { pending in
        pending.job.id.post.map { SettlementRecord($0, pending.settlement, of: pending.job) }
      }
    case .countLosses(let losses):
      let reason = Verdict.Reason(
        code: "workers_lost", detail: "\(Limits.leaseLossesMax) workers were lost while they geocoded this place")
      // The loss that makes a post dead counts too.
      return (losses.requeued + losses.dead).compactMap(\.post).map { SettlementRecord($0, .leaseLost) }
        + losses.dead.compactMap(\.post).map { SettlementRecord($0, .dead(reason, attempts: nil)) }
    }
  }
}
