import Fuzzing
import Store

@testable import Domain
@testable import SQLiteStore

/// Ingest's process: its rules, and what it keeps in memory. This is another shell of `IngestCore`: what comes in over
/// sockets in production comes from the agenda here.
struct SimulatedIngest {
  let generation: UInt32
  var core: IngestCore
  var log: ChangeLog
  /// Lookups without an answer.
  var lookups: Set<JobID> = []
  /// The feed's fetches that wait for something new.
  var fetches = PendingFetches<Address>()
  /// When it turns next.
  var dueMs = Int64.max
  /// Jobs that the network lost on their way to a session. Their credit is gone until the session ends: TCP loses
  /// nothing within a connection.
  var lostJobs: [UInt64: Int] = [:]
  /// The queue is paused, and ingest knows it.
  var isHeld = false

  mutating func replies(nowMs: Int64) -> [(fetch: PendingFetches<Address>.Fetch, answer: ChangeLog.FetchResult)] {
    fetches.replies(from: &log, nowMs: nowMs)
  }

  func isCurrent(_ lease: Lease) -> Bool {
    if case .leased(lease.token, _, _)? = core.scheduler.jobs[lease.job]?.state { true } else { false }
  }
}

extension Address {
  /// The routing id of the connection.
  var peer: IngestCore.Peer { [UInt8(worker)] + withUnsafeBytes(of: UInt32(connection).bigEndian, Array.init) }

  init(_ peer: IngestCore.Peer) {
    self.init(worker: Int(peer[0]), connection: peer.dropFirst().reduce(0) { $0 << 8 | Int($1) })
  }
}

/// What comes in.
extension Simulation {
  func startIngest() async throws {
    if !isCalm, ledger.restarts > 0, random.happens(15) {
      trace("the store begins a new history")
      epochs += 1
      store.beginEpoch()
    }
    let database = try await store.open()
    let start = try database.start()
    let (jobs, isPaused) = (start.jobs, start.pausedMs != nil)
    trace("ingest starts, number \(start.generation), with \(jobs.count) jobs")
    ledger.start(jobs.map(\.job), isPaused: isPaused)
    let generation = injectedBug == .startsTokensAnew ? 1 : start.generation
    var list = start.list
    if injectedBug == .forgetsDeletions {
      list = FeedState(epoch: list.epoch, seq: list.entries.first?.seq ?? 0, entries: list.entries)
    }
    // A slow rate lasts longer than a restart.
    let core = IngestCore(
      generation: generation, remotePerSecond: seed % 2 == 0 ? 1 : 0.1, startMs: nowMs,
      isPaused: isPaused && injectedBug != .forgetsPause)
    var started = SimulatedIngest(generation: start.generation, core: core, log: ChangeLog(state: list))
    started.isHeld = isPaused
    started.core.resume(jobs.map { ($0.job, $0.dueMs) }, unixMs: unixMs, nowMs: nowMs)
    ingest = started
    tickIngest()
  }

  /// The process ends without a word.
  func endIngest(_ reason: String) {
    trace("ingest ends: \(reason)")
    ingest = nil
    store.crash()
    eventQueue.schedule(.ingestStarts, inMs: random.between(20, 3_000))
  }

  func ingestReceives(_ letter: WorkerPacket, from address: Address) {
    guard ingest != nil else { return }
    switch letter.message {
    case .hello(let held): open(held, letter, address)
    case .ready(let jobLimit): receive(.ready(jobLimit: jobLimit), letter, address)
    case .heartbeat(let jobLimit, let held, let progress):
      let progress = injectedBug == .forgetsProgress ? nil : progress
      receive(.heartbeat(jobLimit: jobLimit, held: held, progress: progress), letter, address)
    case .results(let results): receive(results, letter, address)
    case .goodbye(let leases): receive(.release(leases, isGoodbye: true), letter, address)
    }
    tickIngest()
  }

  private func open(_ held: [Lease], _ letter: WorkerPacket, _ address: Address) {
    let before = ingest?.core.scheduler.sessions.values.first { $0.instance == letter.instance }?.leases ?? []
    let hello = IngestCore.Hello(
      worker: "w\(address.worker)", address: "", instance: letter.instance, held: held,
      remoteIntervalMs: letter.remoteIntervalMs)
    perform(ingest?.core.receive(hello, from: address.peer, nowMs: nowMs) ?? [])
    guard let core = ingest?.core, let session = core.sessions[address.peer] else {
      return ledger.recordViolation("there is no room for so few workers")
    }
    ledger.excuse(before.subtracting(core.scheduler.sessions[session]?.leases ?? []))
    trace("worker \(address.worker) joins as \(session) with \(held.map(\.job.rawValue))")
  }

  private func receive(_ results: [JobResult], _ letter: WorkerPacket, _ address: Address) {
    for result in results { ledger.report(result) }
    let answers = results.map { result in (lease: leaseOfFailure(result), answer: Optional(result.reply)) }
    receive(.results(answers), letter, address)
    for result in results {
      // It waits for a permit: there is nothing to store.
      if case .waiting(result.lease, _)? = ingest?.core.scheduler.jobs[result.lease.job]?.state {
        ledger.answer(result.lease)
      }
    }
  }

  /// The mistake: a failure counts, whatever its lease.
  private func leaseOfFailure(_ result: JobResult) -> Lease {
    guard injectedBug == .takesLateFailures, result.reply.isFailure, let token = current[result.lease.job] else {
      return result.lease
    }
    return Lease(job: result.lease.job, token: token)
  }

  private func receive(_ message: IngestCore.Message, _ letter: WorkerPacket, _ address: Address) {
    let effects = ingest?.core.receive(message, session: letter.session, from: address.peer, nowMs: nowMs)
    perform(effects ?? [])
  }

  func send(_ letter: IngestPacket, to address: Address) {
    let delays = network.delays(between: address, .toWorker, nowMs: nowMs, using: &random)
    for delayMs in delays { eventQueue.schedule(.workerReceives(letter, at: address), inMs: delayMs) }
    if delays.isEmpty, case .jobs(let jobs) = letter.message {
      ingest?.lostJobs[letter.session, default: 0] += jobs.count
    }
  }
}
