import DequeModule
import HeapModule

/// Decides which job goes to which worker, and whether a worker's answer counts: the rules of the job link at ingest's
/// end, without sockets, disk or clock. Times are milliseconds of a clock that never goes back; the caller passes them.
///
/// A job here is a row on disk that is not settled, or a lookup. Leases live only here: after a restart every
/// unsettled job is ready again. A success under a lease of an earlier start still counts.
package struct JobScheduler: Sendable {
  /// A job on its way to a worker.
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
  /// Jobs that may lose one more worker, in the order in which they go out: each alone.
  var poisonSuspects: Deque<JobID> = []
  /// The session that is to be free for the first of them.
  var reserved: UInt64?
  var delayed: Heap<Timer> = []
  /// Jobs that wait for a permit to ask a remote provider.
  var remote = FairQueue()
  /// Permits for requests to the remote provider.
  var pacer: RequestPacer
  /// Latest time that a caller passed in.
  var seenMs: Int64
  /// Sessions by their number.
  package internal(set) var sessions: [UInt64: Session] = [:]
  /// The order in which sessions are served; the first is next.
  var rotation: Deque<UInt64> = []
  /// True if an operator has paused the queue: no job goes out, results count as before, and new jobs wait.
  package var isPaused = false { didSet { if oldValue, !isPaused { resumedMs = seenMs } } }
  /// Time at which the queue was resumed last.
  var resumedMs = Int64.min
  /// Jobs taken back from workers without an answer, to go out again, since the start.
  package private(set) var redelivered: UInt64 = 0
  /// Time of the last call of `expire`, or of the start. Nil if neither is known.
  var expiredMs: Int64?
  /// Sessions and leases are numbered from here.
  private var counter: UInt64
  /// Lower bound of this start's numbers; all numbers of earlier starts are below it.
  let firstToken: UInt64

  /// - Parameters:
  ///   - boot: the number of this start of ingest, stored before it is used; 1 … `Limits.generationMax`.
  ///   - remotePerSecond: requests to remote providers, of all workers together; within `Limits.remotePerSecondRange`.
  ///   - startMs: now, where ingest before its restart may have given leave a moment ago; nil where not.
  package init(generation: UInt32, remotePerSecond: Double = Limits.remotePerSecond, startMs: Int64? = nil) {
    firstToken = JobScheduler.firstToken(generation: generation)
    counter = firstToken
    pacer = RequestPacer(perSecond: remotePerSecond)
    seenMs = startMs ?? 0
    expiredMs = startMs
    if let startMs { _ = pacer.tryAcquire(nowMs: startMs) }
  }

  static func firstToken(generation: UInt32) -> UInt64 { UInt64(generation) << 40 }

  /// Jobs that are not settled, with lookups.
  package var depth: Int { jobs.count }
  /// Time at which the next pausing job is due; far away without one.
  package var nextDueMs: Int64 { min(delayed.min?.atMs ?? .max, remoteDueMs) }
  /// Jobs that wait for a worker's credit.
  package var readyCount: Int { ready.count + poisonSuspects.count }

  /// A number greater than any before, over restarts too.
  mutating func nextNumber() -> UInt64 {
    counter += 1
    return counter
  }

  /// Adds jobs. A job that is here already stays as it is.
  package mutating func add(_ new: [Job]) {
    for job in new { add(job) }
  }

  /// Adds a job, unless it is here already.
  package mutating func add(_ job: Job) {
    if let known = jobs.updateValue(Entry(job: job, state: .ready, sinceMs: seenMs), forKey: job.id) {
      jobs[job.id] = known
    } else {
      enqueue(job)
    }
  }

  /// Adds a job that was queued before this start of ingest. Its result may come under a lease of an earlier start.
  ///
  /// - Parameter untilMs: the end of its pause; nil without one.
  package mutating func resume(_ job: Job, untilMs: Int64?) {
    guard jobs[job.id] == nil else { return }
    var entry = Entry(job: job, state: .ready, sinceMs: seenMs)
    entry.isResumed = true
    jobs[job.id] = entry
    if let untilMs { delay(job.id, attempts: job.attempts, untilMs: untilMs) } else { enqueue(job) }
  }

  /// Forgets a lookup whose client has gone; an answer to it is then a duplicate.
  package mutating func cancel(_ id: JobID) {
    guard let entry = jobs.removeValue(forKey: id) else { return }
    switch entry.state {
    case .leased(_, let session, _): sessions[session]?.leases.remove(id)
    // Where no worker comes to take them, they would pile up.
    case .ready: ready.remove(lookup: id)
    case .waiting: remote.remove(lookup: id)
    case .settling, .delayed: break
    }
  }

  /// The jobs that may go out now, none while the queue is paused: a few to one session, many shared out evenly, to
  /// each as many as it has credit for.
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
    // A session that got jobs waits until the others have some.
    let served = assigned.map(\.session)
    rotation.removeAll { served.contains($0) }
    rotation.append(contentsOf: served)
    return assigned
  }

  /// Sessions that get the ready jobs: as many as it takes for each to get one message's worth at most, or all. Half of
  /// a worker's credit is what it works on at once; more than that would wait beside a free worker.
  private func eligibleWorkers() -> [UInt64] {
    var room = 0
    return rotation.filter { id in
      guard room < ready.count, let session = sessions[id], isEligible(id, session) else { return false }
      room += min(Limits.jobsTogether, max(1, session.credit / 2))
      return true
    }
  }

  private mutating func assign(upTo share: Int, to id: UInt64, nowMs: Int64) -> [Assignment] {
    guard let taker = sessions.index(forKey: id) else { return [] }
    let room = min(share, sessions.values[taker].freeSlots)
    var assigned: [Assignment] = []
    assigned.reserveCapacity(min(room, ready.count))
    while assigned.count < room, let job = ready.popFirst() {
      // A job whose result has come under an earlier lease is still in its lane.
      guard let index = jobs.index(forKey: job),
        let assignment = jobs.values[index].leaseIfReady(counter + 1, to: id, nowMs: nowMs)
      else { continue }
      counter += 1
      assigned.append(assignment)
    }
    sessions.values[taker].recordSent(assigned)
    return assigned
  }

  /// Leases the job that stands at an index of `jobs`.
  mutating func lease(_ index: [JobID: Entry].Index, to id: UInt64, nowMs: Int64) -> Assignment {
    let assignment = jobs.values[index].lease(nextNumber(), to: id, nowMs: nowMs)
    sessions[id]?.recordSent([assignment])
    return assignment
  }

  mutating func makeReady(_ id: JobID) {
    guard let index = jobs.index(forKey: id) else { return }
    // Leave to ask a remote provider was the lost lease's: it may have been used.
    jobs.values[index].job.isRemote = false
    if case .leased = jobs.values[index].state { redelivered += 1 }
    jobs.values[index].state = .ready
    jobs.values[index].sinceMs = seenMs
    enqueue(jobs.values[index].job)
  }
}
