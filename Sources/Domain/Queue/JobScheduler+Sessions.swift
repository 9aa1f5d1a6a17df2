/// Sessions: how they begin, live and end, and what becomes of the leases of one that is lost.
extension JobScheduler {
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
    let id = number()
    var session = Session(worker: worker, instance: instance, heardMs: nowMs)
    session.remoteIntervalMs = remoteIntervalMs.map { min(max(0, $0), Limits.remoteIntervalMaxMs) }
    if let replaced { rotation.removeAll { $0 == replaced } }
    let before = replaced.flatMap { sessions.removeValue(forKey: $0) }
    for lease in held.prefix(Limits.windowMax) {
      guard case .leased(lease.token, let owner, _)? = jobs[lease.job]?.state, owner == replaced else { continue }
      jobs[lease.job]?.state = .leased(lease.token, session: id, untilMs: nowMs + Limits.leaseMs)
      session.leases.insert(lease.job)
      if before?.suspect == lease.job { session.suspect = lease.job }
    }
    for job in before?.leases.subtracting(session.leases).oldestFirst ?? [] { makeReady(job) }
    sessions[id] = session
    rotation.append(id)
    return (id, replaced)
  }

  /// Any message of a session shows that it lives. False for an unknown session.
  package mutating func heard(_ id: UInt64, nowMs: Int64) -> Bool {
    seenMs = max(seenMs, nowMs)
    guard sessions[id] != nil else { return false }
    sessions[id]?.heardMs = nowMs
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
    note(progress, of: id, nowMs: nowMs)
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
    sessions[id]?.jobsLost += UInt64(lost.count)
    // It never arrived: nobody's fault, and not a loss of a worker.
    for job in lost.lazy.map(\.job).oldestFirst {
      sessions[id]?.leases.remove(job)
      makeReady(job)
    }
  }

  /// Jobs could not be sent, for the worker's connection is gone or full: they go out again, and the session gets no
  /// more until its next grant or heartbeat, which restores its credit.
  package mutating func undelivered(_ leases: [Lease], to id: UInt64) {
    release(leases, of: id)
    sessions[id]?.jobsLost += UInt64(leases.count)
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

  /// Ends a session that said goodbye or cannot be reached; its jobs go out again.
  ///
  /// - Parameter blamed: whether its jobs may have been what ended it.
  package mutating func close(_ id: UInt64, blamed: Bool) -> Losses {
    rotation.removeAll { $0 == id }
    guard let session = sessions.removeValue(forKey: id) else { return Losses() }
    var losses = Losses()
    for job in session.leases.oldestFirst { lose(job, blamed: blamed, into: &losses) }
    return losses
  }

  /// Ends the sessions that have been silent too long, and the leases that no heartbeat has extended. To be called
  /// every `Limits.heartbeatMs`.
  ///
  /// Where the call before is much longer ago, ingest itself stood still (a suspended machine, a process that was
  /// stopped), and could not hear anybody: then none is ended, and all times begin anew.
  package mutating func expire(nowMs: Int64) -> (sessions: [UInt64], losses: Losses) {
    defer { expiredMs = nowMs }
    // A worker that lives may have spoken last a heartbeat before the call before.
    if let expiredMs, nowMs - expiredMs > Limits.livenessMs - Limits.heartbeatMs {
      renew(nowMs: nowMs)
      return ([], Losses())
    }
    let silent = sessions.filter { nowMs - $0.value.heardMs > Limits.livenessMs }.keys.sorted()
    var losses = Losses()
    for id in silent {
      let lost = close(id, blamed: true)
      losses.requeued += lost.requeued
      losses.dead += lost.dead
      losses.lookups += lost.lookups
    }
    var ended: [(job: JobID, session: UInt64)] = []
    for (id, session) in sessions {
      for job in session.leases {
        guard case .leased(_, id, let untilMs)? = jobs[job]?.state, untilMs <= nowMs else { continue }
        ended.append((job, id))
      }
    }
    for (job, id) in ended.sorted(by: { $0.job.rawValue < $1.job.rawValue }) {
      sessions[id]?.leases.remove(job)
      lose(job, blamed: true, into: &losses)
    }
    return (silent, losses)
  }

  /// Counts all sessions as heard now, and their leases as given out now.
  private mutating func renew(nowMs: Int64) {
    for (id, session) in sessions {
      sessions[id]?.heardMs = nowMs
      sessions[id]?.stillBeats = 0
      for job in session.leases {
        guard case .leased(let token, id, _)? = jobs[job]?.state else { continue }
        jobs[job]?.state = .leased(token, session: id, untilMs: nowMs + Limits.leaseMs)
        jobs[job]?.sinceMs = nowMs
      }
    }
  }

  /// A handler that hangs while its worker's heart beats: nothing is answered for many heartbeats, although there is
  /// something that should have been long ago. Its leases run out then, which counts as a loss, for the job may be what
  /// it hangs on.
  private mutating func note(_ progress: UInt64?, of id: UInt64, nowMs: Int64) {
    guard let session = sessions[id] else { return }
    // Who has given everything back hangs on nothing.
    guard let progress, progress == session.progress, !session.leases.isEmpty else {
      sessions[id]?.progress = progress
      sessions[id]?.stillBeats = 1
      sessions[id]?.isStuck = false
      return
    }
    sessions[id]?.stillBeats += 1
    guard session.stillBeats + 1 >= Limits.stuckHeartbeats else { return }
    let isLate = session.leases.contains { nowMs - (jobs[$0]?.sinceMs ?? nowMs) > Limits.stuckLeaseMs }
    if isLate { sessions[id]?.isStuck = true }
  }

  private mutating func lose(_ id: JobID, blamed: Bool, into losses: inout Losses) {
    guard jobs[id] != nil else { return }
    guard !id.isLookup else {
      jobs[id] = nil
      return losses.lookups.append(id)
    }
    guard blamed else { return makeReady(id) }
    jobs[id]?.job.leaseLosses += 1
    if jobs[id]?.job.leaseLosses ?? 0 >= Limits.leaseLossesMax {
      jobs[id]?.state = .settling
      losses.dead.append(id)
    } else {
      makeReady(id)
      losses.requeued.append(id)
    }
  }
}

extension Sequence<JobID> {
  /// A set has another order in every process: the order of the queue must not.
  fileprivate var oldestFirst: [JobID] { sorted { $0.rawValue < $1.rawValue } }
}
