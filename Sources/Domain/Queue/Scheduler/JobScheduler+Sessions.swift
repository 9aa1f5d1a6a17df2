/// Sessions of workers: HELLO, credit, heartbeats and leases given back.
extension JobScheduler {
  /// A worker's session, from HELLO to its silence, its replacement or its end.
  package struct Session: Sendable {
    package let worker: String
    /// Names the worker's process.
    package let instance: [UInt8]
    /// Jobs that the worker has allowed so far, in all: credit is cumulative, so a repeated grant is harmless.
    package var jobLimit: UInt64 = 0
    /// Jobs sent so far, in all.
    package var jobsSent: UInt64 = 0
    /// Jobs among them that never arrived: they have used no credit.
    package var jobsUndelivered: UInt64 = 0
    /// Pause between two requests of all workers that its remote provider asks for, in ms; nil without a provider.
    package var remoteIntervalMs: Int64?
    /// Jobs that are with the worker, `Limits.windowMax` at most.
    package var leases: Set<JobID> = []
    /// Time of the worker's latest message.
    package var lastReceivedMs: Int64
    /// Leases that the last heartbeat did not name. Missing twice, they are lost; a later lease of the same job is not.
    package var missing: Set<Lease> = []
    /// The suspect that it was given alone; it gets no other job meanwhile.
    var poisonSuspect: JobID?
    /// Answered jobs by its latest heartbeat; nil if the worker does not count them.
    var progress: UInt64?
    /// Heartbeats in a row with the same count.
    var unchangedHeartbeats = 0
    /// True if its handler hangs. It gets no jobs until it answers.
    package internal(set) var isStuck = false
    /// Results that came from it, for the operator.
    var answers = RateMeter()
    /// Failures among them.
    var failures: UInt64 = 0

    /// Jobs that may be sent now, 0 … `Limits.windowMax`. A grant or a heartbeat of the worker raises `jobLimit`
    /// (`WorkerSession` decides when), a job gives its place back when it turns out not to have arrived.
    package var credit: Int {
      guard !isStuck else { return 0 }
      let used = jobsSent - min(jobsUndelivered, jobsSent)
      return Int(min(jobLimit - min(used, jobLimit), UInt64(Limits.windowMax)))
    }

    /// Jobs that may be sent beside those that are with it.
    var freeSlots: Int { min(credit, Limits.windowMax - leases.count) }

    /// Counts jobs as sent to it.
    mutating func recordSent(_ assigned: [Assignment]) {
      jobsSent += UInt64(assigned.count)
      for assignment in assigned { leases.insert(assignment.lease.job) }
    }
  }

  /// Opens a session. The same instance's earlier session ends with it, and what that held goes out again, unless the
  /// worker says that it still holds it.
  ///
  /// - Parameters:
  ///   - instance: names the worker's process: random, made once at its start.
  ///   - held: the leases that the worker works on, or whose results it keeps.
  ///   - remoteIntervalMs: what its remote provider wants between two requests of all workers; nil where it has none.
  /// - Returns: the session's number, and the replaced one's; nil when there are `Limits.sessionsMax`.
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

  /// Records a message of a session, which shows that the worker lives. Returns false for an unknown session.
  package mutating func recordActivity(_ id: UInt64, nowMs: Int64) -> Bool {
    seenMs = max(seenMs, nowMs)
    guard sessions[id] != nil else { return false }
    sessions[id]?.lastReceivedMs = nowMs
    return true
  }

  /// Credit, cumulative: a lower grant than before changes nothing.
  package mutating func grant(_ jobLimit: UInt64, to id: UInt64) {
    guard let session = sessions[id] else { return }
    sessions[id]?.jobLimit = max(session.jobLimit, jobLimit)
  }

  /// A heartbeat names the leases that the worker really holds. Those are extended, unless they are too old; one that
  /// it does not name twice running is lost on the way, and goes out again without waiting for its lease to end.
  ///
  /// - Parameter progress: how many jobs it has answered; nil where it does not count.
  package mutating func heartbeat(
    _ id: UInt64, jobLimit: UInt64, held: [Lease], progress: UInt64? = nil, nowMs: Int64
  ) {
    grant(jobLimit, to: id)
    record(progress, of: id, nowMs: nowMs)
    guard let session = sessions[id] else { return }
    let ageMaxMs = session.isStuck ? Limits.stuckLeaseMs : Limits.leaseAgeMaxMs
    for lease in held {
      guard let entry = jobs[lease.job], case .leased(lease.token, id, _) = entry.state,
        nowMs - entry.sinceMs <= ageMaxMs
      else { continue }
      jobs[lease.job]?.state = .leased(lease.token, session: id, untilMs: nowMs + Limits.leaseMs)
    }
    var absent: Set<Lease> = []
    for job in session.leases {
      guard case .leased(let token, id, _)? = jobs[job]?.state else { continue }
      absent.insert(Lease(job: job, token: token))
    }
    absent.subtract(held)
    // Heartbeats that were held up come together: what they do not name may have gone out after them.
    let lost = absent.intersection(session.missing).filter { lease in
      nowMs - (jobs[lease.job]?.sinceMs ?? nowMs) >= 2 * Limits.heartbeatMs
    }
    sessions[id]?.missing = absent.subtracting(lost)
    sessions[id]?.jobsUndelivered += UInt64(lost.count)
    // It never arrived: no worker is at fault, and none is lost.
    for job in lost.lazy.map(\.job).oldestFirst {
      sessions[id]?.leases.remove(job)
      makeReady(job)
    }
  }

  /// Jobs could not be sent, for the worker's connection is gone or full: they go out again, and the session gets no
  /// more until its next grant or heartbeat, which restores its credit.
  package mutating func sendFailed(_ leases: [Lease], to id: UInt64) {
    release(leases, of: id)
    sessions[id]?.jobsUndelivered += UInt64(leases.count)
    sessions[id]?.jobLimit = 0
  }

  /// Takes back leases that the worker gives up before it has started on them; not an attempt.
  package mutating func release(_ leases: [Lease], of id: UInt64) {
    for lease in leases {
      guard case .leased(lease.token, id, _)? = jobs[lease.job]?.state else { continue }
      sessions[id]?.leases.remove(lease.job)
      makeReady(lease.job)
    }
  }

  /// A handler that hangs while its worker's heart beats: nothing is answered for many heartbeats, although there is
  /// something that should have been long ago. Its leases run out then, which counts as a loss, for the job may be what
  /// it hangs on.
  private mutating func record(_ progress: UInt64?, of id: UInt64, nowMs: Int64) {
    guard let session = sessions[id] else { return }
    // Who has given everything back hangs on nothing.
    guard let progress, progress == session.progress, !session.leases.isEmpty else {
      sessions[id]?.progress = progress
      sessions[id]?.unchangedHeartbeats = 1
      sessions[id]?.isStuck = false
      return
    }
    sessions[id]?.unchangedHeartbeats += 1
    guard session.unchangedHeartbeats + 1 >= Limits.stuckHeartbeats else { return }
    let isLate = session.leases.contains { nowMs - (jobs[$0]?.sinceMs ?? nowMs) > Limits.stuckLeaseMs }
    if isLate { sessions[id]?.isStuck = true }
  }
}
