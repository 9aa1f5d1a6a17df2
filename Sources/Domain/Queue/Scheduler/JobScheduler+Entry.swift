/// State of a job in memory, its lease, and the tokens of the leases before.
extension JobScheduler {
  enum State: Sendable {
    case ready
    case leased(UInt64, session: UInt64, untilMs: Int64)
    /// The result is on its way to the disk.
    case settling
    /// Failed, and sent again at this time.
    case delayed(untilMs: Int64)
    /// Waits for a permit to ask a remote provider, with the lease under which the worker asked for it and the
    /// gazetteer's answer.
    case waiting(Lease, [Place])
  }

  struct Entry: Sendable {
    var job: Job
    var state: State
    /// Time of the lease, of a leased job; time since which it is ready, of a ready one.
    var sinceMs: Int64
    /// True if the job was queued before this start of ingest, so that an earlier start may have leased it.
    var isResumed = false
    /// The token of the latest lease since this start; 0 before the first.
    private var token: UInt64 = 0
    /// The tokens of the leases before that, oldest first, at most `Limits.formerLeasesMax`.
    private var formerTokens: [UInt64] = []

    init(job: Job, state: State, sinceMs: Int64) {
      self.job = job
      self.state = state
      self.sinceMs = sinceMs
    }

    // What happens to every job happens within its entry: to copy one costs more than to change it.

    /// Leases the job to a session.
    mutating func lease(_ token: UInt64, to session: UInt64, nowMs: Int64) -> Assignment {
      if self.token != 0 { keepToken() }
      self.token = token
      state = .leased(token, session: session, untilMs: nowMs + Limits.leaseMs)
      sinceMs = nowMs
      return Assignment(job: job, lease: Lease(job: job.id, token: token))
    }

    /// Leases the job if it is ready; nil otherwise.
    mutating func leaseIfReady(_ token: UInt64, to session: UInt64, nowMs: Int64) -> Assignment? {
      guard case .ready = state else { return nil }
      return lease(token, to: session, nowMs: nowMs)
    }

    private mutating func keepToken() {
      if formerTokens.count == Limits.formerLeasesMax { formerTokens.removeFirst() }
      formerTokens.append(token)
    }

    /// True if the job has had a lease with a token. Tokens of earlier starts are below `firstToken`. Ingest does not
    /// remember their jobs, so they count for every job that was queued then.
    func hasHad(_ token: UInt64, firstToken: UInt64) -> Bool {
      if token == self.token || formerTokens.contains(token) { return token != 0 }
      return isResumed && token < firstToken && token >= JobScheduler.firstToken(generation: 1)
    }
  }
}
