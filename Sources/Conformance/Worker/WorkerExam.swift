import Domain
import Messaging

/// An examination of a worker that somebody else has written: what ingest's end of the job link says to it, step by
/// step, and which rules its answers keep. Without sockets or clock. Times are milliseconds of a clock that never goes
/// back.
struct WorkerExam: Sendable {
  /// Something heard, and when.
  struct Entry: Sendable {
    let atMs: Int64
    let utterance: Utterance
  }

  /// A frame was on its way when what it should have obeyed was said.
  static let crossingMs: Int64 = 500

  let waitMs: Int64
  let query: String
  let hasProcess: Bool
  private(set) var log: [Entry] = []
  private(set) var nowMs: Int64
  var verdicts: [WorkerRule: ConformanceReport.Verdict] = [:]

  /// The session that is open; nil where there is none.
  private(set) var session: UInt64?
  private(set) var formerSession: UInt64?
  private(set) var sessionMs: Int64 = 0
  /// A frame of it has come.
  private(set) var isInSession = false
  private(set) var wasInSession = false
  private var sessionCount: UInt64 = 0
  private(set) var connection = 0
  private var copiesSent: UInt64 = 0
  private(set) var jobLimit: UInt64 = 0
  /// Jobs of this session that are not answered.
  private var open: Set<Lease> = []
  private var waiting: [Task] = []
  /// All that was ever sent, in the sessions that were open.
  private(set) var given: Set<Lease> = []
  private(set) var answered: Set<Lease> = []
  /// What to say to the first, second … sight of a result: the last one again and again; nil keeps silent.
  private var plans: [Lease: [UInt8?]] = [:]
  private(set) var sights: [Lease: [Int64]] = [:]
  /// When its final acknowledgement was said.
  private(set) var forgottenMs: [Lease: Int64] = [:]
  private var jobCount: UInt64 = 0
  private var progress: UInt64 = 0
  private var beatMs: Int64 = 0

  /// Whether Hello is answered; not while the exam plays an ingest that is away.
  var welcomesHello = false
  var isSilent = false
  /// When anything was last said.
  private(set) var spokeMs: Int64 = 0
  /// The process has ended: with what exit code, or the signal's number, negative.
  private(set) var exit: (code: Int32, atMs: Int64)?
  /// The jobs that the present step is about.
  var subjects: [Task] = []
  /// Jobs that are not to be answered.
  private(set) var baits: Set<Lease> = []
  /// Jobs that the worker allowed when the first ones were sent, and the connection that it was lost on.
  var firstCredit = 0
  var lostConnection = 0
  private(set) var answers: [Lease: WorkerAnswer] = [:]
  private var said: [Said] = []
  private var next = 0
  private var hasBegun = false
  private var readyMs: Int64
  /// When the present step began, and how much had been heard.
  private(set) var begunMs: Int64 = 0
  private(set) var mark = 0

  /// - Parameters:
  ///   - waitMs: how long the worker may take to come.
  ///   - query: a text that the worker can find, 1 to `Limits.placeBytesMax` bytes.
  ///   - hasProcess: whether it can be told to end.
  init(waitMs: Int64, query: String, hasProcess: Bool, nowMs: Int64) {
    self.waitMs = waitMs
    self.query = query
    self.hasProcess = hasProcess
    self.nowMs = nowMs
    readyMs = nowMs
  }

  /// Whether all that could be seen has been seen.
  var isOver: Bool { next >= WorkerExam.steps.count }

  /// The name that the worker gave itself; nil before.
  var worker: String? {
    for entry in log { if case .hello(let hello) = entry.utterance.body { return hello.worker } }
    return nil
  }

  /// What came out of it. Complete when it is over.
  var conformance: ConformanceReport {
    ConformanceReport(
      findings: WorkerRule.allCases.filter { hasProcess || $0 != .goodbye }.map { rule in
        let end = exit.map { "the worker's process ended, \(WorkerExam.words(ofExit: $0.code))" }
        let why = end ?? (log.isEmpty ? "no worker came" : "the worker did not get that far")
        return ConformanceReport.Finding(rule: rule.rule, verdict: verdicts[rule] ?? .notShown(why: why))
      })
  }

  /// The worker has said something.
  mutating func hear(_ utterance: Utterance, nowMs: Int64) {
    self.nowMs = nowMs
    guard !isOver else { return }
    log.append(Entry(atMs: nowMs, utterance: utterance))
    connection = utterance.connection
    if log.count >= Limits.examFramesMax {
      judge(.frame, "\(log.count) frames within \((nowMs - log[0].atMs) / 1_000) s, which nobody asked for")
      return stop()
    }
    if utterance.byteCount > Limits.examFrameBytesMax {
      judge(.frame, "a frame of \(utterance.byteCount) bytes, where max_message_bytes is \(Limits.examFrameBytesMax)")
    }
    if checkSession(of: utterance) { take(utterance.body) }
    send()
    advance()
  }

  /// The worker's process has ended.
  ///
  /// - Parameter code: its exit code, or the signal's number, negative.
  mutating func ended(_ code: Int32, nowMs: Int64) {
    self.nowMs = nowMs
    guard exit == nil, !isOver else { return }
    exit = (code, nowMs)
    let step = WorkerExam.steps[next]
    // What it said last may still be on its way; else nobody is left who could be asked.
    if step.isOfProcess { return }
    if hasBegun { step.judge(&self) }
    stop()
  }

  /// Does what time asks for. To be called every 50 ms at least.
  mutating func tick(nowMs: Int64) {
    self.nowMs = nowMs
    guard !isOver else { return }
    if let session, !isSilent, nowMs - beatMs >= Limits.examHeartbeatMs {
      beatMs = nowMs
      say(.heartbeat(session: session, jobsSent: copiesSent))
    }
    if let last = log.last, nowMs - last.atMs > Limits.examGoneMs { return stop() }
    if isInSession, let last = log.last, nowMs - last.atMs > Limits.livenessMs {
      endSession()
    }
    send()
    advance()
  }

  /// What is to be said now, once.
  mutating func takeSaid() -> [Said] {
    defer { said = [] }
    return said
  }

  // MARK: - Steps

  private mutating func advance() {
    while !isOver {
      let step = WorkerExam.steps[next]
      if !hasBegun {
        guard !step.isOfProcess || hasProcess else { return stop() }
        if step.needsSession, !isInSession {
          guard nowMs - readyMs >= Limits.examLivenessMs else { return }
          skip()
          continue
        }
        (hasBegun, begunMs, mark) = (true, nowMs, log.count)
        step.begin(&self)
      }
      guard step.isDone(self) || nowMs - begunMs >= step.limitMs ?? waitMs else { return }
      step.judge(&self)
      skip()
    }
  }

  private mutating func skip() {
    guard !isOver else { return }
    // What killed it is found already; no other rule is to be blamed for it.
    if hasBegun, isInSession, log.count == mark, nowMs - begunMs > 2 * Limits.examHeartbeatMs { endSession() }
    next += 1
    (hasBegun, readyMs) = (false, nowMs)
    if isOver { judgeAll() }
  }

  /// Ends it before the last step.
  mutating func stop() {
    next = WorkerExam.steps.count
    judgeAll()
  }

  /// A rule that was once seen broken stays so.
  ///
  /// - Parameter seen: what was seen against it; nil where it holds.
  mutating func judge(_ rule: WorkerRule, _ seen: String?) {
    if case .doesNotHold? = verdicts[rule] { return }
    let end = exit.map { rule == .goodbye ? "" : "; its process had ended, \(WorkerExam.words(ofExit: $0.code))" }
    verdicts[rule] = seen.map { .doesNotHold(seen: $0 + (end ?? "")) } ?? .holds
  }

  // MARK: - Saying

  mutating func say(_ something: Said) {
    said.append(something)
    if something != .terminate { spokeMs = nowMs }
  }

  mutating func welcome() {
    sessionCount += 1
    let session = WorkerExam.sessionBase + sessionCount
    formerSession = self.session ?? formerSession
    (self.session, sessionMs, isInSession, beatMs) = (session, nowMs, false, nowMs)
    (copiesSent, jobLimit, open, waiting) = (0, 0, [], [])
    say(.welcome(session: session))
  }

  mutating func endSession() {
    (formerSession, session, sessionMs, isInSession) = (session, nil, nowMs, false)
  }

  /// A lease that no job has had.
  mutating func newLease(of job: JobID? = nil, isLookup: Bool = false) -> Lease {
    jobCount += 1
    let number = WorkerExam.jobBase + jobCount
    return Lease(
      job: job ?? (isLookup ? JobID(lookup: number) : JobID(rawValue: number)),
      token: WorkerExam.sessionBase + 1_000 + jobCount)
  }

  /// Sends jobs as there is credit for them.
  ///
  /// - Parameter plan: the dispositions with which its results are met.
  mutating func give(_ tasks: [Task], plan: [UInt8?]) {
    for task in tasks where plans[task.lease] == nil { plans[task.lease] = plan }
    waiting += tasks
    send()
  }

  /// A job under a new lease.
  mutating func task(_ kind: Task.Kind = .post, query: String? = nil) -> Task {
    let isLookup = kind == .lookup || kind == .unknownLookup
    return Task(lease: newLease(isLookup: isLookup), query: query ?? self.query, kind: kind)
  }

  /// Sends a job by itself, in a frame of another version.
  mutating func give(_ task: Task, in version: Version) {
    guard let session, credit > 0 else { return }
    copiesSent += 1
    given.insert(task.lease)
    open.insert(task.lease)
    plans[task.lease] = [Disposition.committed.rawValue]
    say(.jobs(session: session, [task], version))
  }

  /// A job in a frame that does not count.
  mutating func bait() -> Task {
    let bait = task()
    baits.insert(bait.lease)
    return bait
  }

  /// Says at last what became of a result.
  mutating func acknowledge(_ leases: [Lease]) {
    let leases = leases.filter(answered.contains)
    guard let session, !leases.isEmpty else { return }
    for lease in leases {
      plans[lease] = [Disposition.committed.rawValue]
      forgottenMs[lease] = forgottenMs[lease] ?? nowMs
    }
    say(.acks(session: session, leases, disposition: Disposition.committed.rawValue))
  }

  /// Drops the tasks that wait for credit.
  mutating func forgetWaiting() { waiting = [] }

  /// Whether no job waits for credit.
  var isAllSent: Bool { waiting.isEmpty }

  /// Jobs that there is credit for.
  var credit: Int { Int(clamping: jobLimit) - Int(clamping: copiesSent) }

  private mutating func send() {
    guard let session, !isSilent else { return }
    while credit > 0, !waiting.isEmpty {
      let new = waiting.prefix { !given.contains($0.lease) }
      // A repeated job has a frame of its own: within one frame, a worker may merge the two.
      let tasks = Array(waiting.prefix(max(1, min(new.count, credit))))
      waiting.removeFirst(tasks.count)
      copiesSent += UInt64(tasks.count)
      for task in tasks where given.insert(task.lease).inserted { open.insert(task.lease) }
      say(.jobs(session: session, tasks))
    }
  }

  // MARK: - Hearing

  /// Whether what it says counts.
  private mutating func checkSession(of utterance: Utterance) -> Bool {
    switch utterance.body {
    case .unreadable(let why):
      judge(.frame, why)
      return false
    case .hello: return true
    default: break
    }
    if utterance.session == session {
      (isInSession, wasInSession) = (true, true)
      return true
    }
    let isCrossing = utterance.session == formerSession && nowMs - sessionMs < WorkerExam.crossingMs
    if let session, !isCrossing {
      let (came, open) = (hexadecimal(utterance.session, digits: 16), hexadecimal(session, digits: 16))
      judge(.session, "\(utterance.body.word) of session \(came), where \(open) is open")
    } else if session == nil, formerSession != nil, !isSilent, nowMs - spokeMs >= 1_000 {
      // As ingest does, but not for every frame.
      say(.reset(session: utterance.session))
    }
    return false
  }

  private mutating func take(_ body: Utterance.Body) {
    switch body {
    case .hello: takeHello()
    case .ready(let limit): grant(limit)
    case .results(let answers): for answer in answers { take(answer) }
    case .release(let leases, let isGoodbye):
      open.subtract(leases)
      if isGoodbye, let session {
        say(.reset(session: session))
        endSession()
      }
    case .heartbeat(let limit, _, let progress):
      judge(.heartbeatCredit, limit == jobLimit ? nil : "job_limit \(limit), and Ready had \(jobLimit)")
      grant(limit)
      if let progress { check(progress) }
    case .unreadable: break
    }
  }

  private mutating func takeHello() {
    guard welcomesHello else { return }
    if isInSession {
      judge(.helloOnlyWhenDue, "Hello in a session, \((nowMs - sessionMs)) ms after its Welcome")
    }
    welcome()
  }

  private mutating func grant(_ limit: UInt64) {
    jobLimit = max(jobLimit, limit)
    let rid = copiesSent - UInt64(open.count)
    let room = limit > rid ? limit - rid : 0
    judge(
      .window, room <= UInt64(Limits.windowMax) ? nil : "job_limit \(limit) with \(rid) jobs done: \(room) at once")
  }

  private mutating func check(_ progress: UInt64) {
    let seen =
      progress < self.progress
      ? "\(progress) after \(self.progress)"
      : progress < answered.count ? "\(progress) after \(answered.count) jobs were answered" : nil
    judge(.progress, seen)
    self.progress = max(self.progress, progress)
  }

  private mutating func take(_ answer: Utterance.Answer) {
    let lease = answer.lease
    if baits.contains(lease) { return }
    guard given.contains(lease) else {
      judge(
        .ownLease,
        "a Result for job \(hexadecimal(lease.job.rawValue, digits: 16)) under token \(lease.token), which was not sent"
      )
      return
    }
    judge(.ownLease, nil)
    answers[lease] = answer.answer
    if answer.answer == nil { judge(.outcome, "a Result without an outcome, or with a Place that is not allowed") }
    if case .outcome(.located)? = answer.answer { judge(.outcome, nil) }
    open.remove(lease)
    answered.insert(lease)
    let number = sights[lease]?.count ?? 0
    sights[lease, default: []].append(nowMs)
    if let forgotten = forgottenMs[lease], nowMs - forgotten >= WorkerExam.crossingMs {
      judge(.acknowledged, "a Result \(nowMs - forgotten) ms after its acknowledgement")
    }
    guard let session, !isSilent, let plan = plans[lease], let last = plan.last,
      let disposition = number < plan.count ? plan[number] : last
    else { return }
    if (1...3).contains(disposition) { forgottenMs[lease] = forgottenMs[lease] ?? nowMs }
    say(.acks(session: session, [lease], disposition: disposition))
  }
}

extension WorkerExam {
  /// Such as ingest's own: they only have to be other ones in each session.
  fileprivate static let sessionBase: UInt64 = 1 << 40
  fileprivate static let jobBase: UInt64 = 1 << 48
}
