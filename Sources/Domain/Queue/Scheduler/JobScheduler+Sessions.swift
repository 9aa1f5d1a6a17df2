/// Workers' sessions: HELLO, credit, heartbeats and returned leases.
extension JobScheduler {
  /// A worker's session, from HELLO until its liveness timeout, its replacement or its end.
  package struct Session: Sendable {
    package let worker: String
    /// Identity of the worker's process.
    package let instance: [UInt8]
    /// Number of jobs that the worker has permitted so far. Credit is cumulative, so a repeated grant is harmless.
    package var jobLimit: UInt64 = 0
    /// Number of jobs sent so far.
    package var jobsSent: UInt64 = 0
    /// Number of sent jobs that never arrived. They have used no credit.
    package var jobsUndelivered: UInt64 = 0
    /// Interval that the worker's remote provider asks for between two requests of all workers, in milliseconds. Nil
    /// without a provider.
    package var remoteIntervalMs: Int64?
    /// Jobs leased to the worker, at most `Limits.windowMax`.
    package var leases: Set<JobID> = []
    /// Time of the worker's latest message.
    package var lastReceivedMs: Int64
    /// Leases that the last heartbeat omitted. If the next heartbeat omits a lease too, at least 4 s after its
    /// dispatch, the lease is undelivered. A later lease of the same job starts a new count.
    package var omittedBefore: Set<Lease> = []
    /// Poison suspect that was leased to the worker alone. The worker gets no other job meanwhile.
    var poisonSuspect: JobID?
    /// Number of finished jobs in the worker's latest heartbeat. Nil if the worker does not count its jobs.
    var progress: UInt64?
    /// Number of consecutive heartbeats with the same `progress`.
    var unchangedHeartbeats = 0
    /// True if the worker's handler hangs. The worker gets no jobs until it sends results, or has no leases.
    package internal(set) var isStalled = false
    /// Results of the worker, for the operator.
    var results = RateMeter()
    /// Number of failures among the worker's results.
    var failures: UInt64 = 0

    /// Number of jobs that may be sent now, 0 … `Limits.windowMax`. A grant or a heartbeat of the worker raises
    /// `jobLimit`. `WorkerSession` decides when. A job that did not arrive returns its credit.
    package var credit: Int {
      guard !isStalled else { return 0 }
      let used = jobsSent - min(jobsUndelivered, jobsSent)
      return Int(min(jobLimit - min(used, jobLimit), UInt64(Limits.windowMax)))
    }

    /// Number of jobs that may be sent in addition to the worker's leased jobs.
    var freeSlots: Int { min(credit, Limits.windowMax - leases.count) }

    /// Counts jobs as sent to the worker.
    mutating func recordSent(_ assigned: [Assignment]) {
      jobsSent += UInt64(assigned.count)
      for assignment in assigned { leases.insert(assignment.lease.job) }
    }
  }

  /// Opens a session, which replaces the same instance's earlier session. Jobs of that session become ready again,
  /// unless the worker says that it still holds them.
  ///
  /// - Parameters:
  ///   - instance: Identity of the worker's process: random, made once at its start.
  ///   - held: Leases that the worker works on, or whose results it keeps.
  ///   - remoteIntervalMs: Interval that the worker's remote provider asks for between two requests of all workers. Nil
  ///     without a provider.
  /// - Returns: the numbers of the session and of the session that it replaces. Nil if there are
  ///   `Limits.sessionsMax` sessions.
  package mutating func open(
    worker: String, instance: [UInt8], held: [Lease], remoteIntervalMs: Int64? = nil, nowMs: Int64
  ) -> (session: UInt64, replaced: UInt64?)? {
    let replaced = sessions.first { $0.value.instance == instance }?.key
    guard sessions.count < Limits.sessionsMax || replaced != nil else { return nil }
    let id = nextNumber()
    var session = Session(worker: worker, instance: instance, lastReceivedMs: nowMs)
    session.remoteIntervalMs = remoteIntervalMs.map { min(max(0, $0), Limits.remoteIntervalMaxMs) }
    if let replaced { rotation.removeAll { $0 == replaced } }
    let before = replaced.flatMap { sessions.removeValue(forKey: $0) }
    for lease in held.prefix(Limits.windowMax) {
      guard case .leased(lease.token, let owner, _)? = jobs[lease.job]?.state, owner == replaced else { continue }
      jobs[lease.job]?.state = .leased(lease.token, session: id, untilMs: nowMs + Limits.leaseMs)
      session.leases.insert(lease.job)
      if before?.poisonSuspect == lease.job { session.poisonSuspect = lease.job }
    }
    for job in before?.leases.subtracting(session.leases).oldestFirst ?? [] { makeReady(job) }
    sessions[id] = session
    rotation.append(id)
    return (id, replaced)
  }

  /// Records a message of a session, which shows that the worker is alive. Returns false for an unknown session.
  package mutating func recordActivity(_ id: UInt64, nowMs: Int64) -> Bool {
    seenMs = max(seenMs, nowMs)
    guard sessions[id] != nil else { return false }
    sessions[id]?.lastReceivedMs = nowMs
    return true
  }

  /// Grants credit, which is cumulative. A lower grant than before changes nothing.
  package mutating func grant(_ jobLimit: UInt64, to id: UInt64) {
    guard let session = sessions[id] else { return }
    sessions[id]?.jobLimit = max(session.jobLimit, jobLimit)
  }

  /// Processes a heartbeat, and extends the leases that it names, unless they are too old. A lease that two heartbeats
  /// in a row omit is undelivered. Its job becomes ready again before the lease ends.
  ///
  /// - Parameter progress: Number of jobs that the worker has finished. Nil if the worker does not count its jobs.
  package mutating func heartbeat(
    _ id: UInt64, jobLimit: UInt64, held: [Lease], progress: UInt64? = nil, nowMs: Int64
  ) {
    grant(jobLimit, to: id)
    record(progress, of: id, nowMs: nowMs)
    guard let session = sessions[id] else { return }
    let ageMaxMs = session.isStalled ? Limits.stalledLeaseMs : Limits.leaseAgeMaxMs
    for lease in held {
      guard let entry = jobs[lease.job], case .leased(lease.token, id, _) = entry.state,
        nowMs - entry.sinceMs <= ageMaxMs
      else { continue }
      jobs[lease.job]?.state = .leased(lease.token, session: id, untilMs: nowMs + Limits.leaseMs)
    }
    var omittedNow: Set<Lease> = []
    for job in session.leases {
      guard case .leased(let token, id, _)? = jobs[job]?.state else { continue }
      omittedNow.insert(Lease(job: job, token: token))
    }
    omittedNow.subtract(held)
    // Delayed heartbeats may arrive together. A job that they omit may have been sent after them.
    let undelivered = omittedNow.intersection(session.omittedBefore).filter { lease in
      nowMs - (jobs[lease.job]?.sinceMs ?? nowMs) >= 2 * Limits.heartbeatMs
    }
    sessions[id]?.omittedBefore = omittedNow.subtracting(undelivered)
    sessions[id]?.jobsUndelivered += UInt64(undelivered.count)
    // The job never arrived. No worker is at fault, so this does not count as a loss.
    for job in undelivered.lazy.map(\.job).oldestFirst {
      sessions[id]?.leases.remove(job)
      makeReady(job)
    }
  }

  /// Takes back jobs that could not be sent, because the worker's connection is closed or full. The session gets no
  /// more jobs until its next grant or heartbeat, which restores its credit.
  package mutating func sendFailed(_ leases: [Lease], to id: UInt64) {
    release(leases, of: id)
    sessions[id]?.jobsUndelivered += UInt64(leases.count)
    sessions[id]?.jobLimit = 0
  }

  /// Takes back leases that the worker returns. They count neither as attempts nor as losses.
  package mutating func release(_ leases: [Lease], of id: UInt64) {
    for lease in leases {
      guard case .leased(lease.token, id, _)? = jobs[lease.job]?.state else { continue }
      sessions[id]?.leases.remove(lease.job)
      makeReady(lease.job)
    }
  }

  /// Detects a handler that hangs while its worker sends heartbeats: many heartbeats without a result, and an overdue
  /// lease. The worker's leases then expire. Each counts as a loss, because its job may be the cause.
  private mutating func record(_ progress: UInt64?, of id: UInt64, nowMs: Int64) {
    guard let session = sessions[id] else { return }
    // A worker without leases is idle. But a stalled one that has lost its leases still hangs: a further job would be
    // lost too.
    guard let progress, progress == session.progress, session.isStalled || !session.leases.isEmpty else {
      sessions[id]?.progress = progress
      sessions[id]?.unchangedHeartbeats = 1
      sessions[id]?.isStalled = false
      return
    }
    sessions[id]?.unchangedHeartbeats += 1
    guard session.unchangedHeartbeats + 1 >= Limits.stalledHeartbeats else { return }
    let isLate = session.leases.contains { nowMs - (jobs[$0]?.sinceMs ?? nowMs) > Limits.stalledLeaseMs }
    if isLate { sessions[id]?.isStalled = true }
  }
}
