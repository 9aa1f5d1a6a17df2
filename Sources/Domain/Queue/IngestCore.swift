/// Ingest's rules for jobs, from a worker's message to the store and back: sessions, leases, settlements, retries, lost
/// workers, lookups and the pause.
///
/// A pure state machine without sockets, disk or clock. A shell decodes the messages, calls a method, and performs the
/// effects in their order: `JobServer` and `PostPipeline` in production, `Simulation` in the tests. Times are
/// milliseconds of a monotonic clock.
///
/// A settled job leaves the queue only when the store has committed the settlement. Until then no other result of the
/// job counts.
package struct IngestCore: Sendable {
  /// A connection of the job link, by ZeroMQ's routing id.
  package typealias Peer = [UInt8]

  /// A settlement of a job, with the lease of its result.
  package struct PendingSettlement: Sendable {
    /// Session of the worker that waits for the acknowledgement. 0 if no worker waits.
    package let session: UInt64
    package let lease: Lease
    /// The job, with the counts that the store has.
    package let job: Job
    package let settlement: Settlement
  }

  /// An atomic write for the store.
  package enum Write: Sendable {
    /// Settle posts.
    case settle([PendingSettlement])
    /// Count lost workers for the requeued and the dead posts, and store that the dead posts are dead.
    case countLosses(JobScheduler.LostLeases)
  }

  /// Result of a write to the store. The write came from the core, or from a request over HTTP, ZeroMQ or the admin
  /// socket.
  ///
  /// The shell passes results in commit order, because feeds get the list's changes in that order. The shell passes
  /// `changed` before the result of the same write, because a client that awaits its post may then read the list.
  package enum Committed: Sendable {
    /// New posts are queued.
    case accepted([Job])
    /// Dead posts are queued again.
    case retried([Job])
    /// The result of a `Write`. Nil if the store has refused the write.
    case written(Write, SettlementResult?)
    /// The list has changed, by a settlement, an edit, a deletion or a new name of an author.
    case changed([FeedChange])
    /// The operator has paused the queue, or resumed it.
    case paused(Bool)
  }

  /// An event for the operator's log.
  package enum Event: Sendable {
    case workerJoined(WorkerOrigin, held: Int)
    /// A session ended, and its leases do not count as losses.
    case workerLeft(WorkerOrigin, reason: String)
    /// A session was silent for `Limits.livenessMs`.
    case workerLost(WorkerOrigin)
    /// The worker sends heartbeats and no results. Ingest sends it no more jobs until it reports a result, or has no
    /// leases.
    case workerStalled(WorkerOrigin, leases: Int)
    case workerRecovered(WorkerOrigin)
    /// Lost workers had posts. The values are the numbers of requeued and of dead posts.
    case workersLostOverPosts(requeued: Int, dead: Int)
  }

  /// Name and address of a worker, for the log.
  package struct WorkerOrigin: Sendable {
    package let name: String
    /// Address of the worker's connection.
    package let address: String
  }

  /// An action for the shell.
  package enum Effect: Sendable {
    /// Send a message to a worker. If jobs cannot be sent, the shell calls `sendFailed`.
    case send(MessageToWorker, session: UInt64, to: Peer)
    /// Write to the store. The shell passes the result to `committed`.
    case store(Write)
    /// Send the outcome of a lookup to the clients that wait for it.
    case lookupEnded(JobID, JobOutcome)
    /// Publish changes of the list to the feeds.
    case publish([FeedChange])
    /// Count settlements in the metrics. Each is durable or needs no write. `void` has the posts that were deleted
    /// meanwhile, whose settlements changed nothing.
    case settled([PendingSettlement], void: Set<PostID>)
    /// Count durable losses in the metrics. `void` has the posts that were deleted meanwhile.
    case lossesCounted(JobScheduler.LostLeases, void: Set<PostID>)
    /// Subtract posts that have left the queue from the backlog.
    case leftQueue([PostID])
    /// Log an event.
    case log(Event)
  }

  /// Jobs and their leases.
  package internal(set) var scheduler: JobScheduler
  /// Rates of posts for the operator.
  package internal(set) var rates = QueueRates()
  /// Connections by session.
  var peers: [UInt64: Peer] = [:]
  /// Sessions by connection, at most one for each connection.
  var sessions: [Peer: UInt64] = [:]
  var origins: [UInt64: WorkerOrigin] = [:]
  /// Results that count and that `tick` has not settled yet.
  var endedJobs: [EndedJob] = []
  var acknowledgements: [UInt64: [(lease: Lease, disposition: Disposition)]] = [:]
  private var heartbeatMs: Int64 = 0

  struct EndedJob: Sendable {
    let session: UInt64
    let lease: Lease
    let job: Job
    let outcome: JobOutcome
  }

  /// - Parameters:
  ///   - generation, remotePerSecond, startMs: See `JobScheduler`.
  ///   - isPaused: True if the operator has paused the queue.
  package init(
    generation: UInt32, remotePerSecond: Double = Limits.remotePerSecond, startMs: Int64? = nil, isPaused: Bool = false
  ) {
    scheduler = JobScheduler(generation: generation, remotePerSecond: remotePerSecond, startMs: startMs)
    scheduler.isPaused = isPaused
    heartbeatMs = startMs ?? 0
  }

  // MARK: - Requests of this process

  /// Restores the store's jobs at a start. No job waits longer than `Limits.backoffCapMs`, even if the clock was wrong
  /// when its pause was stored.
  ///
  /// - Parameters:
  ///   - jobs: Jobs with the ends of their pauses, in milliseconds since 1970, UTC. A past time means no pause.
  ///   - unixMs: Current time, in the same unit.
  package mutating func resume(_ jobs: [(job: Job, dueMs: Int64)], unixMs: Int64, nowMs: Int64) {
    for (job, dueMs) in jobs {
      let pauseMs = min(dueMs - unixMs, Limits.backoffCapMs)
      scheduler.resume(job, untilMs: pauseMs > 0 ? nowMs + pauseMs : nil)
    }
  }

  /// Queues a lookup, which is not stored.
  package mutating func enqueueLookup(_ job: Job) { scheduler.add(job) }

  /// Removes a lookup whose clients have disconnected.
  package mutating func cancel(_ lookup: JobID) { scheduler.cancel(lookup) }

  // MARK: - Results of the store

  /// Continues after a commit. Call this in commit order.
  package mutating func committed(_ committed: Committed, nowMs: Int64) -> [Effect] {
    switch committed {
    case .accepted(let jobs):
      scheduler.add(jobs)
      rates.accepted.add(jobs.count, nowMs: nowMs)
      return []
    case .retried(let jobs):
      for job in jobs { scheduler.resume(job, untilMs: nil) }
      return []
    case .changed(let changes): return changes.isEmpty ? [] : [.publish(changes)]
    case .paused(let isPaused):
      scheduler.isPaused = isPaused
      return []
    case .written(.settle(let settlements), let result?): return finish(settlements, result, nowMs: nowMs)
    case .written(.settle(let settlements), nil):
      // The worker keeps the result and resends it.
      for pending in settlements {
        scheduler.delay(pending.job.id, attempts: pending.job.attempts, untilMs: nowMs + Limits.storeRetryPauseMs)
        acknowledge(pending, .retryLater)
      }
      return []
    case .written(.countLosses(let losses), let result?):
      for job in losses.dead { scheduler.settled(job) }
      rates.settled.add(losses.dead.count, nowMs: nowMs)
      return [.leftQueue(losses.dead.compactMap(\.post)), .lossesCounted(losses, void: result.notQueued)]
    case .written(.countLosses(let losses), nil):
      // The count stays in memory. A restart forgets it.
      for job in losses.dead { scheduler.delay(job, attempts: nil, untilMs: nowMs + Limits.storeRetryPauseMs) }
      return []
    }
  }

  private mutating func finish(
    _ settlements: [PendingSettlement], _ result: SettlementResult, nowMs: Int64
  ) -> [Effect] {
    var left: [PostID] = []
    left.reserveCapacity(settlements.count)
    for pending in settlements {
      let post = pending.job.id.post
      // A deleted post has nothing to retry.
      let isVoid = !result.notQueued.isEmpty && post.map(result.notQueued.contains) == true
      if case .retry(let attempts, let pauseMs, _) = pending.settlement, !isVoid {
        scheduler.delay(pending.job.id, attempts: attempts, untilMs: nowMs + pauseMs)
      } else {
        scheduler.settled(pending.job.id)
        if let post { left.append(post) }
      }
      acknowledge(pending, .committed)
    }
    rates.settled.add(left.count, nowMs: nowMs)
    return [.leftQueue(left), .settled(settlements, void: result.notQueued)]
  }

  // MARK: - Time

  /// Returns true if `tick` will send heartbeats.
  package func isHeartbeatDue(nowMs: Int64) -> Bool { nowMs - heartbeatMs >= Limits.heartbeatMs }

  /// Settles the results of workers, ends silent sessions, and sends due heartbeats and acknowledgements. Call this
  /// after messages and commits, and at `nextMs`. Then call `assign`.
  ///
  /// - Parameter random: Random source for the backoff of retries. The caller supplies it, so that a simulation is
  ///   repeatable.
  package mutating func tick(nowMs: Int64, using random: inout some RandomNumberGenerator) -> [Effect] {
    var effects = settle(nowMs: nowMs, using: &random)
    if isHeartbeatDue(nowMs: nowMs) {
      heartbeatMs = nowMs
      effects += expire(nowMs: nowMs)
      for (session, peer) in peers.sorted(by: { $0.key < $1.key }) {
        let sent = scheduler.sessions[session]?.jobsSent ?? 0
        effects.append(.send(.heartbeat(jobsSent: sent), session: session, to: peer))
      }
    }
    if !acknowledgements.isEmpty {
      for (session, acknowledgements) in acknowledgements.sorted(by: { $0.key < $1.key }) {
        guard let peer = peers[session] else { continue }
        effects.append(.send(.acks(acknowledgements), session: session, to: peer))
      }
      acknowledgements.removeAll(keepingCapacity: true)
    }
    return effects
  }

  /// Leases the jobs that can be sent now. Call this until it returns no effect, because jobs that could not be sent go
  /// to another worker.
  package mutating func assign(nowMs: Int64) -> [Effect] {
    scheduler.assign(nowMs: nowMs).map { session, jobs in
      guard let peer = peers[session] else { preconditionFailure("Every session has a connection.") }
      return .send(.jobs(jobs), session: session, to: peer)
    }
  }

  /// Takes back jobs that could not be sent, because the connection is closed or full. The worker then sends HELLO on
  /// another connection, grants credit again, or falls silent.
  package mutating func sendFailed(_ jobs: [JobScheduler.Assignment], to session: UInt64) {
    scheduler.sendFailed(jobs.map(\.lease), to: session)
  }

  /// Time of the next call of `tick`.
  package var nextMs: Int64 { min(heartbeatMs + Limits.heartbeatMs, scheduler.nextDueMs) }

  /// Returns messages that announce ingest's shutdown to all workers.
  package func drain() -> [Effect] {
    peers.sorted(by: { $0.key < $1.key }).map { .send(.drain, session: $0.key, to: $0.value) }
  }

  private mutating func settle(nowMs: Int64, using random: inout some RandomNumberGenerator) -> [Effect] {
    for wait in scheduler.endRemoteWaits() {
      // The worker got its acknowledgement when the job began to wait.
      endedJobs.append(EndedJob(session: 0, lease: wait.lease, job: wait.job, outcome: wait.outcome))
    }
    guard !endedJobs.isEmpty else { return [] }
    var effects: [Effect] = []
    var stored: [PendingSettlement] = []
    var unstored: [PendingSettlement] = []
    for ended in endedJobs {
      guard !ended.job.id.isLookup else {
        scheduler.settled(ended.job.id)
        acknowledgements[ended.session, default: []].append((ended.lease, .committed))
        effects.append(.lookupEnded(ended.job.id, ended.outcome))
        continue
      }
      let settlement = Settlement(of: ended.outcome, job: ended.job, using: &random)
      let pending = PendingSettlement(
        session: ended.session, lease: ended.lease, job: ended.job, settlement: settlement)
      if case .retry(ended.job.attempts, let pauseMs, _) = settlement {
        // The count is unchanged, so nothing has to be stored.
        scheduler.delay(ended.job.id, attempts: ended.job.attempts, untilMs: nowMs + pauseMs)
        acknowledge(pending, .committed)
        unstored.append(pending)
      } else {
        stored.append(pending)
      }
    }
    endedJobs.removeAll(keepingCapacity: true)
    if !unstored.isEmpty { effects.append(.settled(unstored, void: [])) }
    if !stored.isEmpty { effects.append(.store(.settle(stored))) }
    return effects
  }

  private mutating func expire(nowMs: Int64) -> [Effect] {
    let (silent, losses) = scheduler.expire(nowMs: nowMs)
    let lost: [Effect] = silent.compactMap { session in forget(session).map { .log(.workerLost($0)) } }
    return lost + report(losses)
  }

  private mutating func acknowledge(_ pending: PendingSettlement, _ disposition: Disposition) {
    acknowledgements[pending.session, default: []].append((pending.lease, disposition))
  }
}
