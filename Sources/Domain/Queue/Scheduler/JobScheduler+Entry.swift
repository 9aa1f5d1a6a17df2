/// State of a job in memory, its lease, and the tokens of its earlier leases.
extension JobScheduler {
  enum State: Sendable {
    case ready
    case leased(UInt64, session: UInt64, untilMs: Int64)
    /// The result is being written to disk.
    case committing
    /// The job becomes ready again at this time.
    case delayed(untilMs: Int64)
    /// The job waits for a remote permit, with the lease under which the worker requested it and the gazetteer's
    /// result.
    case waitingRemote(Lease, [Place])
  }

  struct Entry: Sendable {
    var job: Job
    var state: State
    /// Time since which the job is ready or leased, in milliseconds.
    var sinceMs: Int64
    /// True if an earlier start of ingest may have leased the job.
    var isResumed = false
    /// Token of the latest lease since this start, or 0 before the first.
    private var token: UInt64 = 0
    /// Tokens of earlier leases, oldest first, at most `Limits.formerLeasesMax`.
    private var formerTokens: [UInt64] = []

    init(job: Job, state: State, sinceMs: Int64) {
      self.job = job
      self.state = state
      self.sinceMs = sinceMs
    }

    // Frequent operations change an entry in place, because a copy costs more.

    /// Leases the job to a session.
    mutating func lease(_ token: UInt64, to session: UInt64, nowMs: Int64) -> Assignment {
      if self.token != 0 { keepToken() }
      self.token = token
      state = .leased(token, session: session, untilMs: nowMs + Limits.leaseMs)
      sinceMs = nowMs
      return Assignment(job: job, lease: Lease(job: job.id, token: token))
    }

    /// Leases the job if it is ready. Nil otherwise.
    mutating func leaseIfReady(_ token: UInt64, to session: UInt64, nowMs: Int64) -> Assignment? {
      guard case .ready = state else { return nil }
      return lease(token, to: session, nowMs: nowMs)
    }

    private mutating func keepToken() {
      if formerTokens.count == Limits.formerLeasesMax { formerTokens.removeFirst() }
      formerTokens.append(token)
    }

    /// Returns true if the job was leased under a token. Ingest forgets the tokens of its earlier starts, which are
    /// below `firstToken`. Each of them counts for a job that an earlier start may have leased.
    func wasLeased(under token: UInt64, firstToken: UInt64) -> Bool {
      if token == self.token || formerTokens.contains(token) { return token != 0 }
      return isResumed && token < firstToken && token >= JobScheduler.firstToken(generation: 1)
    }
  }
}
