/// Ends of sessions, and their effect on leases.
extension JobScheduler {
  /// Jobs whose worker was lost.
  package struct LostLeases: Equatable {
    /// Requeued jobs, whose loss has to be stored.
    package var requeued: [JobID] = []
    /// Jobs with too many losses, whose posts become dead.
    package var dead: [JobID] = []
    /// Lookups, which are not requeued.
    package var lookups: [JobID] = []

    /// True if nothing was lost.
    package var isEmpty: Bool { requeued.isEmpty && dead.isEmpty && lookups.isEmpty }
  }

  /// Ends a session. Its jobs become ready again, except lookups and jobs with too many losses.
  ///
  /// - Parameter countsAsLoss: True if the jobs may have caused the end.
  package mutating func close(_ id: UInt64, countsAsLoss: Bool) -> LostLeases {
    rotation.removeAll { $0 == id }
    guard let session = sessions.removeValue(forKey: id) else { return LostLeases() }
    var losses = LostLeases()
    for job in session.leases.oldestFirst { lose(job, countsAsLoss: countsAsLoss, into: &losses) }
    return losses
  }

  /// Ends the sessions whose liveness timeout has passed, and the leases that no heartbeat has extended. Call this
  /// every `Limits.heartbeatMs`.
  ///
  /// A gap of more than 4 s between two calls shows that ingest itself was suspended, and could receive nothing. The
  /// call then ends no session or lease, and restarts all times.
  package mutating func expire(nowMs: Int64) -> (sessions: [UInt64], losses: LostLeases) {
    defer { expiredMs = nowMs }
    // A live worker may have sent its latest message a heartbeat before the previous call.
    if let expiredMs, nowMs - expiredMs > Limits.livenessMs - Limits.heartbeatMs {
      renew(nowMs: nowMs)
      return ([], LostLeases())
    }
    let silent = sessions.filter { nowMs - $0.value.lastReceivedMs > Limits.livenessMs }.keys.sorted()
    var losses = LostLeases()
    for id in silent {
      let lost = close(id, countsAsLoss: true)
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
      lose(job, countsAsLoss: true, into: &losses)
    }
    return (silent, losses)
  }

  /// Restarts the liveness timeout of all sessions, and the duration of their leases.
  private mutating func renew(nowMs: Int64) {
    for (id, session) in sessions {
      sessions[id]?.lastReceivedMs = nowMs
      sessions[id]?.unchangedHeartbeats = 0
      for job in session.leases {
        guard case .leased(let token, id, _)? = jobs[job]?.state else { continue }
        jobs[job]?.state = .leased(token, session: id, untilMs: nowMs + Limits.leaseMs)
        jobs[job]?.sinceMs = nowMs
      }
    }
  }

  private mutating func lose(_ id: JobID, countsAsLoss: Bool, into losses: inout LostLeases) {
    guard jobs[id] != nil else { return }
    guard !id.isLookup else {
      jobs[id] = nil
      return losses.lookups.append(id)
    }
    guard countsAsLoss else { return makeReady(id) }
    jobs[id]?.job.leaseLosses += 1
    if jobs[id]?.job.leaseLosses ?? 0 >= Limits.leaseLossesMax {
      jobs[id]?.state = .committing
      losses.dead.append(id)
    } else {
      makeReady(id)
      losses.requeued.append(id)
    }
  }
}

extension Sequence<JobID> {
  /// The elements by ascending id. The order of a set differs between processes, but the queue's order must not.
  var oldestFirst: [JobID] { sorted { $0.rawValue < $1.rawValue } }
}
