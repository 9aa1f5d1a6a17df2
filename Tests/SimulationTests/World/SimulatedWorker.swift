import Domain
import Fuzzing

/// A worker's process with its link and its jobs.
struct SimulatedWorker {
  enum Phase {
    case running
    /// The worker has sent its goodbye.
    case leaving
    case ended
  }

  let hasRemote: Bool
  var phase = Phase.ended
  /// Number of starts.
  var incarnation = 0
  /// Number of connections. Each has another routing id at ingest.
  var connection = 0
  var instance: [UInt8] = []
  var core = WorkerCore(concurrency: 4, nowMs: 0)
  /// Both addresses of ingest.
  var rotation = AddressRotation([0, 1])
  var jobs: [Lease: Job] = [:]
  var isHung = false
  /// Time of the last result.
  var lastResultMs: Int64 = 0
  /// Time of the next tick.
  var dueMs = Int64.max

  init(hasRemote: Bool) { self.hasRemote = hasRemote }

  var session: WorkerSession { core.session }
}

/// A connection of a worker.
struct Address: Hashable {
  let worker: Int
  let connection: Int
}

/// A frame of a worker.
struct WorkerPacket {
  let message: WorkerSession.Message
  let session: UInt64
  let instance: [UInt8]
  let remoteIntervalMs: Int64?
}

/// A frame of ingest.
struct IngestPacket {
  let session: UInt64
  let message: MessageToWorker
}

extension Simulation {
  func startWorker(_ index: Int) {
    starts += 1
    workers[index].phase = .running
    workers[index].incarnation += 1
    workers[index].connection += 1
    workers[index].instance = (0..<16).map { UInt8(truncatingIfNeeded: $0 < 8 ? starts >> (8 * $0) : index) }
    workers[index].core = WorkerCore(concurrency: 4, nowMs: nowMs)
    workers[index].rotation = AddressRotation([0, 1])
    workers[index].jobs = [:]
    workers[index].isHung = false
    workers[index].dueMs = .max
    trace("worker \(index) starts")
    tickWorker(index)
  }

  /// Crashes the worker.
  func endWorker(_ index: Int, _ reason: String) {
    trace("worker \(index) ends: \(reason)")
    workers[index].phase = .ended
    workers[index].incarnation += 1
    workers[index].connection += 1
    workers[index].jobs = [:]
    eventQueue.schedule(.workerStarts(index), inMs: random.between(20, isCalm ? 200 : 4_000))
  }

  func worker(_ index: Int, receives packet: IngestPacket, on connection: Int) {
    guard workers[index].phase != .ended, workers[index].connection == connection else { return }
    switch packet.message {
    case .welcome:
      // A worker ignores WELCOME after its goodbye.
      guard workers[index].phase == .running else { return }
      workers[index].rotation.answered()
      receive(.welcome(heartbeatMs: Limits.heartbeatMs, livenessMs: Limits.livenessMs), packet, index)
    case .reset:
      let isCurrent = packet.session == workers[index].session.session
      receive(.reset, packet, index)
      if isCurrent, workers[index].phase == .leaving { return endWorker(index, "it has left") }
    case .heartbeat: receive(.heartbeat, packet, index)
    case .acks(let acks):
      let before = workers[index].session.unacknowledged
      receive(.acks(acks), packet, index)
      ledger.expect(
        workers[index].session.unacknowledged >= before
          - Set(acks.filter { $0.disposition != .retryLater }.map(\.lease)).count,
        "a worker drops a result that ingest has not stored")
      if mayCrash(.workerHasAcks) { return endWorker(index, "workerHasAcks") }
    case .jobs(let assignments): receive(assignments, packet, index)
    case .busy, .drain: ledger.recordViolation("ingest sends \(packet.message)")
    }
    guard workers[index].phase == .running else { return }
    schedule(index)
  }

  private func receive(_ message: WorkerCore.Message, _ packet: IngestPacket, _ index: Int) {
    perform(workers[index].core.receive(message, session: packet.session, nowMs: nowMs), index)
  }

  private func receive(_ assignments: [JobScheduler.Assignment], _ packet: IngestPacket, _ index: Int) {
    let leases = assignments.map(\.lease)
    guard let accepted = workers[index].core.receive(leases, session: packet.session, nowMs: nowMs) else { return }
    if mayCrash(.workerHasJobs) { return endWorker(index, "workerHasJobs") }
    for assignment in assignments where accepted.contains(assignment.lease) {
      ledger.expect(workers[index].jobs[assignment.lease] == nil, "a worker starts a lease twice")
      if PlaceBehaviour(of: assignment.job.query) == .poison {
        ledger.kill(assignment.lease, isCurrent: ingest?.isCurrent(assignment.lease) ?? false)
        return endWorker(index, "poison \(assignment.job.id.rawValue)")
      }
      if PlaceBehaviour(of: assignment.job.query) == .hanging {
        trace("worker \(index) hangs on \(assignment.job.id.rawValue)")
        workers[index].isHung = true
        hangs += 1
      }
      workers[index].jobs[assignment.lease] = assignment.job
      let longestMs: Int64 = isCalm ? 50 : random.happens(10) ? 4_000 : 300
      let isSlow = PlaceBehaviour(of: assignment.job.query) == .slow
      eventQueue.schedule(
        .workerFinishes(index, incarnation: workers[index].incarnation, assignment.lease),
        inMs: isSlow ? random.between(33_000, 50_000) : random.between(1, longestMs))
    }
  }

  func worker(_ index: Int, finishes lease: Lease, incarnation: Int) {
    guard workers[index].phase == .running, workers[index].incarnation == incarnation, !workers[index].isHung,
      let job = workers[index].jobs.removeValue(forKey: lease)
    else { return }
    if mayCrash(.workerBeforeResults) { return endWorker(index, "workerBeforeResults") }
    workers[index].lastResultMs = nowMs
    let result = JobResult(lease: lease, reply: reply(to: job, at: index))
    trace("worker \(index) reports \(lease.job.rawValue) under \(lease.token): \(result.reply.traceText)")
    perform(workers[index].core.report([result], nowMs: nowMs), index)
    if mayCrash(.workerAfterResults) { return endWorker(index, "workerAfterResults") }
    schedule(index)
  }

  private func reply(to job: Job, at index: Int) -> WorkerReply {
    if !isCalm, random.happens(3) { return .outcome(.failed(.sample(.notStarted))) }
    let places = [Place.sample(job.query)]
    switch PlaceBehaviour(of: job.query) {
    case .found, .poison, .hanging, .slow, nil: return .outcome(.located(places))
    case .nowhere: return .outcome(.notFound)
    case .broken: return .outcome(.failed(.sample(.permanent)))
    case .flaky:
      guard !isCalm, random.happens(70) else { return .outcome(.located(places)) }
      return .outcome(.failed(.sample(.transient, retryAfterMs: random.happens(30) ? 3_000 : 0)))
    case .stubborn: return .outcome(.failed(.sample(.transient)))
    case .street:
      return workers[index].hasRemote && !job.isRemote ? .needsRemote(places) : .outcome(.located(places))
    }
  }

  func tickWorker(_ index: Int) {
    guard workers[index].phase == .running else { return }
    if workers[index].session.session == nil { workers[index].rotation.awaitAnswer() }
    if injectedBug != .staysAtAddress {
      perform(workers[index].rotation.tick(nowMs: nowMs, using: &addressRandom), index)
    }
    var effects = workers[index].core.tick(nowMs: nowMs)
    if injectedBug == .forgetsOutbox { effects.removeAll { if case .send(.results, _) = $0 { true } else { false } } }
    perform(effects, index)
    schedule(index)
  }

  /// Starts the graceful shutdown of a worker.
  func drainWorker(_ index: Int) {
    guard workers[index].phase == .running else { return }
    trace("worker \(index) sends its goodbye")
    drains += 1
    perform(workers[index].core.drain(), index)
    workers[index].phase = .leaving
    workers[index].jobs = [:]
    eventQueue.schedule(.workerLeaves(index, incarnation: workers[index].incarnation), inMs: Limits.goodbyeTimeoutMs)
  }

  private func schedule(_ index: Int) {
    let nextMs = min(workers[index].core.nextMs(nowMs: nowMs), workers[index].rotation.nextMs)
    let dueMs = min(max(nextMs, nowMs + 1), nowMs + 2_000)
    guard dueMs < workers[index].dueMs || workers[index].dueMs <= nowMs else { return }
    workers[index].dueMs = dueMs
    eventQueue.schedule(.workerTicks(index, incarnation: workers[index].incarnation, atMs: dueMs), inMs: dueMs - nowMs)
  }

  /// Performs effects as `JobClient` does.
  private func perform(_ effects: [WorkerCore.Effect], _ index: Int) {
    for effect in effects {
      switch effect {
      case .send(let message, let session): send(message, session: session, from: index)
      case .reconnect where injectedBug == .staysAtAddress: workers[index].connection += 1
      case .reconnect: perform(workers[index].rotation.leave(.silent, nowMs: nowMs, using: &addressRandom), index)
      case .joined, .left: break
      }
    }
  }

  /// Performs a change of the address as `JobClient` does.
  private func perform(_ step: AddressRotation<Int>.Step?, _ index: Int) {
    guard let step else { return }
    trace("worker \(index): \(step)")
    workers[index].connection += 1
    switch step {
    case .left:
      addressChanges += 1
      let untilMs = workers[index].rotation.pausedUntilMs ?? nowMs
      workers[index].core.pause(untilMs: untilMs)
    case .connect: workers[index].core.connected()
    }
  }

  private func send(_ message: WorkerSession.Message, session: UInt64, from index: Int) {
    let rotation = workers[index].rotation
    let isConnected = ingest != nil && rotation.pausedUntilMs == nil && rotation.current == ingestAddress
    workers[index].rotation.sent(isAccepted: isConnected, nowMs: nowMs)
    // HELLO without a connection cannot be sent.
    guard isConnected else {
      if case .hello = message { workers[index].core.helloFailed() }
      return
    }
    let packet = WorkerPacket(
      message: message, session: session, instance: workers[index].instance,
      remoteIntervalMs: workers[index].hasRemote ? 0 : nil)
    var address = Address(worker: index, connection: workers[index].connection)
    // A worker with a session notices earlier by its liveness timeout.
    if workers[index].session.session == nil, network.isEnded(address, nowMs: nowMs) {
      workers[index].connection += 1
      address = Address(worker: index, connection: workers[index].connection)
    }
    for delayMs in network.delays(between: address, .toIngest, nowMs: nowMs, using: &random) {
      eventQueue.schedule(.ingestReceives(packet, from: address), inMs: delayMs)
    }
  }
}

extension WorkerReply {
  fileprivate var traceText: String {
    switch self {
    case .outcome(.located): "located"
    case .outcome(.notFound): "not found"
    case .outcome(.failed(let failure)): "\(failure.kind)"
    case .needsRemote: "needs remote"
    }
  }
}

extension JobOutcome.Failure {
  fileprivate static func sample(_ kind: Kind, retryAfterMs: Int64 = 0) -> Self {
    .init(kind: kind, code: "down", detail: "try again", retryAfterMs: retryAfterMs)
  }
}

extension Place {
  /// A place whose label contains the query.
  static func sample(_ query: String) -> Place {
    guard let point = Coordinate(latitude: 59.9, longitude: 10.7) else {
      preconditionFailure("The point is on the earth.")
    }
    return Place(
      coordinate: point, level: .city, match: .exact, confidence: 0.9, label: "Here: \(query)", name: "Here",
      region: "", country: "Norway", countryCode: "NO")
  }
}
