package import Domain
package import Logging
import SwiftProtobuf

/// Ingest's end of the job link: a ROUTER, the shell of `IngestCore` on the reactor's thread.
///
/// The server decodes frames, passes messages and results of the store to the core, and performs the core's effects.
/// `perform` gets the effects that are neither for workers nor for the log.
package final class JobServer: ReactorSocket {
  /// A command from ingest. Any thread may enqueue it.
  package enum Command: Sendable {
    /// A result of the store, in the order of the commits.
    case committed(IngestCore.Committed)
    /// Jobs that were in the store at the start, each with the earliest time to send it, in milliseconds since 1970.
    case resume([(job: Job, dueMs: Int64)], unixMs: Int64)
    /// A lookup, which is not in the store.
    case lookUp(Job)
    /// Lookups whose clients have disconnected.
    case cancel([JobID])
  }

  package let socket: Socket
  /// Address with the actual port.
  package let endpoint: Endpoint
  private let commands: CommandQueue<Command>
  private let logger: Logger
  private let perform: @Sendable (IngestCore.Effect) -> Void
  private let onQueueWait: @Sendable (Int64) -> Void
  private let start: IngestStart
  private var core: IngestCore
  private var random = SystemRandomNumberGenerator()
  private var malformed = MalformedFrames("jobs")
  private var quarantine = PeerQuarantine()
  private let meters = JobMeters()

  /// Creates the server. Reactor's thread only, like every method here.
  ///
  /// - Parameters:
  ///   - start: The start of ingest. Its generation is above those of all earlier lease tokens.
  ///   - remotePerSecond: See `JobScheduler`.
  ///   - isPaused: True if the operator has paused the queue.
  ///   - curve: Keys of the link. Nil disables encryption.
  ///   - perform: Handler of effects that are neither for workers nor for the log. It runs on the reactor's thread and
  ///     must not block.
  ///   - onQueueWait: Handler of `JobScheduler.longestWaitMs`, every `Limits.heartbeatMs`. It runs on the reactor's
  ///     thread and must not block.
  package init(
    _ context: Reactor.Context, bind: Endpoint, start: IngestStart, remotePerSecond: Double = Limits.remotePerSecond,
    isPaused: Bool = false, curve: CurveServer? = nil, commands: CommandQueue<Command>, logger: Logger,
    perform: @escaping @Sendable (IngestCore.Effect) -> Void,
    onQueueWait: @escaping @Sendable (Int64) -> Void = { _ in }
  ) throws(LinkError) {
    socket = try context.socket(.router, frameBytesMax: Limits.jobFrameBytesMax)
    try socket.set(ZMQOption.routerMandatory, 1)
    socket.keepsSender = true
    endpoint = try context.bind(socket, bind, as: .jobs, curve: curve, logger: logger)
    core = IngestCore(
      generation: start.generation, remotePerSecond: remotePerSecond, startMs: Reactor.nowMs, isPaused: isPaused)
    self.start = start
    self.commands = commands
    self.logger = logger
    self.perform = perform
    self.onQueueWait = onQueueWait
  }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    let peer = frames.first ?? []
    guard !quarantine.isQuarantined(peer, nowMs: nowMs) else { return }
    let frame: WorkerFrame
    switch WorkerMessage(frames.dropFirst()) {
    case .results(let session, let results)?:
      note(results, nowMs: nowMs)
      return run(core.receive(.results(results), session: session, from: peer, nowMs: nowMs))
    case .other(let other)?: frame = other
    case nil: return refuse(peer, .malformed, "not a WorkerFrame of this protocol", nowMs: nowMs)
    }
    // Check the version before the body: another major version may have bodies that are unknown here.
    guard frame.major == Protocol.major else {
      return refuse(peer, .unsupportedVersion, "this ingest supports version \(Protocol.major) only", nowMs: nowMs)
    }
    guard frame.body != nil || frame.minor > Protocol.minor else {
      return refuse(peer, .malformed, "a WorkerFrame without a body of this protocol", nowMs: nowMs)
    }
    if case .hello(let hello)? = frame.body { return open(hello, peer: peer, nowMs: nowMs) }
    run(core.receive(IngestCore.Message(frame), session: frame.session, from: peer, nowMs: nowMs))
  }

  private func open(_ hello: Onthemap_Jobs_V1_Hello, peer: [UInt8], nowMs: Int64) {
    guard (hello.minMajor...max(hello.minMajor, hello.maxMajor)).contains(Protocol.major) else {
      return refuse(peer, .unsupportedVersion, "this ingest supports version \(Protocol.major) only", nowMs: nowMs)
    }
    if let fault = hello.fault { return refuse(peer, .malformed, fault, nowMs: nowMs) }
    run(core.receive(IngestCore.Hello(hello, address: socket.sender), from: peer, nowMs: nowMs))
  }

  package func tick(nowMs: Int64) -> Int64 {
    for command in commands.drain() {
      switch command {
      case .committed(let committed): run(core.committed(committed, nowMs: nowMs))
      case .resume(let jobs, let unixMs): core.resume(jobs, unixMs: unixMs, nowMs: nowMs)
      case .lookUp(let job): core.enqueueLookup(job)
      case .cancel(let lookups): for lookup in lookups { core.cancel(lookup) }
      }
    }
    let isHeartbeat = core.isHeartbeatDue(nowMs: nowMs)
    run(core.tick(nowMs: nowMs, using: &random))
    // Repeat until there is nothing to assign, because a job that one worker did not get goes to another worker.
    while true {
      let effects = core.assign(nowMs: nowMs)
      if effects.isEmpty { break }
      run(effects)
    }
    meters.count(redelivered: core.scheduler.redelivered)
    if isHeartbeat { onQueueWait(core.scheduler.longestWaitMs(nowMs: nowMs)) }
    return core.nextMs
  }

  package func shutDown() { run(core.drain()) }

  private func run(_ effects: [IngestCore.Effect]) {
    for effect in effects {
      switch effect {
      case .send(let message, let session, let peer): send(message, session: session, to: peer)
      case .log(let event): log(event)
      case .store, .lookupEnded, .publish, .settled, .lossesCounted, .leftQueue: perform(effect)
      }
    }
  }

  private func send(_ message: MessageToWorker, session: UInt64, to peer: [UInt8]) {
    switch message {
    case .jobs(let jobs):
      if socket.send(peer, JobCodec.jobs(jobs, session: session)) != .accepted {
        core.sendFailed(jobs, to: session)
      }
    case .acks(let acks):
      for first in stride(from: 0, to: acks.count, by: Limits.acksPerFrameMax) {
        socket.send(
          peer, JobCodec.acks(acks[first..<min(first + Limits.acksPerFrameMax, acks.count)], session: session))
      }
      meters.count(acks)
    case .busy: refuse(peer, .busy, "session limit of \(Limits.sessionsMax) workers reached")
    case .welcome, .heartbeat, .reset, .drain:
      if let body = message.body(start) { socket.send(peer, IngestFrame(session: session, body).bytes) }
    }
  }

  private func log(_ event: IngestCore.Event) {
    switch event {
    case .workerJoined(let origin, let held):
      logger.info("worker connected", metadata: origin.metadata.merging(["held_leases": "\(held)"]) { $1 })
    case .workerLeft(let origin, let reason):
      logger.info("worker disconnected", metadata: origin.metadata.merging(["reason": "\(reason)"]) { $1 })
    case .workerLost(let origin):
      let reason = "no message for \(Limits.livenessMs) ms"
      logger.warning("worker lost", metadata: origin.metadata.merging(["reason": "\(reason)"]) { $1 })
    case .workerStalled(let origin, let leases):
      logger.warning(
        "worker stalled: dispatch suspended", metadata: origin.metadata.merging(["leases": "\(leases)"]) { $1 })
    case .workerRecovered(let origin):
      logger.notice("worker recovered: dispatch resumed", metadata: origin.metadata)
    case .workersLostOverPosts(let requeued, let dead):
      logger.warning("leases lost", metadata: ["requeued": "\(requeued)", "dead": "\(dead)"])
    }
  }

  /// Counts results that the protocol forbids. Logs at most one such result a second.
  private func note(_ results: [WorkerMessage.DecodedResult], nowMs: Int64) {
    for result in results where result.reply == nil && malformed.add(nowMs: nowMs) {
      logger.warning("malformed result received", metadata: ["total": "\(malformed.count)"])
    }
  }

  /// Counts a malformed frame. Logs it and replies at most once a second.
  private func refuse(
    _ peer: [UInt8], _ code: Onthemap_Jobs_V1_ErrorCode, _ detail: String, nowMs: Int64
  ) {
    if code == .malformed, quarantine.recordMalformed(peer, nowMs: nowMs) {
      run(core.disconnect(peer, reason: "malformed frames"))
      logger.warning(
        "peer quarantined: too many malformed frames", metadata: ["quarantine_ms": "\(Limits.quarantineMs)"])
      refuse(
        peer, code, "quarantined for \(Limits.quarantineMs) ms after \(Limits.malformedFramesMax) malformed frames")
    }
    guard malformed.add(nowMs: nowMs) else { return }
    malformed.log(detail, to: logger)
    refuse(peer, code, detail)
  }

  private func refuse(_ peer: [UInt8], _ code: Onthemap_Jobs_V1_ErrorCode, _ detail: String) {
    let error = Onthemap_Jobs_V1_Error.with {
      $0.code = code
      $0.detail = detail
      $0.minMajor = Protocol.major
      $0.maxMajor = Protocol.major
      $0.retryAfterMs = UInt32(Limits.quarantineMs)
    }
    socket.send(peer, IngestFrame(session: 0, .error(error)).bytes)
  }
}

/// State for the operator. Reactor's thread only.
extension JobServer {
  func snapshot(nowMs: Int64) -> QueueSnapshot { core.scheduler.snapshot(nowMs: nowMs) }
  func rates(nowMs: Int64) -> QueueRates.Readings { core.rates.readings(nowMs: nowMs) }
  func placement(of post: PostID, nowMs: Int64) -> QueuePlacement? {
    core.scheduler.placement(of: post, nowMs: nowMs)
  }
  func placements(in state: QueueState?, after: PostID?, limit: Int, nowMs: Int64) -> [QueuePlacement] {
    core.scheduler.placements(in: state, after: after, limit: limit, nowMs: nowMs)
  }
}

extension IngestCore.WorkerOrigin {
  fileprivate var metadata: Logger.Metadata { ["worker": "\(name)", "address": "\(address)"] }
}

extension IngestCore.Hello {
  fileprivate init(_ hello: Onthemap_Jobs_V1_Hello, address: String) {
    self.init(
      worker: hello.worker, address: address, instance: Array(hello.instance), held: hello.held.map(\.lease),
      remoteIntervalMs: hello.hasRemoteIntervalMs ? Int64(hello.remoteIntervalMs) : nil)
  }
}

extension IngestCore.Message {
  /// Decodes a message. Nil for a message of a later minor version, which only shows that its worker is alive.
  fileprivate init?(_ frame: WorkerFrame) {
    switch frame.body {
    case .credit(let credit): self = .credit(jobLimit: credit.jobLimit)
    case .release(let release): self = .release(release.leases.map(\.lease), isGoodbye: release.goodbye)
    case .heartbeat(let heartbeat):
      self = .heartbeat(
        jobLimit: heartbeat.jobLimit, held: heartbeat.held.map(\.lease),
        progress: heartbeat.hasProgress ? heartbeat.progress : nil)
    case .hello, .results, nil: return nil
    }
  }
}

extension MessageToWorker {
  /// Returns the body of the frame. Nil for a frame that is written field by field.
  fileprivate func body(_ start: IngestStart) -> IngestFrame.OneOf_Body? {
    switch self {
    case .welcome:
      .welcome(
        .init(
          heartbeatMs: Limits.heartbeatMs, livenessMs: Limits.livenessMs, frameBytesMax: Limits.jobFrameBytesMax,
          start: start))
    case .heartbeat(let jobsSent): .heartbeat(.with { $0.jobsSent = jobsSent })
    case .reset(let reason):
      .reset(
        .with {
          $0.reason =
            switch reason {
            case .unknownSession: .unknownSession
            case .replaced: .replaced
            case .goodbye: .goodbye
            }
        })
    case .drain: .drain(.init())
    case .jobs, .acks, .busy: nil
    }
  }
}
