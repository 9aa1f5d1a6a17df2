import DequeModule
import HeapModule

/// Assignment of jobs to workers, and validation of their results: the rules of the job link at ingest's end, without
/// sockets, disk or clock. The caller supplies times, in milliseconds of a monotonic clock.
///
/// A job is a stored post that is not settled, or a lookup. Leases exist only in memory. After a restart, every
/// unsettled job is ready again. A success under a lease of an earlier start still counts.
package struct JobScheduler: Sendable {
  /// A job with the lease under which a worker gets it.
  package struct Assignment: Sendable, Equatable {
    package let job: Job
    package let lease: Lease
  }

  struct Timer: Sendable, Comparable {
    let atMs: Int64
    let job: JobID
    static func < (a: Timer, b: Timer) -> Bool { a.atMs < b.atMs }
  }

  var jobs: [JobID: Entry] = [:]
  var ready = FairQueue()
  /// Ready poison suspects, in the order in which they became ready. Each is leased alone.
  var poisonSuspects: Deque<JobID> = []
  /// Session that is reserved for the first poison suspect.
  var reserved: UInt64?
  var delayed: Heap<Timer> = []
  /// Jobs that wait for a remote permit.
  var remote = FairQueue()
  /// Permits for requests to the remote provider.
  var pacer: RequestPacer
  /// Latest time that a caller supplied.
  var seenMs: Int64
  /// Sessions by their number.
  package internal(set) var sessions: [UInt64: Session] = [:]
  /// Sessions in the order in which they get jobs. The first is next.
  var rotation: Deque<UInt64> = []
  /// True if an operator has paused the queue. No job is leased, results count as before, and new jobs wait.
  package var isPaused = false { didSet { if oldValue, !isPaused { resumedMs = seenMs } } }
  /// Time at which the queue was last resumed.
  var resumedMs = Int64.min
  /// Number of leases since the start that ended without a result, and whose jobs were requeued.
  package private(set) var redelivered: UInt64 = 0
  /// Time of the last call of `expire`, or of the start. Nil if neither is known.
  var expiredMs: Int64?
  /// Latest number of a session or lease.
  private var counter: UInt64
  /// Lower bound of this start's numbers. All numbers of earlier starts are below it.
  let firstToken: UInt64

  /// - Parameters:
  ///   - generation: Number of this start of ingest, stored before its use, 1 … `Limits.generationMax`.
  ///   - remotePerSecond: Rate of requests to remote providers, of all workers together, in
  ///     `Limits.remotePerSecondRange`.
  ///   - startMs: Current time. The first permit then waits for an interval, because an earlier start may just have
  ///     granted one. Nil omits this wait.
  package init(generation: UInt32, remotePerSecond: Double = Limits.remotePerSecond, startMs: Int64? = nil) {
    firstToken = JobScheduler.firstToken(generation: generation)
    counter = firstToken
    pacer = RequestPacer(perSecond: remotePerSecond)
    seenMs = startMs ?? 0
    expiredMs = startMs
    if let startMs { _ = pacer.tryAcquire(nowMs: startMs) }
  }

  static func firstToken(generation: UInt32) -> UInt64 { UInt64(generation) << 40 }

  /// Number of jobs that are not settled, including lookups.
  package var depth: Int { jobs.count }
  /// Time at which the next delayed job or permit is due. `Int64.max` if there is none.
  package var nextDueMs: Int64 { min(delayed.min?.atMs ?? .max, remoteDueMs) }
  /// Number of jobs that wait for a worker's credit.
  package var readyCount: Int { ready.count + poisonSuspects.count }

  /// Returns a number greater than all earlier ones, over restarts too.
  mutating func nextNumber() -> UInt64 {
    counter += 1
    return counter
  }

  /// Adds jobs. A known job stays as it is.
  package mutating func add(_ new: [Job]) {
    for job in new { add(job) }
  }

  /// Adds a job, unless it is known.
  package mutating func add(_ job: Job) {
    if let known = jobs.updateValue(Entry(job: job, state: .ready, sinceMs: seenMs), forKey: job.id) {
      jobs[job.id] = known
    } else {
      enqueue(job)
    }
  }

  /// Adds a job that an earlier start of ingest may have leased. A success under such a lease counts.
  ///
  /// - Parameter untilMs: End of its pause. Nil without a pause.
  package mutating func resume(_ job: Job, untilMs: Int64?) {
    guard jobs[job.id] == nil else { return }
    var entry = Entry(job: job, state: .ready, sinceMs: seenMs)
    entry.isResumed = true
    jobs[job.id] = entry
    if let untilMs { delay(job.id, attempts: job.attempts, untilMs: untilMs) } else { enqueue(job) }
  }

  /// Removes a lookup whose client has disconnected. A result for it is then a duplicate.
  package mutating func cancel(_ id: JobID) {
    guard let entry = jobs.removeValue(forKey: id) else { return }
    switch entry.state {
    case .leased(_, let session, _): sessions[session]?.leases.remove(id)
    // Without a worker that leases them, cancelled lookups would pile up.
    case .ready: ready.remove(lookup: id)
    case .waitingRemote: remote.remove(lookup: id)
    case .committing, .delayed: break
    }
  }

  /// Leases the jobs that are ready, or none while the queue is paused. A few jobs go to one session. Many are shared
  /// evenly, up to each session's credit.
  package mutating func assign(nowMs: Int64) -> [(session: UInt64, jobs: [Assignment])] {
    seenMs = max(seenMs, nowMs)
    while let timer = delayed.min, timer.atMs <= nowMs {
      delayed.removeMin()
      guard case .delayed(let untilMs)? = jobs[timer.job]?.state, untilMs == timer.atMs else { continue }
      makeReady(timer.job)
    }
    guard !isPaused else { return [] }
    var assigned = assignRemote(nowMs: nowMs) + assignPoisonSuspects(nowMs: nowMs)
    let eligibleWorkers = eligibleWorkers()
    for (index, session) in eligibleWorkers.enumerated() where ready.count > 0 {
      let share = (ready.count + eligibleWorkers.count - index - 1) / (eligibleWorkers.count - index)
      let jobs = assign(upTo: share, to: session, nowMs: nowMs)
      guard !jobs.isEmpty else { continue }
      if let first = assigned.firstIndex(where: { $0.session == session }) {
        assigned[first].jobs += jobs
      } else {
        assigned.append((session, jobs))
      }
    }
    // Sessions that got jobs go to the end of the rotation.
    let served = assigned.map(\.session)
    rotation.removeAll { served.contains($0) }
    rotation.append(contentsOf: served)
    return assigned
  }

  /// Returns the sessions that share the ready jobs: the fewest for which no share exceeds `Limits.jobsTogether`, or
  /// all. A worker works on half of its credit in parallel. More jobs would wait there, although another worker is
  /// free.
  private func eligibleWorkers() -> [UInt64] {
    var slots = 0
    return rotation.filter { id in
      guard slots < ready.count, let session = sessions[id], isEligible(id, session) else { return false }
      slots += min(Limits.jobsTogether, max(1, session.credit / 2))
      return true
    }
  }

  private mutating func assign(upTo share: Int, to id: UInt64, nowMs: Int64) -> [Assignment] {
    guard let sessionIndex = sessions.index(forKey: id) else { return [] }
    let slots = min(share, sessions.values[sessionIndex].freeSlots)
    var assigned: [Assignment] = []
    assigned.reserveCapacity(min(slots, ready.count))
    while assigned.count < slots, let job = ready.popFirst() {
      // A job whose result has come under an earlier lease is still in its lane.
      guard let index = jobs.index(forKey: job),
        let assignment = jobs.values[index].leaseIfReady(counter + 1, to: id, nowMs: nowMs)
      else { continue }
      counter += 1
      assigned.append(assignment)
    }
    sessions.values[sessionIndex].recordSent(assigned)
    return assigned
  }

  /// Leases the job at an index of `jobs`.
  mutating func lease(_ index: [JobID: Entry].Index, to id: UInt64, nowMs: Int64) -> Assignment {
    let assignment = jobs.values[index].lease(nextNumber(), to: id, nowMs: nowMs)
    sessions[id]?.recordSent([assignment])
    return assignment
  }

  mutating func makeReady(_ id: JobID) {
    guard let index = jobs.index(forKey: id) else { return }
    // The remote permit ends with the lease, whose worker may have used it.
    jobs.values[index].job.isRemote = false
    if case .leased = jobs.values[index].state { redelivered += 1 }
    jobs.values[index].state = .ready
    jobs.values[index].sinceMs = seenMs
    enqueue(jobs.values[index].job)
  }
}
