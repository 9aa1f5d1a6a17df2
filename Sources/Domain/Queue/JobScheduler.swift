import DequeModule
import HeapModule

/// Which job goes to which worker, and what a worker's answer is worth: the rules of the job link at ingest's end,
/// without sockets, disk or clock. Times are milliseconds of a clock that never goes back; the caller passes them in.
///
/// A job here is a row on disk that is not settled, or a look-up. Leases live only here: after a restart every
/// unsettled job is ready again. A success under a lease of an earlier start still counts.
package struct JobScheduler: Sendable {
  /// A worker's session, from HELLO to its silence, its replacement or its end.
  package struct Session: Sendable {
    package let worker: String
    /// Names the worker's process.
    package let instance: [UInt8]
    /// Jobs that the worker has allowed so far, in all: credit is cumulative, so a repeated grant is harmless.
    package var jobLimit: UInt64 = 0
    /// Jobs sent so far, in all.
    package var jobsSent: UInt64 = 0
    /// Those of them that never arrived: they have used up no credit.
    package var jobsLost: UInt64 = 0
    /// What its remote provider wants between two requests of all workers, in ms; nil where it has none.
    package var remoteIntervalMs: Int64?
    /// Jobs that are with the worker, `Limits.windowMax` at most.
    package var leases: Set<JobID> = []
    /// When the worker last said anything.
    package var heardMs: Int64
    /// Leases that the last heartbeat did not name. Missing twice, they are lost; a later lease of the same job is not.
    package var missing: Set<Lease> = []
    /// The job that it was given alone; as long as it has that, it gets no other.
    var suspect: JobID?
    /// What its last heartbeat said that it has answered; nil where it does not count.
    var progress: UInt64?
    /// Heartbeats running that have said the same.
    var stillBeats = 0
    /// Whether its handler hangs: it gets nothing until it answers.
    package internal(set) var isStuck = false
    /// Results that came from it, for the operator.
    var answers = RateMeter()
    /// Failures among them.
    var failures: UInt64 = 0

    /// Jobs that may be sent now, 0 … `Limits.windowMax`.
    package var credit: Int {
      guard !isStuck else { return 0 }
      let used = jobsSent - min(jobsLost, jobsSent)
      return Int(min(jobLimit - min(used, jobLimit), UInt64(Limits.windowMax)))
    }

    /// Jobs that may be sent beside those that are with it.
    var room: Int { min(credit, Limits.windowMax - leases.count) }

    /// Counts jobs as sent to it.
    mutating func give(_ assigned: [Assignment]) {
      jobsSent += UInt64(assigned.count)
      for assignment in assigned { leases.insert(assignment.lease.job) }
    }
  }

  /// A job on its way to a worker.
  package struct Assignment: Sendable, Equatable {
    package let job: Job
    package let lease: Lease
  }

  /// What a result is worth.
  package enum Worth: Equatable {
    /// A settlement of the job with this outcome. No other result counts for it until `settled` or `delay`.
    case settle(Job, JobOutcome)
    /// Answer the worker at once.
    case answer(Disposition)
    /// The same result is on its way to the disk: say nothing, the answer follows.
    case pending
  }

  /// Jobs whose worker was lost.
  package struct Losses: Equatable {
    /// Go out again; the loss is to be counted on disk.
    package var requeued: [JobID] = []
    /// Lost too often: to be buried.
    package var dead: [JobID] = []
    /// Look-ups, which are not repeated.
    package var lookups: [JobID] = []

    /// Whether nothing was lost.
    package var isEmpty: Bool { requeued.isEmpty && dead.isEmpty && lookups.isEmpty }
  }

  enum State: Sendable {
    case ready
    case leased(UInt64, session: UInt64, untilMs: Int64)
    /// Its result is on its way to the disk.
    case settling
    /// Failed; goes out again at its time.
    case delayed(untilMs: Int64)
    /// Waits for leave to ask a remote provider, with the lease under which that was asked and the gazetteer's answer.
    case waiting(Lease, [Place])
  }

  struct Entry: Sendable {
    var job: Job
    var state: State
    /// When it was leased, of a leased one; when it became ready, of one that is.
    var sinceMs: Int64
    /// True if the job was queued before this start of ingest, so that an earlier start may have leased it.
    var isResumed = false
    /// The token of the latest lease since this start; 0 before the first.
    private var token: UInt64 = 0
    /// The tokens of the leases before that, oldest first, at most `Limits.formerLeasesMax`.
    private var formerTokens: [UInt64] = []

    init(job: Job, state: State, sinceMs: Int64) {
      self.job = job
      self.state = state
      self.sinceMs = sinceMs
    }

    // What happens to every job happens within its entry: to copy one costs more than to change it.

    /// Makes it a session's.
    mutating func lease(_ token: UInt64, to session: UInt64, nowMs: Int64) -> Assignment {
      if self.token != 0 { keepToken() }
      self.token = token
      state = .leased(token, session: session, untilMs: nowMs + Limits.leaseMs)
      sinceMs = nowMs
      return Assignment(job: job, lease: Lease(job: job.id, token: token))
    }

    /// The same where it is ready; nil where it is not.
    mutating func leaseIfReady(_ token: UInt64, to session: UInt64, nowMs: Int64) -> Assignment? {
      guard case .ready = state else { return nil }
      return lease(token, to: session, nowMs: nowMs)
    }

    private mutating func keepToken() {
      if formerTokens.count == Limits.formerLeasesMax { formerTokens.removeFirst() }
      formerTokens.append(token)
    }

    /// True if the job has had a lease with a token. Tokens of earlier starts are below `firstToken`. Ingest does not
    /// remember their jobs, so they count for every job that was queued then.
    private func hasHad(_ token: UInt64, firstToken: UInt64) -> Bool {
      if token == self.token || formerTokens.contains(token) { return token != 0 }
      return isResumed && token < firstToken && token >= JobScheduler.firstToken(boot: 1)
    }

    /// Judges an outcome. Returns its worth, and the session that no longer has the job.
    mutating func judge(
      _ outcome: JobOutcome, under lease: Lease, firstToken: UInt64
    ) -> (worth: Worth, holder: UInt64?) {
      guard hasHad(lease.token, firstToken: firstToken) else { return (.answer(.stale), nil) }
      var holder: UInt64?
      switch (state, outcome) {
      case (.settling, _): return (.pending, nil)
      case (.leased(lease.token, let session, _), _): holder = session
      case (_, .failed): return (.answer(.stale), nil)
      case (.leased(_, let session, _), _): holder = session
      case (.ready, _), (.delayed, _), (.waiting, _): break
      }
      state = .settling
      return (.settle(job, outcome), holder)
    }
  }

  struct Timer: Sendable, Comparable {
    let atMs: Int64
    let job: JobID
    static func < (a: Timer, b: Timer) -> Bool { a.atMs < b.atMs }
  }

  var jobs: [JobID: Entry] = [:]
  var ready = ReadyQueue()
  /// Jobs that may lose one more worker, in the order in which they go out: each alone.
  var suspects: Deque<JobID> = []
  /// The session that is to be free for the first of them.
  var reserved: UInt64?
  var delayed: Heap<Timer> = []
  /// Those that wait for leave to ask a remote provider.
  var remote = ReadyQueue()
  /// Permits for requests to the remote provider.
  var pacer: RequestPacer
  /// The latest time that was told.
  var seenMs: Int64
  /// By number.
  package internal(set) var sessions: [UInt64: Session] = [:]
  /// The order in which sessions are served; the first is next.
  var rotation: Deque<UInt64> = []
  /// Whether an operator has paused the queue: nothing goes out, while results are taken as ever, and what comes in or
  /// back waits.
  package var isPaused = false { didSet { if oldValue, !isPaused { resumedMs = seenMs } } }
  /// When it was last let go on.
  var resumedMs = Int64.min
  /// Jobs taken back from workers without an answer, to go out again, since the start.
  package private(set) var redelivered: UInt64 = 0
  /// Time of the last call of `expire`, or of the start. Nil if neither is known.
  var expiredMs: Int64?
  /// Sessions and leases are numbered from here.
  private var counter: UInt64
  /// Lower bound of this start's numbers; all numbers of earlier starts are below it.
  private let firstToken: UInt64

  /// - Parameters:
  ///   - boot: the number of this start of ingest, stored before it is used; 1 … `Limits.bootMax`.
  ///   - remotePerSecond: requests to remote providers, of all workers together; within `Limits.remotePerSecondRange`.
  ///   - startMs: now, where ingest before its restart may have given leave a moment ago; nil where not.
  package init(boot: UInt32, remotePerSecond: Double = Limits.remotePerSecond, startMs: Int64? = nil) {
    firstToken = JobScheduler.firstToken(boot: boot)
    counter = firstToken
    pacer = RequestPacer(perSecond: remotePerSecond)
    seenMs = startMs ?? 0
    expiredMs = startMs
    if let startMs { _ = pacer.take(nowMs: startMs) }
  }

  private static func firstToken(boot: UInt32) -> UInt64 { UInt64(boot) << 40 }

  /// Jobs not settled, look-ups among them.
  package var depth: Int { jobs.count }
  /// When the next job is due that waits for a time; far away when none does.
  package var nextDueMs: Int64 { min(delayed.min?.atMs ?? .max, remoteDueMs) }
  /// Jobs that wait for a worker's credit.
  package var readyCount: Int { ready.count + suspects.count }

  /// A number greater than any before, over restarts too.
  mutating func number() -> UInt64 {
    counter += 1
    return counter
  }

  /// Takes jobs in. A job that is here already is left as it is.
  package mutating func add(_ new: [Job]) {
    for job in new { add(job) }
  }

  /// Takes a job in, unless it is here already.
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

  /// Forgets a look-up whose client has gone; a worker's answer to it is a duplicate then.
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
    var assigned = assignRemote(nowMs: nowMs) + assignSuspects(nowMs: nowMs)
    let takers = takers()
    for (index, session) in takers.enumerated() where ready.count > 0 {
      let share = (ready.count + takers.count - index - 1) / (takers.count - index)
      let jobs = assign(upTo: share, to: session, nowMs: nowMs)
      guard !jobs.isEmpty else { continue }
      if let first = assigned.firstIndex(where: { $0.session == session }) {
        assigned[first].jobs += jobs
      } else {
        assigned.append((session, jobs))
      }
    }
    // Whoever got something waits until the others have.
    let served = assigned.map(\.session)
    rotation.removeAll { served.contains($0) }
    rotation.append(contentsOf: served)
    return assigned
  }

  /// Those who get the jobs that are ready: as many as it takes for nobody to get more than one message's worth, or
  /// all. Half of a worker's credit is what it works on at once; more than that would wait beside a free worker.
  private func takers() -> [UInt64] {
    var room = 0
    return rotation.filter { id in
      guard room < ready.count, let session = sessions[id], takesMore(id, session) else { return false }
      room += min(Limits.jobsTogether, max(1, session.credit / 2))
      return true
    }
  }

  private mutating func assign(upTo share: Int, to id: UInt64, nowMs: Int64) -> [Assignment] {
    guard let taker = sessions.index(forKey: id) else { return [] }
    let room = min(share, sessions.values[taker].room)
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
    sessions.values[taker].give(assigned)
    return assigned
  }

  /// Leases the job that stands at an index of `jobs`.
  mutating func lease(_ index: [JobID: Entry].Index, to id: UInt64, nowMs: Int64) -> Assignment {
    let assignment = jobs.values[index].lease(number(), to: id, nowMs: nowMs)
    sessions[id]?.give([assignment])
    return assignment
  }

  /// Judges a result. A success counts under every lease that the job has had, as long as the job is not settled:
  /// finding a place has no side effects. A failure counts only under the job's current lease.
  package mutating func judge(_ result: JobResult) -> Worth {
    guard let index = jobs.index(forKey: result.lease.job) else { return .answer(.duplicate) }
    switch result.answer {
    case .needsRemote(let places): return requestRemote(result.lease, places, of: jobs.values[index])
    case .outcome(let outcome):
      let (worth, holder) = jobs.values[index].judge(outcome, under: result.lease, firstToken: firstToken)
      if let holder, let index = sessions.index(forKey: holder) {
        sessions.values[index].leases.remove(result.lease.job)
      }
      return worth
    }
  }

  /// The outcome of a job is on disk: it leaves the queue.
  package mutating func settled(_ id: JobID) { jobs[id] = nil }

  /// The outcome of a job could not be stored, or is to be tried again: it goes out again at a time.
  ///
  /// - Parameter attempts: failures so far, as on disk; nil where they have not changed.
  package mutating func delay(_ id: JobID, attempts: Int?, untilMs: Int64) {
    guard jobs[id] != nil else { return }
    jobs[id]?.job.isRemote = false
    if let attempts { jobs[id]?.job.attempts = attempts }
    jobs[id]?.state = .delayed(untilMs: untilMs)
    delayed.insert(Timer(atMs: untilMs, job: id))
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
