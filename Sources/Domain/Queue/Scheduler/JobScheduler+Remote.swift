/// Permits to ask remote providers: one rate for all workers together, because providers count so. A job that needs a
/// permit waits in a queue of its own, and goes out with it to a worker that has a provider.
extension JobScheduler {
  /// Queues a job for a permit: its worker's gazetteer was not enough. Like a failure, this counts only under the job's
  /// current lease.
  mutating func requestRemote(_ lease: Lease, _ places: [Place], of entry: Entry) -> ResultDecision {
    let id = lease.job
    if case .settling = entry.state { return .pending }
    guard case .leased(lease.token, let session, _) = entry.state else { return .answer(.stale) }
    sessions[session]?.leases.remove(id)
    // Who has leave and asks for it again would go in circles. A suspect has got through the gazetteer: it need not end
    // another worker beyond that.
    guard !entry.job.isRemote, !entry.job.isPoisonSuspect, hasRemote, canWaitForPermit(for: id) else {
      jobs[id]?.state = .settling
      return .settle(entry.job, .withoutPermit(places))
    }
    jobs[id]?.state = .waiting(lease, places)
    remote.append(id, account: entry.job.account)
    return .answer(.committed)
  }

  /// Returns the jobs that wait although no worker has a provider any more: each with the lease under which it began to
  /// wait, and the outcome for the store. The caller settles them with `settled` or `delay`.
  package mutating func endRemoteWaits() -> [(lease: Lease, job: Job, outcome: JobOutcome)] {
    guard remote.count > 0, !hasRemote else { return [] }
    var given: [(lease: Lease, job: Job, outcome: JobOutcome)] = []
    while let id = remote.popFirst() {
      guard let entry = jobs[id], case .waiting(let lease, let places) = entry.state else { continue }
      jobs[id]?.state = .settling
      given.append((lease, entry.job, .withoutPermit(places)))
    }
    return given
  }

  /// Jobs that wait for a permit, 0 … `Limits.remoteWaitingMax`.
  package var remoteCount: Int { remote.count }

  /// Time of the next permit; far away if no job waits for one, no worker could use it, or the queue is paused.
  var remoteDueMs: Int64 { remote.count > 0 && !isPaused && remoteWorker != nil ? pacer.nextMs : .max }

  /// Returns at most one job, with its permit.
  mutating func assignRemote(nowMs: Int64) -> [(session: UInt64, jobs: [Assignment])] {
    guard remote.count > 0, pacer.nextMs <= nowMs, let id = remoteWorker else { return [] }
    while let next = remote.popFirst() {
      // Its result may have come under an earlier lease.
      guard let index = jobs.index(forKey: next), case .waiting = jobs.values[index].state else { continue }
      // The strictest provider decides: which one was asked last is not known here.
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

  /// Returns true if a job may wait for a permit. A lookup has a client that waits for it, and takes turns with the
  /// posts.
  private func canWaitForPermit(for id: JobID) -> Bool {
    guard remote.count < Limits.remoteWaitingMax else { return false }
    guard id.isLookup else { return true }
    let firstMs = pacer.nextMs > seenMs ? pacer.nextMs - seenMs : 0
    let before =
      Int64(remote.lookupCount) + min(Int64(remote.lookupCount) + 1, Int64(remote.count - remote.lookupCount))
    return firstMs + before * pacer.intervalMs <= Limits.remoteLookupWaitMs
  }
}
