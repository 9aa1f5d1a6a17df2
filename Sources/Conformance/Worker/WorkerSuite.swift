import Domain
import Messaging

/// The conformance suite for workers: plays ingest's end of the job link.
struct WorkerSuite: ConformanceSuite {
  typealias Rule = WorkerRule
  typealias Step = ConformanceStep<WorkerSuite>
  typealias ReceivedMessage = WorkerProbe.ReceivedMessage
  typealias Stimulus = WorkerProbe.Stimulus
  typealias Hello = WorkerProbe.Hello
  typealias LeasedJob = WorkerProbe.LeasedJob

  /// A message with its time.
  struct Entry: Sendable {
    let atMs: Int64
    let message: ReceivedMessage
  }

  /// A job of the open session without a Result.
  private struct OpenJob {
    let sentMs: Int64
    /// True if the worker had no other job. The worker then reads the job immediately.
    let wasIdle: Bool
    /// Time of the first heartbeat that omits the lease, although the worker has the job. Nil without one.
    var omittedMs: Int64?
  }

  static let program = "worker"

  let query: String
  var context: RunContext<WorkerRule, Stimulus>
  /// Every message of the worker.
  private(set) var log: [Entry] = []
  /// Number of messages in `log` at the start of the current step.
  private(set) var stepStart = 0

  /// The open session.
  private(set) var session: UInt64?
  private(set) var formerSession: UInt64?
  /// Time of the start or the end of the session.
  private(set) var sessionMs: Int64 = 0
  /// True once a frame of the open session has arrived.
  private(set) var isInSession = false
  private(set) var wasInSession = false
  private var sessionCount: UInt64 = 0
  private(set) var connection = 0
  private var copiesSent: UInt64 = 0
  private(set) var jobLimit: UInt64 = 0
  private var open: [Lease: OpenJob] = [:]
  /// Time that the worker took for its first job, in milliseconds. Nil before the Result.
  private(set) var firstJobMs: Int64?
  private var waiting: [LeasedJob] = []
  /// Leases of all jobs that the suite has sent, without the decoys.
  private(set) var sentLeases: Set<Lease> = []
  private(set) var finishedLeases: Set<Lease> = []
  /// Dispositions for the first, second … copy of a result. The last disposition repeats. Nil sends no acknowledgement.
  private var plans: [Lease: [UInt8?]] = [:]
  /// Arrival times of the copies of each result.
  private(set) var resultTimes: [Lease: [Int64]] = [:]
  /// Time of each result's final acknowledgement.
  private(set) var acknowledgedMs: [Lease: Int64] = [:]
  private var jobCount: UInt64 = 0
  private var progress: UInt64 = 0
  private var beatMs: Int64 = 0

  /// False while the suite plays an absent ingest.
  var welcomesHello = false
  var isSilent = false
  /// Time of the last stimulus.
  private(set) var lastSentMs: Int64 = 0
  /// Jobs of the current step.
  var stepJobs: [LeasedJob] = []
  /// Jobs for which the worker must send no Result.
  private(set) var decoys: Set<Lease> = []
  /// Lease of a repeated job under a token below its other tokens. `decoys` contains the lease too.
  private(set) var lowerLease: Lease?
  /// Credit before the first job.
  var firstCredit = 0
  /// Connection on which the silence began.
  var lostConnection = 0
  private(set) var results: [Lease: WorkerReply] = [:]

  /// Creates a suite.
  ///
  /// - Parameter query: A text that the worker finds, 1 to `Limits.placeBytesMax` bytes.
  init(_ context: RunContext<WorkerRule, Stimulus>, query: String) {
    self.context = context
    self.query = query
  }

  var hasReceivedMessage: Bool { !log.isEmpty }
  var name: String? { hellos(from: 0).first?.hello.worker }
  var rules: [WorkerRule] { WorkerRule.allCases.filter { context.hasProcess || $0 != .goodbye } }
  var abortStimuli: [Stimulus] { if let session { [.drain(session: session)] } else { [] } }

  static func namesExit(_ rule: WorkerRule) -> Bool { rule != .goodbye }

  mutating func receive(_ message: ReceivedMessage) {
    log.append(Entry(atMs: nowMs, message: message))
    connection = message.connection
    if log.count >= Limits.conformanceFramesMax {
      judge(.frame, "too many frames: \(log.count) within \((nowMs - log[0].atMs) / 1_000) s")
      return context.stop()
    }
    if message.byteCount > Limits.conformanceFrameBytesMax {
      judge(.frame, "a frame of \(message.byteCount) bytes; max_message_bytes is \(Limits.conformanceFrameBytesMax)")
    }
    if checkSession(of: message) { handle(message.body) }
    sendJobs()
  }

  mutating func tick() {
    if let session, !isSilent, nowMs - beatMs >= Limits.conformanceHeartbeatMs {
      beatMs = nowMs
      send(.heartbeat(session: session, jobsSent: copiesSent))
    }
    if let last = log.last {
      if nowMs - last.atMs > Limits.conformanceIdleMs { return context.stop() }
      if isInSession, nowMs - last.atMs > Limits.livenessMs { endSession() }
    }
    sendJobs()
  }

  mutating func stepBegan() { stepStart = log.count }

  /// Ends the session of a worker that has fallen silent during the step, so that its silence affects no later rule.
  mutating func stepEnded() {
    let silentMs = nowMs - max(begunMs, log.last?.atMs ?? 0)
    if isInSession, silentMs > 2 * Limits.conformanceHeartbeatMs { endSession() }
  }

  // MARK: - Sending

  mutating func send(_ stimulus: Stimulus) {
    context.effects.append(.send(stimulus))
    lastSentMs = nowMs
  }

  mutating func welcome() {
    sessionCount += 1
    let session = WorkerSuite.sessionBase + sessionCount
    formerSession = self.session ?? formerSession
    (self.session, sessionMs, isInSession, beatMs) = (session, nowMs, false, nowMs)
    (copiesSent, jobLimit, open, waiting) = (0, 0, [:], [])
    send(.welcome(session: session))
  }

  /// Ends the session.
  ///
  /// - Parameter stimulus: Returns the message that announces the end. Nil sends none.
  mutating func endSession(by stimulus: ((UInt64) -> Stimulus)? = nil) {
    guard let session else { return }
    if let stimulus { send(stimulus(session)) }
    (formerSession, self.session, sessionMs, isInSession) = (session, nil, nowMs, false)
  }

  /// Returns a lease that no job has had. The number below the lease's token stays free.
  mutating func newLease(of job: JobID? = nil, isLookup: Bool = false) -> Lease {
    jobCount += 1
    let number = WorkerSuite.jobBase + jobCount
    return Lease(
      job: job ?? (isLookup ? JobID(lookup: number) : JobID(rawValue: number)),
      token: WorkerSuite.sessionBase + 1_000 + 2 * jobCount)
  }

  /// Sends jobs as soon as there is credit for them.
  ///
  /// - Parameter plan: Dispositions for the first, second … copy of each result. See `plans`.
  mutating func enqueue(_ jobs: [LeasedJob], plan: [UInt8?]) {
    for job in jobs where plans[job.lease] == nil { plans[job.lease] = plan }
    waiting += jobs
    sendJobs()
  }

  /// Returns a job under a new lease.
  mutating func newJob(_ kind: LeasedJob.Kind = .post, query: String? = nil) -> LeasedJob {
    let isLookup = kind == .lookup || kind == .unknownLookup
    return LeasedJob(lease: newLease(isLookup: isLookup), query: query ?? self.query, kind: kind)
  }

  /// Sends a new job as the only job of the step.
  mutating func enqueueStepJob(_ kind: LeasedJob.Kind = .post, plan: [UInt8?]) {
    stepJobs = [newJob(kind)]
    enqueue(stepJobs, plan: plan)
  }

  /// Sends a job alone, in a frame of another version.
  mutating func enqueue(_ job: LeasedJob, in version: WorkerProbe.Version) {
    guard let session, credit > 0 else { return }
    copiesSent += 1
    sentLeases.insert(job.lease)
    open[job.lease] = OpenJob(sentMs: nowMs, wasIdle: open.isEmpty)
    plans[job.lease] = [Disposition.committed.rawValue]
    send(.jobs(session: session, [job], version))
  }

  /// Returns a job for a frame that the worker must ignore.
  mutating func decoy() -> LeasedJob {
    let decoy = newJob()
    decoys.insert(decoy.lease)
    return decoy
  }

  /// Sends the step's first job again under a lower token, if the worker still has a Result for that job.
  mutating func enqueueLowerLease() {
    guard let first = stepJobs.first, finishedLeases.contains(first.lease), acknowledgedMs[first.lease] == nil else {
      return
    }
    let lease = Lease(job: first.lease.job, token: first.lease.token - 1)
    lowerLease = lease
    decoys.insert(lease)
    waiting.append(LeasedJob(lease: lease, query: first.query, kind: .post))
    sendJobs()
  }

  /// Acknowledges every result that has no final acknowledgement.
  mutating func acknowledgeAll() {
    acknowledge(finishedLeases.filter { acknowledgedMs[$0] == nil }.sorted { $0.token < $1.token })
  }

  /// Acknowledges those results of `leases` that have arrived, with COMMITTED.
  mutating func acknowledge(_ leases: [Lease]) {
    let leases = leases.filter(finishedLeases.contains)
    guard let session, !leases.isEmpty else { return }
    for lease in leases {
      plans[lease] = [Disposition.committed.rawValue]
      acknowledgedMs[lease] = acknowledgedMs[lease] ?? nowMs
    }
    send(.acks(session: session, leases, disposition: Disposition.committed.rawValue))
  }

  /// Drops the jobs that wait for credit.
  mutating func discardWaiting() { waiting = [] }

  /// True if no job waits for credit.
  var isAllSent: Bool { waiting.isEmpty }

  /// Number of jobs that may be sent now.
  var credit: Int { Int(clamping: jobLimit) - Int(clamping: copiesSent) }

  private mutating func sendJobs() {
    guard let session, !isSilent else { return }
    while credit > 0, !waiting.isEmpty {
      let new = waiting.prefix { !sentLeases.contains($0.lease) }
      // Send a repeated job in its own frame, because a worker may merge copies within one frame.
      let jobs = Array(waiting.prefix(max(1, min(new.count, credit))))
      waiting.removeFirst(jobs.count)
      copiesSent += UInt64(jobs.count)
      let wasIdle = open.isEmpty
      for job in jobs where !decoys.contains(job.lease) && sentLeases.insert(job.lease).inserted {
        open[job.lease] = OpenJob(sentMs: nowMs, wasIdle: wasIdle)
      }
      send(.jobs(session: session, jobs))
    }
  }

  // MARK: - Receiving

  /// Judges the session of a message. Returns true if the suite must handle the message.
  private mutating func checkSession(of message: ReceivedMessage) -> Bool {
    switch message.body {
    case .unreadable(let why):
      judge(.frame, why)
      return false
    case .hello: return true
    default: break
    }
    if message.session == session {
      (isInSession, wasInSession) = (true, true)
      return true
    }
    let isCrossing = message.session == formerSession && nowMs - sessionMs < Limits.inFlightToleranceMs
    if let session, !isCrossing {
      let (received, expected) = (hexadecimal(message.session, digits: 16), hexadecimal(session, digits: 16))
      judge(.session, "\(message.body.name) of session \(received); the open session is \(expected)")
    } else if session == nil, formerSession != nil, !isSilent, nowMs - lastSentMs >= 1_000 {
      // Send a Reset like ingest, but not for every frame.
      send(.reset(session: message.session))
    }
    return false
  }

  private mutating func handle(_ body: ReceivedMessage.Body) {
    switch body {
    case .hello: handleHello()
    case .credit(let limit): grant(limit)
    case .results(let results): for result in results { handle(result) }
    case .release(let leases, let isGoodbye):
      for lease in leases { open[lease] = nil }
      if isGoodbye { endSession { .reset(session: $0) } }
    case .heartbeat(let limit, let held, let progress):
      judge(.heartbeatCredit, limit == jobLimit ? nil : "job_limit \(limit), but Credit had \(jobLimit)")
      grant(limit)
      recordOmissions(from: held)
      if let progress { check(progress) }
    case .unreadable: break
    }
  }

  private mutating func handleHello() {
    guard welcomesHello else { return }
    if isInSession {
      judge(.helloOnlyWhenDue, "Hello in a session, \((nowMs - sessionMs)) ms after its Welcome")
    }
    welcome()
  }

  private mutating func grant(_ limit: UInt64) {
    jobLimit = max(jobLimit, limit)
    let finished = copiesSent - UInt64(open.count)
    let parallel = limit > finished ? limit - finished : 0
    let seen = "job_limit \(limit) with \(finished) finished jobs: \(parallel) in parallel"
    judge(.window, parallel <= UInt64(Limits.windowMax) ? nil : seen)
  }

  /// Records jobs in progress that a heartbeat omits. The Result of such a job then shows that the worker had the job.
  private mutating func recordOmissions(from held: [Lease]) {
    let omitted = open.filter { lease, job in
      job.wasIdle && job.omittedMs == nil && nowMs - job.sentMs >= Limits.inFlightToleranceMs && !held.contains(lease)
    }
    let timeMs = nowMs
    for lease in omitted.keys { open[lease]?.omittedMs = timeMs }
  }

  private mutating func check(_ progress: UInt64) {
    let seen =
      progress < self.progress
      ? "progress \(progress) after \(self.progress)"
      : progress < finishedLeases.count ? "progress \(progress) after \(finishedLeases.count) finished jobs" : nil
    judge(.progress, seen)
    self.progress = max(self.progress, progress)
  }

  private mutating func handle(_ result: ReceivedMessage.DecodedResult) {
    let lease = result.lease
    if decoys.contains(lease) { return handle(decoyResult: lease) }
    guard sentLeases.contains(lease) else {
      judge(
        .ownLease,
        "a Result for job \(hexadecimal(lease.job.rawValue, digits: 16)) under token \(lease.token), which was not sent"
      )
      return
    }
    judge(.ownLease, nil)
    results[lease] = result.reply
    if result.reply == nil { judge(.outcome, "a Result without an outcome, or with an invalid Place") }
    if case .outcome(.located)? = result.reply { judge(.outcome, nil) }
    if let job = open.removeValue(forKey: lease) { finish(job) }
    finishedLeases.insert(lease)
    let number = resultTimes[lease]?.count ?? 0
    resultTimes[lease, default: []].append(nowMs)
    if let ackMs = acknowledgedMs[lease], nowMs - ackMs >= Limits.inFlightToleranceMs {
      judge(.acknowledged, "a Result \(nowMs - ackMs) ms after its acknowledgement")
    }
    guard let session, !isSilent, let plan = plans[lease], let last = plan.last,
      let disposition = number < plan.count ? plan[number] : last
    else { return }
    if (1...3).contains(disposition) { acknowledgedMs[lease] = acknowledgedMs[lease] ?? nowMs }
    send(.acks(session: session, [lease], disposition: disposition))
  }

  private mutating func handle(decoyResult lease: Lease) {
    if lease == lowerLease { judge(.lowerLease, "a Result under the lower token") }
    // Without an acknowledgement, the worker would resend the result and keep its lease.
    if let session, !isSilent { send(.acks(session: session, [lease], disposition: Disposition.stale.rawValue)) }
  }

  private mutating func finish(_ job: OpenJob) {
    firstJobMs = firstJobMs ?? nowMs - job.sentMs
    // A heartbeat may cross a job that arrives late.
    guard let omittedMs = job.omittedMs, nowMs - omittedMs >= WorkerSuite.crossingMs else { return }
    judge(
      .heartbeatHeld,
      "the lease of a job in progress is missing \(omittedMs - job.sentMs) ms after its dispatch; the Result came "
        + "after \(nowMs - job.sentMs) ms")
  }
}

extension WorkerSuite {
  /// Base of session numbers and tokens, which differ in each session like those of ingest.
  fileprivate static let sessionBase: UInt64 = 1 << 40
  fileprivate static let jobBase: UInt64 = 1 << 48
  /// Longest time between a heartbeat and a job for which the two messages may cross, in milliseconds.
  fileprivate static let crossingMs: Int64 = 200
}
