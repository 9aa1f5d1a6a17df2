@testable import OnTheMap
@testable import Store

/// Ingest's process: the rules of its end of the link, and what it keeps in memory.
struct SimulatedIngest {
  struct Taken {
    let session: UInt64
    let result: JobResult
    let job: Job
  }

  let boot: UInt32
  var dispatch: Dispatch
  var log: ChangeLog
  var peers: [UInt64: Address] = [:]
  var sessions: [Address: UInt64] = [:]
  var taken: [Taken] = []
  var acks: [UInt64: [(lease: Lease, disposition: Disposition)]] = [:]
  var lookups: Set<JobID> = []
  var beatMs: Int64
  /// When it turns next.
  var dueMs = Int64.max
  /// It was paused at its start, and nobody has let it go on.
  var isHeld = false

  func isCurrent(_ lease: Lease) -> Bool {
    if case .leased(lease.token, _, _)? = dispatch.jobs[lease.job]?.state { true } else { false }
  }
}

/// What comes in.
extension Simulation {
  func startIngest() async throws {
    let database = try await store.open()
    let jobs = try database.unsettledJobs()
    let isPaused = try database.pausedMs() != nil
    trace("ingest starts, number \(database.boot), with \(jobs.count) jobs")
    ledger.start(jobs.map(\.job), isPaused: isPaused)
    let boot = canary == .startsTokensAnew ? 1 : database.boot
    var list = try database.feed()
    if canary == .forgetsDeletions {
      list = FeedState(epoch: list.epoch, seq: list.entries.first?.seq ?? 0, entries: list.entries)
    }
    var started = SimulatedIngest(
      boot: database.boot, dispatch: Dispatch(boot: boot, startMs: nowMs), log: ChangeLog(state: list),
      beatMs: nowMs)
    started.isHeld = isPaused
    started.dispatch.isPaused = isPaused && canary != .forgetsPause
    for (job, dueMs) in jobs {
      let pauseMs = min(max(0, dueMs - unixMs), Limits.backoffCapMs)
      started.dispatch.resume(job, untilMs: pauseMs > 0 ? nowMs + pauseMs : nil)
    }
    ingest = started
    turnIngest()
  }

  /// The process ends without a word.
  func endIngest(_ reason: String) {
    trace("ingest ends: \(reason)")
    ingest = nil
    store.crash()
    agenda.put(.ingestStarts, inMs: random.between(20, 3_000))
  }

  func ingestReceives(_ letter: WorkerLetter, from address: Address) {
    guard ingest != nil else { return }
    if case .hello(let held) = letter.message {
      open(held, letter, address)
    } else if let session = ingest?.sessions[address], session == letter.session,
      ingest?.dispatch.heard(session, nowMs: nowMs) == true
    {
      hear(letter.message, session)
    } else {
      send(IngestLetter(session: letter.session, message: .reset), to: address)
    }
    turnIngest()
  }

  private func open(_ held: [Lease], _ letter: WorkerLetter, _ address: Address) {
    if let earlier = ingest?.sessions[address], ingest?.dispatch.sessions[earlier]?.instance != letter.instance {
      close(earlier)
    }
    let before = ingest?.dispatch.sessions.values.first { $0.instance == letter.instance }?.leases ?? []
    guard
      let opened = ingest?.dispatch.open(
        worker: "w\(address.worker)", instance: letter.instance, held: held,
        remoteIntervalMs: letter.remoteIntervalMs, nowMs: nowMs)
    else { return ledger.complain("there is no room for so few workers") }
    if let replaced = opened.replaced, let old = ingest?.peers.removeValue(forKey: replaced) {
      ingest?.sessions[old] = nil
      if old != address { send(IngestLetter(session: replaced, message: .reset), to: old) }
    }
    ledger.excuse(before.subtracting(ingest?.dispatch.sessions[opened.session]?.leases ?? []))
    trace("worker \(address.worker) joins as \(opened.session) with \(held.map(\.job.rawValue))")
    ingest?.peers[opened.session] = address
    ingest?.sessions[address] = opened.session
    send(IngestLetter(session: opened.session, message: .welcome), to: address)
  }

  private func hear(_ message: WorkerSession.Message, _ session: UInt64) {
    switch message {
    case .hello: break
    case .ready(let jobLimit): ingest?.dispatch.grant(jobLimit, to: session)
    case .heartbeat(let jobLimit, let held, let progress):
      ingest?.dispatch.heartbeat(
        session, jobLimit: jobLimit, held: held, progress: canary == .forgetsProgress ? nil : progress, nowMs: nowMs)
    case .results(let results): for result in results { judge(result, session) }
    case .goodbye(let leases):
      let address = ingest?.peers[session]
      ingest?.dispatch.release(leases, of: session)
      close(session)
      if let address { send(IngestLetter(session: session, message: .reset), to: address) }
    }
  }

  private func close(_ session: UInt64) {
    guard let address = ingest?.peers.removeValue(forKey: session) else { return }
    ingest?.sessions[address] = nil
    if let losses = ingest?.dispatch.close(session, blamed: false) { lose(losses) }
  }

  private func judge(_ result: JobResult, _ session: UInt64) {
    let id = result.lease.job
    switch ingest?.dispatch.judge(result) {
    case .take(let job):
      if case .failed = result.outcome {
        ledger.expect(current[id] == result.lease.token, "a failure of \(id.rawValue) under an old lease counts")
      }
      take(result, job, session)
    case .takeInstead(let job, let outcome):
      take(JobResult(lease: result.lease, outcome: outcome), job, session)
    case .answer(.stale) where canary == .takesLateFailures:
      guard let job = ingest?.dispatch.jobs[id]?.job, ingest?.isSettling(id) == false else { return }
      ledger.expect(current[id] == result.lease.token, "a failure of \(id.rawValue) under an old lease counts")
      ingest?.dispatch.jobs[id]?.state = .settling
      take(result, job, session)
    case .answer(let disposition):
      if disposition == .committed { ledger.answer(result.lease) }
      if disposition == .duplicate, let post = id.post, ledger.queued.contains(post) {
        ledger.expect(store.entering.contains(post), "a result of \(id.rawValue), which is not settled, is thrown away")
      }
      acknowledge(result.lease, session, disposition)
    case .pending, nil: break
    }
  }

  private func take(_ result: JobResult, _ job: Job, _ session: UInt64) {
    ingest?.taken.append(.init(session: session, result: result, job: job))
    if canary == .acknowledgesBeforeCommit { acknowledge(result.lease, session, .committed) }
  }

  func acknowledge(_ lease: Lease, _ session: UInt64, _ disposition: Disposition) {
    ledger.tell(lease, disposition)
    ingest?.acks[session, default: []].append((lease, disposition))
  }

  func send(_ letter: IngestLetter, to address: Address) {
    for delayMs in network.delays(between: address.worker, .toWorker, nowMs: nowMs, using: &random) {
      agenda.put(.workerReceives(letter, at: address), inMs: delayMs)
    }
  }
}

extension SimulatedIngest {
  fileprivate func isSettling(_ id: JobID) -> Bool {
    if case .settling? = dispatch.jobs[id]?.state { true } else { false }
  }
}
