import HeapModule

/// Workers' results until they are durable.
extension JobScheduler {
  /// Decision about a worker's result.
  package enum ResultDecision: Equatable {
    /// The result counts: settle the job with this outcome. No other result of the job counts until `settled` or
    /// `delay`.
    case settle(Job, JobOutcome)
    /// Reply to the worker immediately.
    case reply(Disposition)
    /// A result of the job is being written to disk. Its acknowledgement follows.
    case pending
  }

  /// Decides whether a result counts. A success counts under every lease that the job has had, until the job is
  /// settled, because geocoding has no side effects. A failure counts only under the job's current lease.
  package mutating func evaluate(_ result: JobResult) -> ResultDecision {
    guard let index = jobs.index(forKey: result.lease.job) else { return .reply(.duplicate) }
    switch result.reply {
    case .needsRemote(let places): return requestRemote(result.lease, places, of: jobs.values[index])
    case .outcome(let outcome):
      let (decision, holder) = jobs.values[index].evaluate(outcome, under: result.lease, firstToken: firstToken)
      if let holder, let index = sessions.index(forKey: holder) {
        sessions.values[index].leases.remove(result.lease.job)
      }
      return decision
    }
  }

  /// Removes a job whose outcome is durable.
  package mutating func settled(_ id: JobID) { jobs[id] = nil }

  /// Delays a job until a time, because its outcome could not be stored, or requires a retry.
  ///
  /// - Parameter attempts: Number of failures so far, as stored. Nil if it has not changed.
  package mutating func delay(_ id: JobID, attempts: Int?, untilMs: Int64) {
    guard jobs[id] != nil else { return }
    jobs[id]?.job.isRemote = false
    if let attempts { jobs[id]?.job.attempts = attempts }
    jobs[id]?.state = .delayed(untilMs: untilMs)
    delayed.insert(Timer(atMs: untilMs, job: id))
  }
}

extension JobScheduler.Entry {
  /// Decides whether an outcome counts. Returns the decision, and the session that no longer has the job.
  mutating func evaluate(
    _ outcome: JobOutcome, under lease: Lease, firstToken: UInt64
  ) -> (decision: JobScheduler.ResultDecision, holder: UInt64?) {
    guard wasLeased(under: lease.token, firstToken: firstToken) else { return (.reply(.stale), nil) }
    var holder: UInt64?
    switch (state, outcome) {
    case (.committing, _): return (.pending, nil)
    case (.leased(lease.token, let session, _), _): holder = session
    case (_, .failed): return (.reply(.stale), nil)
    case (.leased(_, let session, _), _): holder = session
    case (.ready, _), (.delayed, _), (.waitingRemote, _): break
    }
    state = .committing
    return (.settle(job, outcome), holder)
  }
}
