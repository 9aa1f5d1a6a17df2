import Domain
import Fuzzing

/// A worker's process: its end of the link, and the jobs at hand.
struct SimulatedWorker {
  enum Phase {
    case running
    /// It has said goodbye.
    case leaving
    case gone
  }

  let hasRemote: Bool
  var phase = Phase.gone
  /// Counts its starts.
  var incarnation = 0
  /// Counts its connections: each has another identity at ingest.
  var connection = 0
  var instance: [UInt8] = []
  var session = WorkerSession(concurrency: 4, nowMs: 0)
  var jobs: [Lease: Job] = [:]
  var isHung = false
  /// When it ticks next.
  var dueMs = Int64.max

  init(hasRemote: Bool) { self.hasRemote = hasRemote }
}

/// Which connection of which worker.
struct Address: Hashable {
  let worker: Int
  let connection: Int
}

/// A frame of a worker.
struct WorkerLetter {
  let message: WorkerSession.Message
  let session: UInt64
  let instance: [UInt8]
  let remoteIntervalMs: Int64?
}

/// A frame of ingest.
struct IngestLetter {
  let session: UInt64
  let message: IngestSpeech
}

extension Simulation {
  func startWorker(_ index: Int) {
    starts += 1
    workers[index].phase = .running
    workers[index].incarnation += 1
    workers[index].connection += 1
    workers[index].instance = (0..<16).map { UInt8(truncatingIfNeeded: $0 < 8 ? starts >> (8 * $0) : index) }
    workers[index].session = WorkerSession(concurrency: 4, nowMs: nowMs)
    workers[index].jobs = [:]
    workers[index].isHung = false
    workers[index].dueMs = .max
    trace("worker \(index) starts")
    tickWorker(index)
  }

  /// The process ends without a word.
  func endWorker(_ index: Int, _ reason: String) {
    trace("worker \(index) ends: \(reason)")
    workers[index].phase = .gone
    workers[index].incarnation += 1
    workers[index].connection += 1
    workers[index].jobs = [:]
    agenda.put(.workerStarts(index), inMs: random.between(20, isCalm ? 200 : 4_000))
  }

  func worker(_ index: Int, receives letter: IngestLetter, on connection: Int) {
    guard workers[index].phase != .gone, workers[index].connection == connection else { return }
    let isOwn = letter.session == workers[index].session.session
    switch letter.message {
    case .welcome:
      guard workers[index].phase == .running else { return }
      say(
        workers[index].session.welcome(
          session: letter.session, heartbeatMs: Limits.heartbeatMs, livenessMs: Limits.livenessMs, nowMs: nowMs),
        index)
    case .reset:
      guard isOwn else { return }
      workers[index].session.reset()
      if workers[index].phase == .leaving { return endWorker(index, "it has left") }
    case .heartbeat:
      guard isOwn else { return }
      workers[index].session.heard(nowMs: nowMs)
    case .acks(let acks):
      guard isOwn else { return }
      for ack in acks { workers[index].session.acknowledge(ack.lease, ack.disposition, nowMs: nowMs) }
      if mayCrash(.workerHasAcks) { return endWorker(index, "workerHasAcks") }
    case .jobs(let assignments):
      guard isOwn else { return }
      receive(assignments, index)
    case .busy, .drain: ledger.complain("ingest says \(letter.message)")
    }
    guard workers[index].phase == .running else { return }
    schedule(index)
  }

  private func receive(_ assignments: [Dispatch.Assignment], _ index: Int) {
    let wanted = Set(workers[index].session.receive(assignments.map(\.lease), nowMs: nowMs))
    if mayCrash(.workerHasJobs) { return endWorker(index, "workerHasJobs") }
    for assignment in assignments where wanted.contains(assignment.lease) {
      if Nature(of: assignment.job.query) == .poison {
        ledger.kill(assignment.lease, isCurrent: ingest?.isCurrent(assignment.lease) ?? false)
        return endWorker(index, "poison \(assignment.job.id.rawValue)")
      }
      if Nature(of: assignment.job.query) == .hanging {
        trace("worker \(index) hangs on \(assignment.job.id.rawValue)")
        workers[index].isHung = true
        hangs += 1
      }
      workers[index].jobs[assignment.lease] = assignment.job
      let slowest: Int64 = isCalm ? 50 : random.happens(10) ? 4_000 : 300
      agenda.put(
        .workerFinishes(index, incarnation: workers[index].incarnation, assignment.lease),
        inMs: random.between(1, slowest))
    }
  }

  func worker(_ index: Int, finishes lease: Lease, incarnation: Int) {
    guard workers[index].phase == .running, workers[index].incarnation == incarnation, !workers[index].isHung,
      let job = workers[index].jobs.removeValue(forKey: lease)
    else { return }
    if mayCrash(.workerBeforeResults) { return endWorker(index, "workerBeforeResults") }
    let result = JobResult(lease: lease, answer: answer(to: job, at: index))
    trace("worker \(index) answers \(lease.job.rawValue) under \(lease.token): \(result.answer.word)")
    say(workers[index].session.answer([result], nowMs: nowMs), index)
    if mayCrash(.workerAfterResults) { return endWorker(index, "workerAfterResults") }
    schedule(index)
  }

  private func answer(to job: Job, at index: Int) -> WorkerAnswer {
    if !isCalm, random.happens(3) { return .outcome(.failed(.sample(.notStarted))) }
    let places = [Place.sample(job.query)]
    switch Nature(of: job.query) {
    case .found, .poison, .hanging, nil: return .outcome(.located(places))
    case .nowhere: return .outcome(.notFound)
    case .broken: return .outcome(.failed(.sample(.permanent)))
    case .flaky:
      return .outcome(!isCalm && random.happens(70) ? .failed(.sample(.transient)) : .located(places))
    case .street:
      return workers[index].hasRemote && !job.isRemote ? .needsRemote(places) : .outcome(.located(places))
    }
  }

  func tickWorker(_ index: Int) {
    guard workers[index].phase == .running else { return }
    if workers[index].session.isDead(nowMs: nowMs) {
      trace("worker \(index) connects anew")
      workers[index].session.reset()
      workers[index].connection += 1
    }
    var messages = workers[index].session.tick(nowMs: nowMs)
    if canary == .forgetsOutbox { messages.removeAll { if case .results = $0 { true } else { false } } }
    say(messages, index)
    schedule(index)
  }

  /// Its process is asked to end.
  func drainWorker(_ index: Int) {
    guard workers[index].phase == .running else { return }
    trace("worker \(index) says goodbye")
    drains += 1
    say(workers[index].session.drain(), index)
    workers[index].phase = .leaving
    workers[index].jobs = [:]
    agenda.put(.workerLeaves(index, incarnation: workers[index].incarnation), inMs: Limits.leaveMs)
  }

  private func schedule(_ index: Int) {
    let session = workers[index].session
    let dueMs = min(max(session.nextMs, nowMs + (session.session == nil ? 100 : 1)), nowMs + 2_000)
    guard dueMs < workers[index].dueMs || workers[index].dueMs <= nowMs else { return }
    workers[index].dueMs = dueMs
    agenda.put(.workerTicks(index, incarnation: workers[index].incarnation, atMs: dueMs), inMs: dueMs - nowMs)
  }

  private func say(_ messages: [WorkerSession.Message], _ index: Int) {
    for message in messages {
      // Without a connection HELLO is refused at once; the rest is repeated by the session's rules.
      guard ingest != nil else {
        if case .hello = message { workers[index].session.helloFailed() }
        continue
      }
      let letter = WorkerLetter(
        message: message, session: workers[index].session.session ?? 0, instance: workers[index].instance,
        remoteIntervalMs: workers[index].hasRemote ? 0 : nil)
      let address = Address(worker: index, connection: workers[index].connection)
      for delayMs in network.delays(between: index, .toIngest, nowMs: nowMs, using: &random) {
        agenda.put(.ingestReceives(letter, from: address), inMs: delayMs)
      }
    }
  }
}

extension WorkerAnswer {
  fileprivate var word: String {
    switch self {
    case .outcome(.located): "located"
    case .outcome(.notFound): "not found"
    case .outcome(.failed(let failure)): "\(failure.kind)"
    case .needsRemote: "needs remote"
    }
  }
}

extension JobOutcome.Failure {
  fileprivate static func sample(_ kind: Kind) -> Self { .init(kind: kind, code: "down", detail: "try again") }
}

extension Place {
  /// Tells which text it is the answer to.
  static func sample(_ query: String) -> Place {
    guard let point = Coordinate(latitude: 59.9, longitude: 10.7) else {
      preconditionFailure("The point is on the earth.")
    }
    return Place(
      coordinate: point, level: .city, match: .exact, confidence: 0.9, label: "Here: \(query)", name: "Here",
      region: "", country: "Norway", countryCode: "NO")
  }
}
