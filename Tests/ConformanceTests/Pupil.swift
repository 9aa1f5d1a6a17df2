@testable import Conformance
@testable import Domain
@testable import Messaging

/// A worker that is examined: our own rules, with one fault, or none.
struct Pupil {
  enum Fault: CaseIterable {
    case longFrame, speaksFirst, shortInstance, oneHello, newInstance, deafToBusy, deafToVersion, noCredit
    case window65, formerSession, unanswered, invented, noOutcome, answersCopies, countsOnce, oneLeaseAJob
    case noDetail, guesses, diesOfField, noResend, forgetsRetryLater, forgetsUnknown, forgetsNothing
    case noHeartbeat, ownHeartbeat, nothingHeld, otherLimit, fallingProgress, deafToReset, emptyHello, forgetsAtReset
    case anySession, diesOfGarbage, diesOfBody, anyMajor, deafToDrain, deafToSilence, impatient, oneConnection
    case secondHello, noGoodbye, lasting, countsTwoOfThree, answersWhatItKeeps, onlyTimer
  }

  typealias Utterance = WorkerExam.Utterance

  let fault: Fault?
  private var session: WorkerSession
  private var connection = 1
  private var quietUntilMs: Int64 = 0
  private var firstSession: UInt64 = 0
  private var hasSaidHello = false
  private var copies: [Lease: Int] = [:]
  private var answered: [JobResult] = []
  private var seenJobs: [JobID: UInt64] = [:]
  private var heardMs: Int64 = 0
  private var againMs: Int64 = 0
  private var count: UInt8 = 0
  /// Time of the first Result of each lease.
  private var answeredMs: [Lease: Int64] = [:]
  private var late: [(dueMs: Int64, result: JobResult)] = []
  private(set) var exit: Int32?
  private(set) var isGone = false

  init(_ fault: Fault?) {
    self.fault = fault
    session = WorkerSession(concurrency: fault == .window65 ? 33 : 32, nowMs: 0)
  }

  /// What it says by itself.
  mutating func tick(nowMs: Int64) -> [Utterance] {
    guard !isGone else { return [] }
    let isLate = session.isDead(nowMs: nowMs) && fault != .deafToSilence
    if isLate || fault == .impatient && session.session != nil && nowMs - heardMs > 1_500 {
      session.reset()
      heardMs = nowMs
      if fault != .oneConnection { connection += 1 }
    }
    guard nowMs >= quietUntilMs else { return [] }
    var messages = session.tick(nowMs: nowMs)
    if fault == .noResend || fault == .forgetsNothing {
      messages.removeAll { if case .results = $0 { fault == .noResend } else { false } }
    }
    var said = messages.flatMap { utterances($0, nowMs: nowMs) }
    if fault == .forgetsNothing, let first = answered.first, nowMs > 12_000, nowMs - againMs > 1_500 {
      againMs = nowMs
      said += utterances(.results([first]), nowMs: nowMs)
    }
    let due = late.filter { $0.dueMs <= nowMs }.map(\.result)
    late.removeAll { $0.dueMs <= nowMs }
    if !due.isEmpty { said += utterances(.results(due), nowMs: nowMs) }
    if fault == .secondHello, session.session != nil, nowMs > 11_000, againMs == 0 {
      againMs = nowMs
      said += utterances(.hello(held: []), nowMs: nowMs)
    }
    return said
  }

  /// What it says to something.
  mutating func hear(_ said: WorkerExam.Said, nowMs: Int64) -> [Utterance] {
    guard !isGone else { return [] }
    switch said {
    case .welcome(let number):
      (quietUntilMs, heardMs) = (0, nowMs)
      if firstSession == 0 { firstSession = number }
      let messages = session.welcome(
        session: number, heartbeatMs: fault == .ownHeartbeat ? 2_000 : Limits.examHeartbeatMs,
        livenessMs: Limits.examLivenessMs, nowMs: nowMs)
      return say(fault == .onlyTimer ? putOff(messages, nowMs: nowMs) : messages, nowMs: nowMs)
    case .jobs(let number, let tasks, let version):
      guard number == session.session || fault == .anySession else { return [] }
      guard version != .otherMajor || fault == .anyMajor else { return [] }
      return work(tasks, nowMs: nowMs)
    case .acks(let number, let leases, let disposition):
      guard number == session.session || fault == .anySession else { return [] }
      acknowledge(leases, disposition, nowMs: nowMs)
    case .heartbeat(let number, _) where number == session.session:
      heardMs = nowMs
      session.heard(nowMs: nowMs)
    case .reset(let number) where number == session.session || fault == .anySession:
      if exit != nil || fault != .deafToReset { lose(nowMs: nowMs) }
    case .drain(let number) where number == session.session && fault != .deafToDrain: lose(nowMs: nowMs)
    case .error(let refusal, let pauseMs) where session.session == nil:
      if fault == (refusal == .busy ? .deafToBusy : .deafToVersion) { break }
      quietUntilMs = nowMs + pauseMs
    case .malformed: isGone = fault == .diesOfGarbage
    case .unknownBody: isGone = fault == .diesOfBody
    case .terminate: return leave(nowMs: nowMs)
    default: break
    }
    return []
  }

  /// Keeps results back until they are due as if there were no new session.
  private mutating func putOff(_ messages: [WorkerSession.Message], nowMs: Int64) -> [WorkerSession.Message] {
    messages.filter { message in
      guard case .results(let results) = message else { return true }
      late += results.map { result in
        let firstMs = answeredMs[result.lease] ?? nowMs
        let due = [1_000, 3_000, 7_000, 15_000, 31_000].first { firstMs + $0 >= nowMs } ?? 61_000
        return (firstMs + due, result)
      }
      return false
    }
  }

  private mutating func lose(nowMs: Int64) {
    session.reset()
    if fault == .forgetsAtReset {
      session = WorkerSession(concurrency: 32, nowMs: nowMs)
    }
    isGone = exit != nil
  }

  private mutating func leave(nowMs: Int64) -> [Utterance] {
    guard fault != .lasting else { return say(session.drain(), nowMs: nowMs) }
    exit = fault == .noGoodbye ? -15 : 0
    isGone = fault == .noGoodbye
    return isGone ? [] : say(session.drain(), nowMs: nowMs)
  }

  private mutating func acknowledge(_ leases: [Lease], _ disposition: UInt8, nowMs: Int64) {
    for lease in leases {
      let isForgotten = fault == .forgetsRetryLater && disposition == 4 || fault == .forgetsUnknown && disposition > 4
      session.acknowledge(
        lease, isForgotten ? .committed : Disposition(rawValue: disposition) ?? .retryLater, nowMs: nowMs)
    }
  }

  private mutating func work(_ all: [WorkerExam.Task], nowMs: Int64) -> [Utterance] {
    heardMs = nowMs
    var tasks = all
    if fault == .diesOfField, tasks.contains(where: { $0.kind == .postWithUnknownField }) { isGone = true }
    if fault == .oneLeaseAJob {
      tasks.removeAll { seenJobs[$0.lease.job, default: $0.lease.token] != $0.lease.token }
      for task in tasks { seenJobs[task.lease.job] = task.lease.token }
    }
    if fault == .countsTwoOfThree {
      tasks.removeAll { copies[$0.lease, default: 0].isMultiple(of: 3) && copies[$0.lease] != nil }
    }
    if fault == .countsOnce { tasks.removeAll { copies[$0.lease] != nil } }
    guard !isGone else { return [] }
    var said: [Utterance] = []
    for task in all {
      let isKept = answeredMs[task.lease] != nil
      if copies[task.lease] != nil, fault == .answersCopies || fault == .answersWhatItKeeps && isKept {
        said += utterances(.results([JobResult(lease: task.lease, outcome: outcome(task))]), nowMs: nowMs)
      }
      copies[task.lease, default: 0] += 1
    }
    let wanted = session.receive(tasks.map(\.lease), nowMs: nowMs)
    var results = tasks.filter { task in
      wanted.contains(task.lease) && !(fault == .unanswered && task.query == "Nowhere at all")
    }.map { JobResult(lease: $0.lease, outcome: outcome($0)) }
    if fault == .invented, let lease = results.first?.lease {
      results.append(JobResult(lease: Lease(job: lease.job, token: lease.token + 5_000), outcome: .notFound))
    }
    answered += results
    for result in results { answeredMs[result.lease] = answeredMs[result.lease] ?? nowMs }
    return said + say(session.answer(results, nowMs: nowMs), nowMs: nowMs)
  }

  private func outcome(_ task: WorkerExam.Task) -> JobOutcome {
    var place = Place.sample(59.9, 10.7)
    switch task.kind {
    case .lookup where fault != .noDetail: place.detail = Place.Detail()
    case .unknownLookup where fault != .guesses:
      return .failed(.init(kind: .permanent, code: "malformed_job", detail: ""))
    default: break
    }
    return task.query == "Nowhere at all" ? .notFound : .located([place])
  }

  private mutating func say(_ messages: [WorkerSession.Message], nowMs: Int64) -> [Utterance] {
    messages.flatMap { utterances($0, nowMs: nowMs) }
  }

  private mutating func utterances(_ message: WorkerSession.Message, nowMs: Int64) -> [Utterance] {
    switch message {
    case .hello(let held):
      if fault == .oneHello, hasSaidHello, firstSession == 0 { return [] }
      let first = hasSaidHello || fault != .speaksFirst ? [] : [utterance(.ready(jobLimit: 64))]
      hasSaidHello = true
      count += fault == .newInstance ? 1 : 0
      let hello = WorkerExam.Hello(
        majors: (1, 1), worker: "pupil", instance: .init(repeating: count, count: fault == .shortInstance ? 15 : 16),
        software: "", held: fault == .emptyHello ? [] : held)
      return first + [Utterance(connection: connection, session: 0, byteCount: 100, .hello(hello))]
    case .ready(let limit):
      // One above what our own rules would allow.
      return fault == .noCredit ? [] : [utterance(.ready(jobLimit: fault == .window65 ? limit + 1 : limit))]
    case .results(let results):
      let size = fault == .longFrame ? 64 : 8
      return stride(from: 0, to: results.count, by: size).map { first in
        let part = results[first..<min(first + size, results.count)]
        return utterance(
          .results(part.map { ($0.lease, fault == .noOutcome ? nil : $0.answer) }), byteCount: 40 + 100 * part.count)
      }
    case .heartbeat(let limit, let held, let progress):
      if fault == .noHeartbeat || fault == .noCredit { return [] }
      let limit = fault == .otherLimit ? limit - 1 : limit + (fault == .window65 ? 1 : 0)
      return [
        utterance(
          .heartbeat(
            jobLimit: limit, held: fault == .nothingHeld ? [] : held,
            progress: fault == .fallingProgress
              ? 100 - min(100, UInt64(nowMs / 1_000)) : fault == .forgetsAtReset ? nil : progress))
      ]
    case .goodbye(let leases): return [utterance(.release(leases, goodbye: true))]
    }
  }

  private func utterance(_ body: Utterance.Body, byteCount: Int = 100) -> Utterance {
    let number = fault == .formerSession ? firstSession : session.session ?? 0
    return Utterance(connection: connection, session: number, byteCount: byteCount, body)
  }
}
