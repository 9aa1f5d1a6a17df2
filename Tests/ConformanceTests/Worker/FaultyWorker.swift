@testable import Conformance
@testable import Domain
@testable import Messaging

/// A worker that obeys the rules except for one fault, if any.
struct FaultyWorker {
  enum Fault: CaseIterable {
    case longFrame, sendsCreditFirst, shortInstance, oneHello, newInstance, ignoresBusy, ignoresVersion, noCredit
    case window65, formerSession, noResult, invented, noOutcome, repeatsForCopies, countsOnce, oneLeaseAJob
    case noDetail, guesses, failsOnField, noResend, forgetsRetryLater, forgetsUnknown, forgetsNothing
    case noHeartbeat, ownHeartbeat, nothingHeld, otherLimit, fallingProgress, ignoresReset, emptyHello, forgetsAtReset
    case anySession, failsOnGarbage, failsOnBody, anyMajor, ignoresDrain, ignoresSilence, impatient, oneConnection
    case secondHello, noGoodbye, lasting, countsTwoOfThree, repeatsKeptResults, onlyTimer
    case omitsWork, omitsWorkInHello, reportsLower
  }

  typealias ReceivedMessage = WorkerProbe.ReceivedMessage

  let fault: Fault?
  /// Time for a job, in milliseconds.
  private let jobMs: Int64
  /// True if the worker does one job after the other.
  private let isSequential: Bool
  /// Jobs in progress, with the times of their results.
  private var working: [(dueMs: Int64, result: JobResult)] = []
  /// The lease with the greatest token of each job.
  private var newest: [JobID: Lease] = [:]
  private var session: WorkerSession
  private var connection = 1
  private var quietUntilMs: Int64 = 0
  private var firstSession: UInt64 = 0
  private var hasSentHello = false
  private var copies: [Lease: Int] = [:]
  private var results: [JobResult] = []
  private var seenJobs: [JobID: UInt64] = [:]
  private var lastReceivedMs: Int64 = 0
  private var againMs: Int64 = 0
  private var count: UInt8 = 0
  /// Time of the first result of each lease.
  private var firstResultMs: [Lease: Int64] = [:]
  private var delayed: [(dueMs: Int64, result: JobResult)] = []
  private(set) var exit: Int32?
  private(set) var isDisconnected = false

  init(_ fault: Fault?, jobMs: Int64 = 0, isSequential: Bool = false) {
    self.fault = fault
    // These faults need a job that is in progress during a heartbeat or a Hello.
    self.jobMs = jobMs == 0 && (fault == .omitsWork || fault == .omitsWorkInHello) ? 1_500 : jobMs
    self.isSequential = isSequential
    session = WorkerSession(concurrency: fault == .window65 ? 33 : 32, nowMs: 0)
  }

  /// Returns the messages that are due.
  mutating func tick(nowMs: Int64) -> [ReceivedMessage] {
    guard !isDisconnected else { return [] }
    let isLate = session.isDead(nowMs: nowMs) && fault != .ignoresSilence
    if isLate || fault == .impatient && session.session != nil && nowMs - lastReceivedMs > 1_500 {
      session.reset()
      lastReceivedMs = nowMs
      if fault != .oneConnection { connection += 1 }
    }
    guard nowMs >= quietUntilMs else { return [] }
    var messages = session.tick(nowMs: nowMs)
    if fault == .noResend || fault == .forgetsNothing {
      messages.removeAll { if case .results = $0 { fault == .noResend } else { false } }
    }
    var sent = messages.flatMap { encode($0, nowMs: nowMs) }
    if fault == .forgetsNothing, let first = results.first, nowMs > 12_000, nowMs - againMs > 1_500 {
      againMs = nowMs
      sent += encode(.results([first]), nowMs: nowMs)
    }
    sent += finishWork(nowMs: nowMs)
    let due = delayed.filter { $0.dueMs <= nowMs }.map(\.result)
    delayed.removeAll { $0.dueMs <= nowMs }
    if !due.isEmpty { sent += encode(.results(due), nowMs: nowMs) }
    if fault == .secondHello, session.session != nil, nowMs > 11_000, againMs == 0 {
      againMs = nowMs
      sent += encode(.hello(held: []), nowMs: nowMs)
    }
    return sent
  }

  /// Reacts to an effect of the run, and returns the worker's messages.
  mutating func receive(_ effect: ConformanceEffect<WorkerProbe.Stimulus>, nowMs: Int64) -> [ReceivedMessage] {
    guard !isDisconnected else { return [] }
    guard case .send(let stimulus) = effect else { return leave(nowMs: nowMs) }
    switch stimulus {
    case .welcome(let number):
      (quietUntilMs, lastReceivedMs) = (0, nowMs)
      if firstSession == 0 { firstSession = number }
      let messages = session.welcome(
        session: number, heartbeatMs: fault == .ownHeartbeat ? 2_000 : Limits.conformanceHeartbeatMs,
        livenessMs: Limits.conformanceLivenessMs, nowMs: nowMs)
      return encodeAll(fault == .onlyTimer ? delayResults(messages, nowMs: nowMs) : messages, nowMs: nowMs)
    case .jobs(let number, let jobs, let version):
      guard number == session.session || fault == .anySession else { return [] }
      guard version != .otherMajor || fault == .anyMajor else { return [] }
      return work(jobs, nowMs: nowMs)
    case .acks(let number, let leases, let disposition):
      guard number == session.session || fault == .anySession else { return [] }
      acknowledge(leases, disposition, nowMs: nowMs)
    case .heartbeat(let number, _) where number == session.session:
      lastReceivedMs = nowMs
      session.recordActivity(nowMs: nowMs)
    case .reset(let number) where number == session.session || fault == .anySession:
      if exit != nil || fault != .ignoresReset { endSession(nowMs: nowMs) }
    case .drain(let number) where number == session.session && fault != .ignoresDrain: endSession(nowMs: nowMs)
    case .error(let refusal, let pauseMs) where session.session == nil:
      if fault == (refusal == .busy ? .ignoresBusy : .ignoresVersion) { break }
      quietUntilMs = nowMs + pauseMs
    case .malformed: isDisconnected = fault == .failsOnGarbage
    case .unknownBody: isDisconnected = fault == .failsOnBody
    default: break
    }
    return []
  }

  /// Delays results until their resend timers are due, regardless of the new session.
  private mutating func delayResults(_ messages: [WorkerSession.Message], nowMs: Int64) -> [WorkerSession.Message] {
    messages.filter { message in
      guard case .results(let results) = message else { return true }
      delayed += results.map { result in
        let firstMs = firstResultMs[result.lease] ?? nowMs
        let due = [1_000, 3_000, 7_000, 15_000, 31_000].first { firstMs + $0 >= nowMs } ?? 61_000
        return (firstMs + due, result)
      }
      return false
    }
  }

  private mutating func endSession(nowMs: Int64) {
    session.reset()
    if fault == .forgetsAtReset {
      session = WorkerSession(concurrency: 32, nowMs: nowMs)
    }
    isDisconnected = exit != nil
  }

  private mutating func leave(nowMs: Int64) -> [ReceivedMessage] {
    guard fault != .lasting else { return encodeAll(session.drain(), nowMs: nowMs) }
    exit = fault == .noGoodbye ? -15 : 0
    isDisconnected = fault == .noGoodbye
    return isDisconnected ? [] : encodeAll(session.drain(), nowMs: nowMs)
  }

  private mutating func acknowledge(_ leases: [Lease], _ disposition: UInt8, nowMs: Int64) {
    for lease in leases {
      let isForgotten = fault == .forgetsRetryLater && disposition == 4 || fault == .forgetsUnknown && disposition > 4
      session.acknowledge(
        lease, isForgotten ? .committed : Disposition(rawValue: disposition) ?? .retryLater, nowMs: nowMs)
    }
  }

  private mutating func work(_ all: [WorkerProbe.LeasedJob], nowMs: Int64) -> [ReceivedMessage] {
    lastReceivedMs = nowMs
    var jobs = all
    if fault == .failsOnField, jobs.contains(where: { $0.kind == .postWithUnknownField }) { isDisconnected = true }
    if fault == .oneLeaseAJob {
      jobs.removeAll { seenJobs[$0.lease.job, default: $0.lease.token] != $0.lease.token }
      for job in jobs { seenJobs[job.lease.job] = job.lease.token }
    }
    if fault == .countsTwoOfThree {
      jobs.removeAll { copies[$0.lease, default: 0].isMultiple(of: 3) && copies[$0.lease] != nil }
    }
    if fault == .countsOnce { jobs.removeAll { copies[$0.lease] != nil } }
    guard !isDisconnected else { return [] }
    var sent: [ReceivedMessage] = []
    var received: [Lease] = []
    for job in jobs {
      let lease = job.lease
      if let known = newest[lease.job], known.token > lease.token {
        if fault == .reportsLower {
          sent += encode(.results([JobResult(lease: lease, outcome: outcome(job))]), nowMs: nowMs)
        }
        // The session counts this job like a copy of the known job.
        received.append(known)
      } else {
        newest[lease.job] = lease
        received.append(lease)
      }
    }
    for job in all {
      let isKept = firstResultMs[job.lease] != nil
      if copies[job.lease] != nil, fault == .repeatsForCopies || fault == .repeatsKeptResults && isKept {
        sent += encode(.results([JobResult(lease: job.lease, outcome: outcome(job))]), nowMs: nowMs)
      }
      copies[job.lease, default: 0] += 1
    }
    let wanted = session.receive(received, nowMs: nowMs)
    var results = jobs.filter { job in
      wanted.contains(job.lease) && !(fault == .noResult && job.query == "Nowhere at all")
    }.map { JobResult(lease: $0.lease, outcome: outcome($0)) }
    if fault == .invented, let lease = results.first?.lease {
      results.append(JobResult(lease: Lease(job: lease.job, token: lease.token - 500), outcome: .notFound))
    }
    self.results += results
    for result in results { firstResultMs[result.lease] = firstResultMs[result.lease] ?? nowMs }
    guard jobMs > 0 else { return sent + encodeAll(session.report(results, nowMs: nowMs), nowMs: nowMs) }
    for result in results {
      let startMs = isSequential ? max(nowMs, working.last?.dueMs ?? nowMs) : nowMs
      working.append((startMs + jobMs, result))
    }
    return sent
  }

  private mutating func finishWork(nowMs: Int64) -> [ReceivedMessage] {
    let due = working.filter { $0.dueMs <= nowMs }.map(\.result)
    guard !due.isEmpty else { return [] }
    working.removeAll { $0.dueMs <= nowMs }
    return encodeAll(session.report(due, nowMs: nowMs), nowMs: nowMs)
  }

  /// Removes the jobs in progress from the leases of a message.
  private func withoutWork(_ held: [Lease]) -> [Lease] {
    held.filter { lease in !working.contains { $0.result.lease == lease } }
  }

  private func outcome(_ job: WorkerProbe.LeasedJob) -> JobOutcome {
    var place = Place.sample(59.9, 10.7)
    switch job.kind {
    case .lookup where fault != .noDetail: place.detail = Place.Detail()
    case .unknownLookup where fault != .guesses:
      return .failed(.init(kind: .permanent, code: "malformed_job", detail: ""))
    default: break
    }
    return job.query == "Nowhere at all" ? .notFound : .located([place])
  }

  private mutating func encodeAll(_ messages: [WorkerSession.Message], nowMs: Int64) -> [ReceivedMessage] {
    messages.flatMap { encode($0, nowMs: nowMs) }
  }

  private mutating func encode(_ message: WorkerSession.Message, nowMs: Int64) -> [ReceivedMessage] {
    switch message {
    case .hello(let held):
      if fault == .oneHello, hasSentHello, firstSession == 0 { return [] }
      let first = hasSentHello || fault != .sendsCreditFirst ? [] : [frame(.credit(jobLimit: 64))]
      hasSentHello = true
      count += fault == .newInstance ? 1 : 0
      let hello = WorkerProbe.Hello(
        majors: (1, 1), worker: "worker", instance: .init(repeating: count, count: fault == .shortInstance ? 15 : 16),
        software: "",
        held: fault == .emptyHello ? [] : fault == .omitsWork || fault == .omitsWorkInHello ? withoutWork(held) : held)
      return first + [ReceivedMessage(connection: connection, session: 0, byteCount: 100, body: .hello(hello))]
    case .credit(let limit):
      // The fault's limit is one more than the rules allow.
      return fault == .noCredit ? [] : [frame(.credit(jobLimit: fault == .window65 ? limit + 1 : limit))]
    case .results(let results):
      let size = fault == .longFrame ? 64 : 8
      return stride(from: 0, to: results.count, by: size).map { first in
        let part = results[first..<min(first + size, results.count)]
        return frame(
          .results(part.map { ($0.lease, fault == .noOutcome ? nil : $0.reply) }), byteCount: 40 + 100 * part.count)
      }
    case .heartbeat(let limit, let held, let progress):
      if fault == .noHeartbeat || fault == .noCredit { return [] }
      let limit = fault == .otherLimit ? limit - 1 : limit + (fault == .window65 ? 1 : 0)
      return [
        frame(
          .heartbeat(
            jobLimit: limit, held: fault == .nothingHeld ? [] : fault == .omitsWork ? withoutWork(held) : held,
            progress: fault == .fallingProgress
              ? 100 - min(100, UInt64(nowMs / 1_000)) : fault == .forgetsAtReset ? nil : progress))
      ]
    case .goodbye(let leases): return [frame(.release(leases, goodbye: true))]
    }
  }

  private func frame(_ body: ReceivedMessage.Body, byteCount: Int = 100) -> ReceivedMessage {
    let number = fault == .formerSession ? firstSession : session.session ?? 0
    return ReceivedMessage(connection: connection, session: number, byteCount: byteCount, body: body)
  }
}
