import Fuzzing

@testable import OnTheMap

/// What ingest does after each message and at its times: results to the disk, heartbeats, acknowledgements, jobs.
extension Simulation {
  func turnIngest() {
    guard ingest != nil else { return }
    for given in ingest?.dispatch.giveUpRemote() ?? [] {
      let result = JobResult(lease: given.lease, outcome: given.outcome)
      ingest?.taken.append(.init(session: 0, result: result, job: given.job))
    }
    if let taken = ingest?.taken, !taken.isEmpty {
      ingest?.taken = []
      if mayCrash(.ingestHasResults) { return endIngest("ingestHasResults") }
      settle(taken)
    }
    if let beatMs = ingest?.beatMs, nowMs - beatMs >= Limits.heartbeatMs { beat() }
    for session in (ingest?.acks ?? [:]).keys.sorted() {
      guard let address = ingest?.peers[session], let acks = ingest?.acks[session] else { continue }
      send(IngestLetter(session: session, message: .acks(acks)), to: address)
    }
    ingest?.acks = [:]
    assign()
    guard ingest != nil else { return }
    check()
    schedule()
  }

  private func schedule() {
    guard let ingest else { return }
    let dueMs = max(min(ingest.beatMs + Limits.heartbeatMs, ingest.dispatch.nextDueMs), nowMs + 1)
    guard dueMs < ingest.dueMs || ingest.dueMs <= nowMs else { return }
    self.ingest?.dueMs = dueMs
    agenda.put(.ingestTurns(boot: ingest.boot, atMs: dueMs), inMs: dueMs - nowMs)
  }

  private func beat() {
    ingest?.beatMs = nowMs
    let before = ingest?.dispatch
    guard let (silent, losses) = ingest?.dispatch.expire(nowMs: nowMs) else { return }
    for session in silent {
      if let leases = before?.sessions[session]?.leases { expectIsolation(leases, before) }
      if let address = ingest?.peers.removeValue(forKey: session) { ingest?.sessions[address] = nil }
      trace("session \(session) is silent")
    }
    lose(losses)
    restartStuck()
    for session in (ingest?.peers ?? [:]).keys.sorted() {
      if let address = ingest?.peers[session] { send(IngestLetter(session: session, message: .heartbeat), to: address) }
    }
    checkAll()
  }

  /// Somebody sees in the log that a worker hangs, and starts it again.
  private func restartStuck() {
    for (id, session) in (ingest?.dispatch.sessions ?? [:]).sorted(by: { $0.key < $1.key }) {
      guard session.isStuck, session.leases.isEmpty, let address = ingest?.peers[id] else { continue }
      guard workers[address.worker].connection == address.connection else { continue }
      ledger.expect(workers[address.worker].isHung, "worker \(address.worker) is taken for stuck")
      if workers[address.worker].phase == .running { endWorker(address.worker, "it hung") }
    }
  }

  private func assign() {
    var hasSent = false
    while let before = ingest?.dispatch.sessions, let assigned = ingest?.dispatch.assign(nowMs: nowMs),
      !assigned.isEmpty
    {
      for job in assigned.flatMap(\.jobs).sorted(by: { $0.lease.token < $1.lease.token }) {
        ledger.lease(job, remoteIntervalMs: ingest?.dispatch.bucket.intervalMs ?? 0, nowMs: nowMs)
        current[job.job.id] = job.lease.token
      }
      for (session, jobs) in assigned {
        ledger.expect(jobs.count <= before[session]?.credit ?? 0, "a worker gets more jobs than its credit")
        trace("jobs go to \(session): \(jobs.map { "\($0.job.id.rawValue) under \($0.lease.token)" })")
        ledger.expect(ingest?.isHeld == false, "jobs go out although the queue is paused")
        hasSent = true
        guard let address = ingest?.peers[session] else {
          ledger.complain("jobs go to session \(session), which nobody has")
          continue
        }
        if workers[address.worker].connection != address.connection, random.happens(50) {
          // Its connection is gone, and ZeroMQ knows it.
          ingest?.dispatch.undelivered(jobs.map(\.lease), to: session)
        } else {
          send(IngestLetter(session: session, message: .jobs(jobs)), to: address)
        }
      }
    }
    if hasSent, mayCrash(.ingestHasSentJobs) { endIngest("ingestHasSentJobs") }
  }

  private func settle(_ results: [SimulatedIngest.Taken]) {
    var rows: [SimulatedStore.Settled] = []
    for taken in results {
      guard taken.job.id.post != nil else {
        ledger.answer(taken.result.lease)
        finish(taken.job.id)
        acknowledge(taken.result.lease, taken.session, .committed)
        continue
      }
      let settlement = Settlement(of: taken.result.outcome, job: taken.job, using: &random)
      if case .retry(taken.job.attempts, let pauseMs) = settlement {
        // On disk it is as before.
        ledger.answer(taken.result.lease)
        ingest?.dispatch.delay(taken.job.id, attempts: taken.job.attempts, untilMs: nowMs + pauseMs)
        acknowledge(taken.result.lease, taken.session, .committed)
      } else {
        rows.append(
          .init(session: taken.session, result: taken.result, job: taken.job, settlement: settlement))
      }
    }
    if !rows.isEmpty { submit(.settle(rows)) }
  }

  func lose(_ losses: Dispatch.Losses) {
    for id in losses.lookups { ingest?.lookups.remove(id) }
    if canary == .dropsLostJobs {
      for id in losses.requeued { ingest?.dispatch.settled(id) }
    }
    if canary == .forgetsLosses {
      for id in losses.requeued { ingest?.dispatch.jobs[id]?.job.leaseLosses = 0 }
      return
    }
    guard !losses.requeued.isEmpty || !losses.dead.isEmpty else { return }
    trace("lost: \(losses.requeued.map(\.rawValue)), dead: \(losses.dead.map(\.rawValue))")
    submit(.count(losses))
  }

  /// A look-up has its answer.
  private func finish(_ id: JobID) {
    ingest?.dispatch.settled(id)
    ingest?.lookups.remove(id)
  }

  /// What must hold at every step.
  private func check() {
    guard let ingest else { return }
    let expected = ledger.queued.count - store.entering.count + store.leaving.values.reduce(0, +) + ingest.lookups.count
    ledger.expect(ingest.dispatch.depth == expected, "\(ingest.dispatch.depth) jobs are in the queue of \(expected)")
    for session in ingest.dispatch.sessions.values {
      ledger.expect(session.leases.count <= Limits.windowMax, "\(session.leases.count) jobs are with one worker")
    }
  }

  /// The same job by job; dearer.
  private func checkAll() {
    guard let ingest else { return }
    let known = Set(ingest.dispatch.jobs.keys)
    let expected = ledger.queued.union(store.leaving.keys).filter { id in
      (ledger.queued.contains(id) ? 1 : 0) - (store.entering.contains(id) ? 1 : 0) + (store.leaving[id] ?? 0) > 0
    }.map { JobID($0) }
    let differing = known.symmetricDifference(ingest.lookups.union(expected))
    ledger.expect(differing.isEmpty, "queue and disk differ in \(differing.map(\.rawValue).sorted())")
    var owners: [JobID: UInt64] = [:]
    for (id, session) in ingest.dispatch.sessions {
      for job in session.leases {
        ledger.expect(owners.updateValue(id, forKey: job) == nil, "job \(job.rawValue) is with two workers")
      }
    }
  }

  /// A job that may lose one more worker may be what ended the others: no other is with it when it does.
  private func expectIsolation(_ leases: Set<JobID>, _ before: Dispatch?) {
    let suspects = leases.compactMap { before?.jobs[$0]?.job }.filter { $0.isSuspect && !$0.isRemote }
    ledger.expect(
      suspects.isEmpty || leases.count == 1, "suspects \(suspects.map(\.id.rawValue).sorted()) were not alone")
  }
}
