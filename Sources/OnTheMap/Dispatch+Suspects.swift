import DequeModule

/// Jobs that may be what their workers were lost over: one more loss, and they are dead. Such a job goes out alone, to
/// a worker that has nothing else, so that it takes no other with it, and is not itself buried for another's fault.
extension Dispatch {
  /// The suspects that may go out now: each to a worker that has nothing. Where nobody is free, the one with the least
  /// to do gets nothing else until it is.
  mutating func assignSuspects(nowMs: Int64) -> [(session: UInt64, jobs: [Assignment])] {
    emptying = nil
    var assigned: [(session: UInt64, jobs: [Assignment])] = []
    while let id = suspects.first {
      guard let entry = jobs[id], case .ready = entry.state else {
        suspects.removeFirst()
        continue
      }
      let able = rotation.filter { sessions[$0].map { $0.credit > 0 && !$0.isAlone } ?? false }
      guard let free = able.first(where: { sessions[$0]?.leases.isEmpty == true }), var session = sessions[free] else {
        emptying = able.min { sessions[$0]?.leases.count ?? 0 < sessions[$1]?.leases.count ?? 0 }
        break
      }
      suspects.removeFirst()
      let assignment = lease(entry.job, to: &session, free, nowMs: nowMs)
      session.suspect = id
      sessions[free] = session
      assigned.append((free, [assignment]))
    }
    return assigned
  }
}

extension Dispatch.Session {
  /// Whether it is alone with a suspect.
  var isAlone: Bool { suspect.map { leases.contains($0) } ?? false }
}

extension Job {
  /// Whether the next worker that is lost over it is the last.
  var isSuspect: Bool { !id.isLookup && leaseLosses >= Limits.leaseLossesMax - 1 }
}
