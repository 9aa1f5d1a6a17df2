/// Workers' messages and sessions.
extension IngestCore {
  /// The first message of a worker, which opens its session.
  package struct Hello: Sendable {
    package let worker: String
    /// Address of the connection, for the log.
    package let address: String
    /// Identity of the worker's process: 16 random bytes.
    package let instance: [UInt8]
    /// Leases that the worker works on, or whose results it keeps.
    package let held: [Lease]
    /// Interval that the worker's remote provider asks for between two requests of all workers, in milliseconds. Nil
    /// without a provider.
    package let remoteIntervalMs: Int64?

    package init(worker: String, address: String, instance: [UInt8], held: [Lease], remoteIntervalMs: Int64?) {
      (self.worker, self.address, self.instance) = (worker, address, instance)
      (self.held, self.remoteIntervalMs) = (held, remoteIntervalMs)
    }
  }

  /// A worker's message within its session.
  package enum Message: Sendable {
    /// Credit for jobs, cumulative.
    case credit(jobLimit: UInt64)
    /// Results with their leases. A nil reply is a result that the protocol forbids.
    case results([(lease: Lease, reply: WorkerReply?)])
    /// Leases that the worker returns.
    case release([Lease], isGoodbye: Bool)
    /// A heartbeat. `progress` is the number of jobs that the worker has finished. Nil if the worker does not count its
    /// jobs.
    case heartbeat(jobLimit: UInt64, held: [Lease], progress: UInt64?)
  }

  /// Opens a session. The connection's earlier session ends, and so does the earlier session of the same process.
  package mutating func receive(_ hello: Hello, from peer: Peer, nowMs: Int64) -> [Effect] {
    var effects: [Effect] = []
    // A connection has one session. Otherwise an earlier session would end only by its silence, and its jobs would
    // count a loss.
    if let earlier = sessions[peer], scheduler.sessions[earlier]?.instance != hello.instance {
      effects += close(earlier, "replaced by another instance")
    }
    guard
      let (session, replaced) = scheduler.open(
        worker: hello.worker, instance: hello.instance, held: hello.held, remoteIntervalMs: hello.remoteIntervalMs,
        nowMs: nowMs)
    else { return effects + [.send(.busy, session: 0, to: peer)] }
    if let replaced, let old = peers.removeValue(forKey: replaced) {
      sessions[old] = nil
      origins[replaced] = nil
      if old != peer { effects.append(.send(.reset(.replaced), session: replaced, to: old)) }
    }
    peers[session] = peer
    sessions[peer] = session
    let origin = WorkerOrigin(name: hello.worker, address: hello.address)
    origins[session] = origin
    effects.append(.log(.workerJoined(origin, held: hello.held.count)))
    effects.append(.send(.welcome, session: session, to: peer))
    return effects
  }

  /// Processes a message of a session. A peer that names an unknown session or another peer's session gets RESET, and
  /// must send HELLO again.
  ///
  /// - Parameter message: Nil for a message of a later minor version, which only shows that the worker is alive.
  package mutating func receive(
    _ message: Message?, session: UInt64, from peer: Peer, nowMs: Int64
  ) -> [Effect] {
    guard sessions[peer] == session, scheduler.recordActivity(session, nowMs: nowMs) else {
      return [.send(.reset(.unknownSession), session: session, to: peer)]
    }
    switch message {
    case .credit(let jobLimit): scheduler.grant(jobLimit, to: session)
    case .results(let results): receive(results, session: session, nowMs: nowMs)
    case .release(let leases, let isGoodbye):
      scheduler.release(leases, of: session)
      guard isGoodbye else { return [] }
      return close(session, "graceful close") + [.send(.reset(.goodbye), session: session, to: peer)]
    case .heartbeat(let jobLimit, let held, let progress):
      return heartbeat(session, jobLimit: jobLimit, held: held, progress: progress, nowMs: nowMs)
    case nil: break
    }
    return []
  }

  /// Ends the session of a peer that sends only malformed frames.
  package mutating func disconnect(_ peer: Peer, reason: String) -> [Effect] {
    sessions[peer].map { close($0, reason) } ?? []
  }

  private mutating func receive(
    _ results: [(lease: Lease, reply: WorkerReply?)], session: UInt64, nowMs: Int64
  ) {
    var failures = 0
    for (lease, reply) in results {
      if reply?.isFailure == true { failures += 1 }
      switch scheduler.evaluate(JobResult(lease: lease, reply: reply ?? .malformed)) {
      case .settle(let job, let outcome):
        endedJobs.append(EndedJob(session: session, lease: lease, job: job, outcome: outcome))
      case .reply(let disposition): acknowledgements[session, default: []].append((lease, disposition))
      case .pending: break
      }
    }
    scheduler.count(results: results.count, failures: failures, of: session)
    rates.failed.add(failures, nowMs: nowMs)
  }

  private mutating func heartbeat(
    _ session: UInt64, jobLimit: UInt64, held: [Lease], progress: UInt64?, nowMs: Int64
  ) -> [Effect] {
    let wasStalled = scheduler.sessions[session]?.isStalled
    scheduler.heartbeat(session, jobLimit: jobLimit, held: held, progress: progress, nowMs: nowMs)
    guard let known = scheduler.sessions[session], known.isStalled != wasStalled, let origin = origins[session] else {
      return []
    }
    return [.log(known.isStalled ? .workerStalled(origin, leases: known.leases.count) : .workerRecovered(origin))]
  }

  /// Ends a session that did not fail. Its leases do not count as losses.
  private mutating func close(_ session: UInt64, _ reason: String) -> [Effect] {
    guard let origin = forget(session) else { return [] }
    return [.log(.workerLeft(origin, reason: reason))] + report(scheduler.close(session, countsAsLoss: false))
  }

  /// Removes a session's connection, and returns its origin. Nil for an unknown session.
  mutating func forget(_ session: UInt64) -> WorkerOrigin? {
    guard let peer = peers.removeValue(forKey: session) else { return nil }
    sessions[peer] = nil
    return origins.removeValue(forKey: session)
  }

  mutating func report(_ losses: JobScheduler.LostLeases) -> [Effect] {
    var effects: [Effect] = losses.lookups.map { .lookupEnded($0, .workerLost) }
    if !losses.requeued.isEmpty || !losses.dead.isEmpty {
      effects.append(.log(.workersLostOverPosts(requeued: losses.requeued.count, dead: losses.dead.count)))
      effects.append(.store(.countLosses(losses)))
    }
    return effects
  }
}

extension WorkerReply {
  /// Result that the protocol forbids. The job is retried.
  fileprivate static let malformed = WorkerReply.outcome(
    .failed(.init(kind: .transient, code: "malformed_result", detail: "ingest cannot decode the result")))
}

extension JobOutcome {
  fileprivate static let workerLost = JobOutcome.failed(
    .init(kind: .transient, code: "worker_lost", detail: "the worker was lost"))
}
