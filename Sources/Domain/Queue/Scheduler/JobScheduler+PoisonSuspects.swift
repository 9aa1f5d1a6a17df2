import DequeModule

/// Poison suspects: jobs that the next lost worker makes dead, and that may be the cause of the earlier losses. A
/// suspect is leased alone, to a worker without other jobs, so that no other job counts a loss with it. A job with one
/// loss is not a suspect, because that loss is nearly always the worker's own fault.
extension JobScheduler {
  /// Appends a ready job to its queue.
  mutating func enqueue(_ job: Job) {
    if job.isPoisonSuspect { poisonSuspects.append(job.id) } else { ready.append(job.id, account: job.account) }
  }

  /// Returns true if a session may get further jobs.
  func isEligible(_ id: UInt64, _ session: Session) -> Bool {
    id != reserved && session.credit > 0 && session.leases.count < Limits.windowMax && !session.holdsPoisonSuspect
  }

  /// Leases poison suspects to free workers, one suspect to each worker.
  mutating func assignPoisonSuspects(nowMs: Int64) -> [(session: UInt64, jobs: [Assignment])] {
    var assigned: [(session: UInt64, jobs: [Assignment])] = []
    while let first = poisonSuspects.first {
      // The job's result may have come under an earlier lease.
      guard let index = jobs.index(forKey: first), case .ready = jobs.values[index].state else {
        poisonSuspects.removeFirst()
        continue
      }
      guard let id = freeSession else { break }
      poisonSuspects.removeFirst()
      if id == reserved { reserved = nil }
      sessions[id]?.poisonSuspect = first
      assigned.append((id, [lease(index, to: id, nowMs: nowMs)]))
    }
    reserve()
    return assigned
  }

  /// Reserves a worker for the first suspect, because all workers might always be busy. A reserved worker gets no
  /// further jobs until it is free.
  private mutating func reserve() {
    guard !poisonSuspects.isEmpty else {
      reserved = nil
      return
    }
    if let reserved, let session = sessions[reserved], !session.isStalled,
      session.credit > 0 || !session.leases.isEmpty
    {
      return
    }
    // A worker without credit and work may have lost its connection.
    let candidates = rotation.filter { id in
      sessions[id].map { !$0.holdsPoisonSuspect && !$0.isStalled && ($0.credit > 0 || !$0.leases.isEmpty) } ?? false
    }
    reserved = candidates.min { leaseCount($0) < leaseCount($1) }
  }

  private var freeSession: UInt64? {
    rotation.first { id in sessions[id].map { $0.credit > 0 && $0.leases.isEmpty } ?? false }
  }

  private func leaseCount(_ id: UInt64) -> Int { sessions[id]?.leases.count ?? 0 }
}

extension JobScheduler.Session {
  /// True if the worker still has the poison suspect that was leased to it alone.
  fileprivate var holdsPoisonSuspect: Bool { poisonSuspect.map { leases.contains($0) } ?? false }
}

extension Job {
  /// True if the job becomes dead with the next lost worker. A lookup is never repeated, so it is not a suspect.
  var isPoisonSuspect: Bool { leaseLosses >= Limits.leaseLossesMax - 1 && !id.isLookup }
}
