import Fuzzing
import Store

@testable import Domain

/// Ticks of ingest, their effects, and the rules that must hold after each tick.
extension Simulation {
  func tickIngest() {
    guard let isHeartbeat = ingest?.core.isHeartbeatDue(nowMs: nowMs) else { return }
    let before = isHeartbeat ? ingest?.core.scheduler : nil
    perform(ingest?.core.tick(nowMs: nowMs, using: &random) ?? [])
    if let before {
      expectIsolation(before)
      expectNoEarlyExpiry(before)
      restartStalled()
      checkAll()
    }
    assign()
    guard ingest != nil else { return }
    check()
    schedule()
  }

  /// Performs effects as `JobServer` and `PostPipeline` do.
  func perform(_ effects: [IngestCore.Effect]) {
    for effect in effects {
      guard ingest != nil else { return }
      switch effect {
      case .send(let message, let session, let peer): send(message, session: session, to: Address(peer))
      case .store(let write): store(write)
      case .lookupEnded(let lookup, _): ingest?.lookups.remove(lookup)
      case .publish(let changes):
        ingest?.log.append(changes.map(published))
        sendFetchReplies()
      case .settled(let settlements, _):
        for pending in settlements {
          expectCurrent(pending)
          if case .retry(pending.job.attempts, let pauseMs, _) = pending.settlement, let id = pending.job.id.post {
            ledger.delay(id, untilMs: nowMs + pauseMs)
          }
        }
      case .leftQueue(let posts): for post in posts { store.hasLeft(post) }
      case .lossesCounted: break
      case .log(let event): trace("\(event)")
      }
    }
  }

  private func send(_ message: MessageToWorker, session: UInt64, to address: Address) {
    if case .acks(let acks) = message {
      for ack in acks { checkAcknowledgement(ack.lease, ack.disposition) }
    }
    send(IngestPacket(session: session, message: message), to: address)
  }

  private func store(_ write: IngestCore.Write) {
    switch write {
    case .settle(let settlements):
      for pending in settlements { expectCurrent(pending) }
      if mayCrash(.ingestHasResults) { return endIngest("ingestHasResults") }
      if injectedBug == .acknowledgesBeforeCommit { acknowledge(settlements) }
    case .countLosses(let losses):
      ledger.count(losses)
      trace("lost: \(losses.requeued.map(\.rawValue)), dead: \(losses.dead.map(\.rawValue))")
      if injectedBug == .dropsLostJobs { for id in losses.requeued { ingest?.core.scheduler.settled(id) } }
      if injectedBug == .forgetsLosses {
        for id in losses.requeued { ingest?.core.scheduler.jobs[id]?.job.leaseLosses = 0 }
        return
      }
    }
    submit(.settle(write.records, unixMs: unixMs), .core(write))
  }

  /// Acknowledges results on arrival, as an injected bug.
  private func acknowledge(_ settlements: [IngestCore.PendingSettlement]) {
    for pending in settlements {
      guard let peer = ingest?.core.peers[pending.session] else { continue }
      send(.acks([(pending.lease, .committed)]), session: pending.session, to: Address(peer))
    }
  }

  /// Returns a change for the feeds. An injected bug drops the entry that refills the list after a removal.
  private func published(_ change: FeedChange) -> FeedChange {
    if injectedBug == .forgetsBackfill, case .remove(let id, let seq, _) = change {
      return .remove(id, seq: seq, backfill: nil)
    }
    return change
  }

  private func schedule() {
    guard let ingest else { return }
    let dueMs = max(ingest.core.nextMs, nowMs + 1)
    guard dueMs < ingest.dueMs || ingest.dueMs <= nowMs else { return }
    self.ingest?.dueMs = dueMs
    eventQueue.schedule(.ingestTicks(generation: ingest.generation, atMs: dueMs), inMs: dueMs - nowMs)
  }

  /// Restarts stalled workers, as an operator who reads the log would.
  private func restartStalled() {
    for (id, session) in (ingest?.core.scheduler.sessions ?? [:]).sorted(by: { $0.key < $1.key }) {
      guard session.isStalled, session.leases.isEmpty, let peer = ingest?.core.peers[id] else { continue }
      let address = Address(peer)
      // A worker with a recent result reports it with its next heartbeat.
      guard workers[address.worker].connection == address.connection,
        nowMs - workers[address.worker].lastResultMs > 2 * Limits.heartbeatMs
      else { continue }
      ledger.expect(workers[address.worker].isHung, "worker \(address.worker) is wrongly reported as stalled")
      if workers[address.worker].phase == .running { endWorker(address.worker, "it hung") }
    }
  }

  private func assign() {
    var hasSent = false
    while let waiting = waitingAccounts, let before = ingest?.core.scheduler.sessions,
      let effects = ingest?.core.assign(nowMs: nowMs), !effects.isEmpty
    {
      hasSent = true
      let sent = effects.flatMap(\.jobs).sorted { $0.lease.token < $1.lease.token }
      for job in sent {
        ledger.lease(job, remoteIntervalMs: ingest?.core.scheduler.pacer.intervalMs ?? 0, nowMs: nowMs)
        latestTokens[job.job.id] = job.lease.token
      }
      expectFairness(sent.map(\.job), waiting)
      ledger.expect(ingest?.isPaused == false, "jobs go out although the queue is paused")
      for case .send(.jobs(let jobs), let session, let peer) in effects {
        ledger.expect(jobs.count <= before[session]?.credit ?? 0, "a worker gets more jobs than its credit")
        trace("jobs go to \(session): \(jobs.map { "\($0.job.id.rawValue) under \($0.lease.token)" })")
        let address = Address(peer)
        let isDisconnected = workers[address.worker].connection != address.connection
        if isDisconnected ? random.happens(50) : !isCalm && random.happens(3) {
          // ZeroMQ has noticed the lost connection, or its queue is full.
          ingest?.core.sendFailed(jobs, to: session)
        } else {
          send(IngestPacket(session: session, message: .jobs(jobs)), to: address)
        }
      }
    }
    if hasSent, mayCrash(.ingestHasSentJobs) { endIngest("ingestHasSentJobs") }
  }

  // MARK: - Rules

  private func checkAcknowledgement(_ lease: Lease, _ disposition: Disposition) {
    ledger.recordAcknowledgement(lease, disposition)
    if disposition == .duplicate, let post = lease.job.post, ledger.queued.contains(post) {
      ledger.expect(
        store.entering.contains(post), "a result of \(lease.job.rawValue) is dropped before its settlement")
    }
    if disposition == .stale, let post = lease.job.post, ledger.queued.contains(post), ledger.isFound(lease) {
      ledger.expect(ledger.posts[post]?.isRetriedDead == true, "the place of \(lease.job.rawValue) is dropped")
    }
  }

  /// Checks that a failure counts only under the job's latest lease, and only if a worker has reported it there.
  private func expectCurrent(_ pending: IngestCore.PendingSettlement) {
    switch pending.settlement {
    case .verdict, .leaseLost: return
    case .retry, .dead: break
    }
    let id = pending.job.id
    ledger.expect(
      latestTokens[id] == pending.lease.token && ledger.isFailed(pending.lease),
      "a failure of \(id.rawValue) under a former lease counts")
  }

  /// Checks the rules that hold at every step.
  private func check() {
    guard let ingest else { return }
    let expected = ledger.queued.count - store.entering.count + store.leaving.values.reduce(0, +) + ingest.lookups.count
    let depth = ingest.core.scheduler.depth
    ledger.expect(depth == expected, "the queue has \(depth) jobs instead of \(expected)")
    for session in ingest.core.scheduler.sessions.values {
      ledger.expect(session.leases.count <= Limits.windowMax, "one worker holds \(session.leases.count) jobs")
    }
  }

  /// Checks the queue job by job, which takes longer.
  private func checkAll() {
    guard let ingest else { return }
    let known = Set(ingest.core.scheduler.jobs.keys)
    let expected = ledger.queued.union(store.leaving.keys).filter { id in
      (ledger.queued.contains(id) ? 1 : 0) - (store.entering.contains(id) ? 1 : 0) + (store.leaving[id] ?? 0) > 0
    }.map { JobID($0) }
    let differing = known.symmetricDifference(ingest.lookups.union(expected))
    ledger.expect(differing.isEmpty, "queue and store differ in \(differing.map(\.rawValue).sorted())")
    var owners: [JobID: UInt64] = [:]
    for (id, session) in ingest.core.scheduler.sessions {
      for job in session.leases {
        ledger.expect(owners.updateValue(id, forKey: job) == nil, "job \(job.rawValue) is leased to two workers")
      }
    }
  }

  /// Accounts with a ready post that any worker may get. Empty with at most 3 ready jobs. Nil without ingest.
  private var waitingAccounts: Set<AccountID>? {
    guard let scheduler = ingest?.core.scheduler else { return nil }
    guard scheduler.readyCount > 3 else { return [] }
    return Set(
      scheduler.jobs.values.compactMap { entry in
        guard case .ready = entry.state, !entry.job.id.isLookup, !entry.job.isPoisonSuspect else { return nil }
        return entry.job.account
      })
  }

  /// Checks that accounts take turns. A job that no longer goes out may use a turn, so an account may get five jobs
  /// before another account gets its first.
  private func expectFairness(_ sent: [Job], _ waiting: Set<AccountID>) {
    var counts: [AccountID: Int] = [:]
    for job in sent where !job.id.isLookup && !job.isPoisonSuspect && !job.isRemote {
      counts[job.account, default: 0] += 1
      let isAnyLeftOut = waiting.contains { counts[$0] == nil }
      ledger.expect(
        !isAnyLeftOut || counts[job.account, default: 0] < 6, "account \(job.account.rawValue) delays other accounts")
    }
  }

  /// Checks that nothing expires too early: no lease of a working worker, and no session because of a suspension of
  /// ingest.
  private func expectNoEarlyExpiry(_ before: JobScheduler) {
    guard let core = ingest?.core else { return }
    for (id, session) in before.sessions.sorted(by: { $0.key < $1.key }) {
      guard core.scheduler.sessions[id] != nil, let peer = core.peers[id] else {
        let suspendedMs = lastSuspension.untilMs - lastSuspension.sinceMs
        ledger.expect(
          lastSuspension.generation != ingest?.generation || suspendedMs <= Limits.livenessMs
            || nowMs >= lastSuspension.untilMs + Limits.livenessMs - Limits.heartbeatMs
            || nowMs < lastSuspension.untilMs,
          "session \(id) expires because ingest was suspended for \(suspendedMs) ms")
        continue
      }
      let address = Address(peer)
      let worker = workers[address.worker]
      guard worker.connection == address.connection, worker.phase == .running, !worker.isHung else { continue }
      for job in session.leases.sorted(by: { $0.rawValue < $1.rawValue }) {
        guard case .leased(let token, id, let untilMs)? = before.jobs[job]?.state, untilMs <= nowMs,
          worker.jobs[Lease(job: job, token: token)] != nil
        else { continue }
        if case .leased(token, id, _)? = core.scheduler.jobs[job]?.state { continue }
        ledger.recordViolation("the lease of job \(job.rawValue) ends while its worker works on it")
      }
    }
  }

  /// Checks that a poison suspect is leased alone, so that it cannot cost other jobs a lease.
  private func expectIsolation(_ before: JobScheduler) {
    for (id, session) in before.sessions.sorted(by: { $0.key < $1.key }) {
      guard ingest?.core.scheduler.sessions[id] == nil, ingest != nil else { continue }
      trace("session \(id) is silent")
      let suspects = session.leases.compactMap { before.jobs[$0]?.job }.filter { $0.isPoisonSuspect && !$0.isRemote }
      ledger.expect(
        suspects.isEmpty || session.leases.count == 1,
        "suspects \(suspects.map(\.id.rawValue).sorted()) were not leased alone")
    }
  }
}

extension IngestCore.Effect {
  fileprivate var jobs: [JobScheduler.Assignment] {
    if case .send(.jobs(let jobs), _, _) = self { jobs } else { [] }
  }
}
