import Fuzzing
import Store

@testable import Domain
@testable import SQLiteStore

/// Ingest's process with its state in memory. The process is another shell of `IngestCore`, with messages from the
/// event queue instead of sockets.
struct SimulatedIngest {
  let generation: UInt32
  var core: IngestCore
  var log: ChangeLog
  var gateways: GatewayAdmission
  /// Pending lookups.
  var lookups: Set<JobID> = []
  /// The feed's pending fetches.
  var fetches = PendingFetches<Address>()
  /// Time of the next tick.
  var dueMs = Int64.max
  /// Number of jobs per session that the network has lost. Their credit is lost until the session ends. Real TCP loses
  /// nothing within a connection.
  var lostJobs: [UInt64: Int] = [:]
  /// True while ingest knows the queue as paused.
  var isPaused = false

  mutating func replies(nowMs: Int64) -> [(fetch: PendingFetches<Address>.Fetch, result: ChangeLog.FetchResult)] {
    fetches.replies(from: &log, nowMs: nowMs).map { (fetch: $0, result: $1) }
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

/// Starts, crashes and messages of ingest.
extension Simulation {
  func startIngest() async throws {
    if !isCalm, ledger.ingestStarts > 0, random.happens(15) {
      trace("the store starts a new epoch")
      epochs += 1
      store.beginEpoch()
    }
    if !isCalm, ledger.ingestStarts > 0, addressRandom.happens(30) { ingestAddress = 1 - ingestAddress }
    let start = try await store.open().start()
    beginIngest(start, generation: start.generation)
  }

  /// Begins a run of ingest with the durable state.
  ///
  /// - Parameter generation: Number of the run.
  func beginIngest(_ start: StoreSnapshot, generation number: UInt32) {
    let (jobs, isPaused) = (start.jobs, start.pausedMs != nil)
    trace("ingest starts generation \(number) at address \(ingestAddress) with \(jobs.count) jobs")
    ledger.start(jobs.map(\.job), isPaused: isPaused)
    let generation = injectedBug == .restartsTokens ? 1 : number
    var list = start.list
    if injectedBug == .forgetsDeletions {
      list = FeedState(epoch: list.epoch, seq: list.entries.first?.seq ?? 0, entries: list.entries)
    }
    // With the slow rate an interval lasts longer than a restart.
    let core = IngestCore(
      generation: generation, remotePerSecond: seed % 2 == 0 ? 1 : 0.1, startMs: nowMs,
      isPaused: isPaused && injectedBug != .forgetsPause)
    var started = SimulatedIngest(
      generation: number, core: core, log: ChangeLog(state: list),
      gateways: GatewayAdmission(generation: number))
    started.isPaused = isPaused
    started.core.resume(jobs.map { ($0.job, $0.dueMs) }, unixMs: unixMs, nowMs: nowMs)
    ingest = started
    gateway.connectedMs = max(gateway.connectedMs, nowMs + random.between(50, 500))
    tickIngest()
  }

  /// Crashes ingest.
  func endIngest(_ reason: String) {
    trace("ingest ends: \(reason)")
    ingest = nil
    breakGatewayConnection(pauseMs: 0)
    guard failover == nil else {
      store.forget()
      return endLeader()
    }
    store.crash()
    eventQueue.schedule(.ingestStarts, inMs: random.between(20, 3_000))
  }

  func ingestReceives(_ packet: WorkerPacket, from address: Address) {
    guard ingest != nil else { return }
    switch packet.message {
    case .hello(let held): open(held, packet, address)
    case .credit(let jobLimit): receive(.credit(jobLimit: jobLimit), packet, address)
    case .heartbeat(let jobLimit, let held, let progress):
      let progress = injectedBug == .forgetsProgress ? nil : progress
      receive(.heartbeat(jobLimit: jobLimit, held: held, progress: progress), packet, address)
    case .results(let results): receive(results, packet, address)
    case .goodbye(let leases): receive(.release(leases, isGoodbye: true), packet, address)
    }
    tickIngest()
  }

  private func open(_ held: [Lease], _ packet: WorkerPacket, _ address: Address) {
    let before = ingest?.core.scheduler.sessions.values.first { $0.instance == packet.instance }?.leases ?? []
    let hello = IngestCore.Hello(
      worker: "w\(address.worker)", address: "", instance: packet.instance, held: held,
      remoteIntervalMs: packet.remoteIntervalMs)
    perform(ingest?.core.receive(hello, from: address.peer, nowMs: nowMs) ?? [])
    guard let core = ingest?.core, let session = core.sessions[address.peer] else {
      return ledger.recordViolation("ingest refuses the session of a worker")
    }
    ledger.requeueWithoutLoss(before.subtracting(core.scheduler.sessions[session]?.leases ?? []))
    trace("worker \(address.worker) joins as \(session) with \(held.map(\.job.rawValue))")
  }

  private func receive(_ results: [JobResult], _ packet: WorkerPacket, _ address: Address) {
    for result in results { ledger.report(result) }
    let replies = results.map { result in (lease: leaseOfFailure(result), reply: Optional(result.reply)) }
    receive(.results(replies), packet, address)
    for result in results {
      // A job that waits for a permit needs no write.
      if case .waitingRemote(result.lease, _)? = ingest?.core.scheduler.jobs[result.lease.job]?.state {
        ledger.allowAcknowledgement(of: result.lease)
      }
    }
  }

  /// Returns the lease of a result. An injected bug replaces the lease of a failure with the job's latest lease.
  private func leaseOfFailure(_ result: JobResult) -> Lease {
    guard injectedBug == .acceptsLateFailures, result.reply.isFailure, let token = latestTokens[result.lease.job] else {
      return result.lease
    }
    return Lease(job: result.lease.job, token: token)
  }

  private func receive(_ message: IngestCore.Message, _ packet: WorkerPacket, _ address: Address) {
    let effects = ingest?.core.receive(message, session: packet.session, from: address.peer, nowMs: nowMs)
    perform(effects ?? [])
  }

  func send(_ packet: IngestPacket, to address: Address) {
    let delays = network.delays(between: address, .toWorker, nowMs: nowMs, using: &random)
    for delayMs in delays { eventQueue.schedule(.workerReceives(packet, at: address), inMs: delayMs) }
    if delays.isEmpty, case .jobs(let jobs) = packet.message {
      ingest?.lostJobs[packet.session, default: 0] += jobs.count
    }
  }
}
