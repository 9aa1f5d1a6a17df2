/// Sessions that end, and what becomes of their leases.
extension JobScheduler {
  /// Jobs whose worker was lost.
  package struct LostLeases: Equatable {
    /// Jobs that are sent again; the loss is to be counted on disk.
    package var requeued: [JobID] = []
    /// Jobs with too many losses, to be buried.
    package var dead: [JobID] = []
    /// Lookups. They are not sent again.
    package var lookups: [JobID] = []

    /// True if nothing was lost.
    package var isEmpty: Bool { requeued.isEmpty && dead.isEmpty && lookups.isEmpty }
  }

  /// Ends a session that said goodbye or cannot be reached; its jobs go out again.
  ///
  /// - Parameter blamed: whether its jobs may have been what ended it.
  package mutating func close(_ id: UInt64, countsAsLoss: Bool) -> LostLeases {
    rotation.removeAll { $0 == id }
    guard let session = sessions.removeValue(forKey: id) else { return LostLeases() }
    var losses = LostLeases()
    for job in session.leases.oldestFirst { lose(job, countsAsLoss: countsAsLoss, into: &losses) }
    return losses
  }

  /// Ends the sessions that have been silent too long, and the leases that no heartbeat has extended. To be called
  /// every `Limits.heartbeatMs`.
  ///
  /// Where the call before is much longer ago, ingest itself stood still (a suspended machine, a process that was
  /// stopped), and could not hear anybody: then none is ended, and all times begin anew.
  package mutating func expire(nowMs: Int64) -> (sessions: [UInt64], losses: LostLeases) {
    defer { expiredMs = nowMs }
    // A worker that lives may have spoken last a heartbeat before the call before.
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

  /// Counts all sessions as heard now, and their leases as given out now.
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
  var oldestFirst: [JobID] { sorted { $0.rawValue < $1.rawValue } }
}
