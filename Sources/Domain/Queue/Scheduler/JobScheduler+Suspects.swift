import DequeModule

/// A job that may lose one more worker may be what ended the others. It goes out alone, to a worker that has nothing
/// else: so a job that ends workers has none buried beside it. After a first loss, which is nearly always the worker's
/// own, no job waits for another.
extension JobScheduler {
  /// Puts a job that is ready into its line.
  mutating func enqueue(_ job: Job) {
    if job.isPoisonSuspect { poisonSuspects.append(job.id) } else { ready.append(job.id, account: job.account) }
  }

  /// Whether a session may get jobs beside those that it has.
  func isEligible(_ id: UInt64, _ session: Session) -> Bool {
    id != reserved && session.credit > 0 && session.leases.count < Limits.windowMax && !session.holdsPoisonSuspect
  }

  /// The suspects for which a worker is free, each with its own.
  mutating func assignPoisonSuspects(nowMs: Int64) -> [(session: UInt64, jobs: [Assignment])] {
    var assigned: [(session: UInt64, jobs: [Assignment])] = []
    while let first = poisonSuspects.first {
      // Its result may have come under an earlier lease.
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

  /// Where all workers always have something, one gets nothing more until it is free.
  private mutating func reserve() {
    guard !poisonSuspects.isEmpty else {
      reserved = nil
      return
    }
    if let reserved, let session = sessions[reserved], !session.isStuck,
      session.credit > 0 || !session.leases.isEmpty
    {
      return
    }
    // One without credit and work may have lost its connection.
    let able = rotation.filter { id in
      sessions[id].map { !$0.holdsPoisonSuspect && !$0.isStuck && ($0.credit > 0 || !$0.leases.isEmpty) } ?? false
    }
    reserved = able.min { leaseCount($0) < leaseCount($1) }
  }

  private var freeSession: UInt64? {
    rotation.first { id in sessions[id].map { $0.credit > 0 && $0.leases.isEmpty } ?? false }
  }

  private func leaseCount(_ id: UInt64) -> Int { sessions[id]?.leases.count ?? 0 }
}

extension JobScheduler.Session {
  /// Whether it has the job that it was given alone.
  fileprivate var holdsPoisonSuspect: Bool { poisonSuspect.map { leases.contains($0) } ?? false }
}

extension Job {
  /// True if the job dies with the next lost worker. A lookup is never repeated, so it is no suspect.
  var isPoisonSuspect: Bool { leaseLosses >= Limits.leaseLossesMax - 1 && !id.isLookup }
}
