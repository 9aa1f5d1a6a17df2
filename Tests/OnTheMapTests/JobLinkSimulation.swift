import Fuzzing

@testable import OnTheMap

/// Ingest and two workers over a link that loses, repeats, delays and reorders, with crashes of everybody: the rules
/// of both ends as they are, and around them the simplest disk, clock and network that can go wrong. One seed is one
/// run.
struct JobLinkSimulation {
  /// What a run has shown to be wrong.
  var complaints: [String] = []
  var restarts = 0
  var settled: Set<JobID> { Set(unsettledAtStart.subtracting(disk.keys)) }

  private typealias FailureKind = JobOutcome.Failure.Kind

  private enum ToWorker {
    case welcome(session: UInt64)
    case jobs([Lease], session: UInt64)
    case ack(Lease, Disposition, session: UInt64)
    case heartbeat(session: UInt64)
    case reset
  }
  private struct Letter {
    let atMs: Int64
    let worker: Int
    let text: Text
    enum Text {
      case toIngest(WorkerSession.Message, session: UInt64, instance: [UInt8])
      case toWorker(ToWorker)
    }
  }
  private struct Peer {
    var session: WorkerSession
    var instance: [UInt8]
    var jobs: [Lease] = []
  }
  private struct Write {
    let atMs: Int64
    let worker: Int
    let session: UInt64
    let result: JobResult
    let job: Job
  }

  private var random: SeededRandom
  private var nowMs: Int64 = 0
  private var isCalm = false
  private var link: [Letter] = []
  /// Jobs on disk that are not settled: attempts and losses.
  private var disk: [JobID: Job]
  private let unsettledAtStart: Set<JobID>
  private var boot: UInt32 = 1
  private var dispatch = Dispatch(boot: 1)
  /// Which worker a session's messages go to.
  private var addresses: [UInt64: Int] = [:]
  private var writes: [Write] = []
  private var beatMs: Int64 = 0
  private var lastToken: UInt64 = 0
  private var workers: [Peer] = []
  private var instances: UInt8 = 0

  init(seed: UInt64, jobs: Int) {
    random = SeededRandom(seed: seed)
    let all = (1...UInt64(jobs)).map { Job.post($0, account: Int64($0 % 3)) }
    disk = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
    unsettledAtStart = Set(disk.keys)
    dispatch.add(all)
    workers = (0..<2).map { _ in newPeer() }
  }

  /// Trouble for a while, then calm until all is settled.
  mutating func run(troubleMs: Int64, calmMs: Int64) {
    while nowMs < troubleMs { step() }
    isCalm = true
    while nowMs < troubleMs + calmMs, !disk.isEmpty { step() }
    if !disk.isEmpty { complain("\(disk.count) jobs are not settled: \(disk.keys.map(\.rawValue).sorted())") }
  }

  private mutating func complain(_ text: String) {
    if complaints.count < 5 { complaints.append("at \(nowMs) ms: \(text)") }
  }

  private mutating func step() {
    nowMs += Int64.random(in: 20...200, using: &random)
    if !isCalm {
      if random.happens(1) { restartIngest() }
      if random.happens(1) { workers[Int.random(in: 0..<2, using: &random)] = newPeer() }
    }
    let due = link.filter { $0.atMs <= nowMs }
    link.removeAll { $0.atMs <= nowMs }
    for letter in due {
      switch letter.text {
      case .toIngest(let message, let session, let instance):
        ingestReceives(message, session, instance, from: letter.worker)
      case .toWorker(let text): workerReceives(text, at: letter.worker)
      }
    }
    commit()
    for index in workers.indices { work(index) }
    turnIngest()
    check()
  }

  private mutating func send(_ text: Letter.Text, _ worker: Int) {
    for _ in 0..<(isCalm ? 1 : random.happens(10) ? 0 : random.happens(5) ? 2 : 1) {
      let delayMs = Int64.random(in: 1...(isCalm ? 20 : random.happens(10) ? 1_500 : 150), using: &random)
      link.append(Letter(atMs: nowMs + delayMs, worker: worker, text: text))
    }
  }

  private mutating func newPeer() -> Peer {
    restarts += 1
    instances += 1
    return Peer(
      session: WorkerSession(concurrency: 4, nowMs: nowMs), instance: [UInt8](repeating: instances, count: 16))
  }

  private mutating func restartIngest() {
    restarts += 1
    boot += 1
    dispatch = Dispatch(boot: boot)
    dispatch.add(disk.values.sorted { $0.id.rawValue < $1.id.rawValue })
    (writes, addresses) = ([], [:])
  }
}

/// Ingest's side.
extension JobLinkSimulation {
  private mutating func ingestReceives(
    _ message: WorkerSession.Message, _ session: UInt64, _ instance: [UInt8], from worker: Int
  ) {
    if case .hello(let held) = message {
      guard
        let opened = dispatch.open(worker: "w", instance: instance, held: held, nowMs: nowMs)
      else { return complain("no room for two workers") }
      if let replaced = opened.replaced { addresses[replaced] = nil }
      addresses[opened.session] = worker
      return send(.toWorker(.welcome(session: opened.session)), worker)
    }
    guard addresses[session] == worker, dispatch.heard(session, nowMs: nowMs) else {
      return send(.toWorker(.reset), worker)
    }
    switch message {
    case .ready(let jobLimit): dispatch.grant(jobLimit, to: session)
    case .heartbeat(let jobLimit, let held):
      dispatch.heartbeat(session, jobLimit: jobLimit, held: held, nowMs: nowMs)
    case .goodbye(let leases): dispatch.release(leases, of: session)
    case .results(let results): for result in results { judge(result, worker, session) }
    case .hello: break
    }
  }

  private mutating func judge(_ result: JobResult, _ worker: Int, _ session: UInt64) {
    switch dispatch.judge(result) {
    case .take(let job):
      if disk[job.id] == nil { complain("job \(job.id.rawValue) was taken after it was settled") }
      if disk[job.id]?.attempts != job.attempts { complain("job \(job.id.rawValue) has miscounted attempts") }
      if writes.contains(where: { $0.result.lease.job == job.id }) {
        complain("job \(job.id.rawValue) was taken twice at once")
      }
      let atMs = nowMs + Int64.random(in: 1...300, using: &random)
      writes.append(Write(atMs: atMs, worker: worker, session: session, result: result, job: job))
    case .answer(let disposition):
      if disposition == .duplicate, disk[result.lease.job] != nil {
        complain("an unsettled job's result is thrown away")
      }
      send(.toWorker(.ack(result.lease, disposition, session: session)), worker)
    case .takeInstead: complain("no worker here asks for leave")
    case .pending: break
    }
  }

  /// The disk: what is due is written, or refused as by a full disk.
  private mutating func commit() {
    let due = writes.filter { $0.atMs <= nowMs }
    writes.removeAll { $0.atMs <= nowMs }
    for write in due {
      let id = write.job.id
      let settlement = Settlement(of: write.result.outcome, job: write.job, using: &random)
      var disposition = Disposition.committed
      if !isCalm, random.happens(5) {
        disposition = .retryLater
        dispatch.delay(id, attempts: write.job.attempts, untilMs: nowMs + 500)
      } else if case .retry(let attempts, let pauseMs) = settlement {
        disk[id]?.attempts = attempts
        dispatch.delay(id, attempts: attempts, untilMs: nowMs + pauseMs)
      } else {
        if disk.removeValue(forKey: id) == nil { complain("job \(id.rawValue) was settled twice") }
        dispatch.settled(id)
      }
      send(.toWorker(.ack(write.result.lease, disposition, session: write.session)), write.worker)
    }
  }

  private mutating func turnIngest() {
    if nowMs - beatMs >= Limits.heartbeatMs {
      beatMs = nowMs
      let losses = dispatch.expire(nowMs: nowMs).losses
      for id in losses.requeued { disk[id]?.leaseLosses += 1 }
      for id in losses.dead {
        if disk.removeValue(forKey: id) == nil { complain("job \(id.rawValue) was settled, then buried") }
        dispatch.settled(id)
      }
      for session in dispatch.sessions.keys.sorted() {
        addresses[session].map { send(.toWorker(.heartbeat(session: session)), $0) }
      }
    }
    for (session, jobs) in dispatch.assign(nowMs: nowMs) {
      for assignment in jobs {
        if disk[assignment.job.id] == nil { complain("a settled job went out") }
        if assignment.lease.token <= lastToken { complain("a token did not rise") }
        lastToken = assignment.lease.token
      }
      addresses[session].map { send(.toWorker(.jobs(jobs.map(\.lease), session: session)), $0) }
    }
  }

  /// What must hold at every moment.
  private mutating func check() {
    var owners: [JobID: UInt64] = [:]
    for (id, session) in dispatch.sessions {
      if session.leases.count > Limits.windowMax { complain("\(session.leases.count) jobs are with one worker") }
      if session.jobsSent - min(session.jobsLost, session.jobsSent) > session.jobLimit {
        complain("more than the credit")
      }
      for job in session.leases where owners.updateValue(id, forKey: job) != nil {
        complain("job \(job.rawValue) is leased to two sessions")
      }
    }
    let known = Set(dispatch.jobs.keys)
    if known != Set(disk.keys) { complain("queue and disk differ: \(known.symmetricDifference(disk.keys))") }
  }
}

/// The workers' side.
extension JobLinkSimulation {
  private mutating func workerReceives(_ text: ToWorker, at index: Int) {
    switch text {
    case .welcome(let session):
      let messages = workers[index].session.welcome(
        session: session, heartbeatMs: Limits.heartbeatMs, livenessMs: Limits.livenessMs, nowMs: nowMs)
      say(messages, index)
    case .reset: workers[index].session.reset()
    case .jobs(let leases, let session):
      guard session == workers[index].session.session else { return }
      workers[index].jobs += workers[index].session.receive(leases, nowMs: nowMs)
    case .ack(let lease, let disposition, let session):
      guard session == workers[index].session.session else { return }
      workers[index].session.acknowledge(lease, disposition, nowMs: nowMs)
    case .heartbeat(let session):
      guard session == workers[index].session.session else { return }
      workers[index].session.heard(nowMs: nowMs)
    }
  }

  /// Some of the jobs at hand are done, and time passes.
  private mutating func work(_ index: Int) {
    if workers[index].session.isDead(nowMs: nowMs) { workers[index].session.reset() }
    let share = isCalm ? 100 : 30
    var results: [JobResult] = []
    for lease in workers[index].jobs where random.happens(share) {
      let kind = random.one(of: [.transient, .transient, .transient, .notStarted, .permanent] as [FailureKind])
      results.append(!isCalm && random.happens(20) ? .failed(lease, kind) : .found(lease))
    }
    workers[index].jobs.removeAll { lease in results.contains { $0.lease == lease } }
    if !results.isEmpty { say(workers[index].session.answer(results, nowMs: nowMs), index) }
    say(workers[index].session.tick(nowMs: nowMs), index)
  }

  private mutating func say(_ messages: [WorkerSession.Message], _ index: Int) {
    let session = workers[index].session.session ?? 0
    for message in messages {
      send(.toIngest(message, session: session, instance: workers[index].instance), index)
    }
  }
}
