/// Remote permits. One rate applies to all workers together, because a provider counts the requests of all of them. A
/// job that needs a permit waits in a queue of its own. With the permit, the job goes to a worker that has a provider.
extension JobScheduler {
  /// Queues a job for a remote permit, because its worker's gazetteer did not suffice. Like a failure, the request
  /// counts only under the job's current lease.
  mutating func requestRemote(_ lease: Lease, _ places: [Place], of entry: Entry) -> ResultDecision {
    let id = lease.job
    if case .committing = entry.state { return .pending }
    guard case .leased(lease.token, let session, _) = entry.state else { return .reply(.stale) }
    sessions[session]?.leases.remove(id)
    // A job with a permit that could request another would loop. A poison suspect has survived the gazetteer, and must
    // not kill another worker at the remote provider.
    guard !entry.job.isRemote, !entry.job.isPoisonSuspect, hasRemote, canWaitForPermit(for: id) else {
      jobs[id]?.state = .committing
      return .settle(entry.job, .withoutPermit(places))
    }
    jobs[id]?.state = .waitingRemote(lease, places)
    remote.append(id, account: entry.job.account)
    return .reply(.committed)
  }

  /// Ends the waits for a permit if no worker has a provider any more. Returns each job with its outcome, and the lease
  /// under which it began to wait. The caller settles the jobs with `settled` or `delay`.
  package mutating func endRemoteWaits() -> [(lease: Lease, job: Job, outcome: JobOutcome)] {
    guard remote.count > 0, !hasRemote else { return [] }
    var ended: [(lease: Lease, job: Job, outcome: JobOutcome)] = []
    while let id = remote.popFirst() {
      guard let entry = jobs[id], case .waitingRemote(let lease, let places) = entry.state else { continue }
      jobs[id]?.state = .committing
      ended.append((lease, entry.job, .withoutPermit(places)))
    }
    return ended
  }

  /// Number of jobs that wait for a permit, 0 … `Limits.remoteWaitingMax`.
  package var remoteCount: Int { remote.count }

  /// Time of the next permit. `Int64.max` if no job waits for one, no worker could use it, or the queue is paused.
  var remoteDueMs: Int64 { remote.count > 0 && !isPaused && remoteWorker != nil ? pacer.nextMs : .max }

  /// Leases at most one job, with its permit.
  mutating func assignRemote(nowMs: Int64) -> [(session: UInt64, jobs: [Assignment])] {
    guard remote.count > 0, pacer.nextMs <= nowMs, let id = remoteWorker else { return [] }
    while let next = remote.popFirst() {
      // The job's result may have come under an earlier lease.
      guard let index = jobs.index(forKey: next), case .waitingRemote = jobs.values[index].state else { continue }
      // The strictest provider decides, because the scheduler does not know which provider got the last request.
      let strictestMs = sessions.values.compactMap(\.remoteIntervalMs).max() ?? 0
      guard pacer.tryAcquire(nowMs: nowMs, pauseMs: strictestMs) else { break }
      jobs.values[index].job.isRemote = true
      return [(id, [lease(index, to: id, nowMs: nowMs)])]
    }
    return []
  }

  private var hasRemote: Bool { sessions.values.contains { $0.remoteIntervalMs != nil } }

  private var remoteWorker: UInt64? {
    rotation.first { id in
      guard let session = sessions[id], session.remoteIntervalMs != nil else { return false }
      return isEligible(id, session)
    }
  }

  /// Returns true if a job may wait for a permit. A lookup has a waiting client, so its expected wait must not exceed
  /// `Limits.remoteLookupWaitMs`. Lookups alternate with posts.
  private func canWaitForPermit(for id: JobID) -> Bool {
    guard remote.count < Limits.remoteWaitingMax else { return false }
    guard id.isLookup else { return true }
    let firstMs = pacer.nextMs > seenMs ? pacer.nextMs - seenMs : 0
    let aheadCount =
      Int64(remote.lookupCount) + min(Int64(remote.lookupCount) + 1, Int64(remote.count - remote.lookupCount))
    return firstMs + aheadCount * pacer.intervalMs <= Limits.remoteLookupWaitMs
  }
}
