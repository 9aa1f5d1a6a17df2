package import Domain
import FoundationEssentials
package import Logging
import Metrics
import SwiftProtobuf
import Telemetry

/// A worker's end of the job link: a DEALER, driven by `WorkerCore`. Jobs are answered where they arrive, on the
/// reactor's thread: a look-up in memory takes less time than handing it over. What takes longer is answered through an
/// inbox, and its lease is kept by the heartbeats meanwhile.
package final class JobClient: ReactorSocket {
  package let socket: Socket
  private let endpoint: Endpoint
  private let worker: String
  private let instance: [UInt8]
  private let software: String
  private let logger: Logger
  private let joined: @Sendable () -> Void
  private let left: @Sendable () -> Void
  private let remoteIntervalMs: Int64?
  private let deferredResults: CommandQueue<JobResult>?
  private let reply: @Sendable (Job, Lease) -> WorkerReply?
  private var core: WorkerCore
  private var malformed = MalformedFrames("jobs")
  private let reconnects = Metric.linkReconnects.counter("jobs")
  private var logLimiter = LogRateLimiter()
  /// Of Welcome: ingest would cut the connection of a longer frame.
  private var frameBytesMax = Limits.jobFrameBytesMax

  /// - Parameters:
  ///   - worker: a name for people, 1 to 64 bytes.
  ///   - instance: 16 random bytes that name this process.
  ///   - concurrency: half of the jobs that may be with this worker at once; 1 … `Limits.windowMax` / 2.
  ///   - curve: its own and the link's keys; nil for plain text.
  ///   - joined: called on the reactor's thread at every WELCOME; must not wait.
  ///   - left: called on the reactor's thread when the session is over, until the next WELCOME; must not wait.
  ///   - remoteIntervalMs: what the worker's remote provider wants between two requests of all workers; nil where it
  ///     has none.
  ///   - later: results that `answer` did not give; of the reactor's own wake.
  ///   - answer: called on the reactor's thread; must not wait. Nil where the result comes later, under the same lease.
  package init(
    _ context: Reactor.Context, connect endpoint: Endpoint, worker: String, instance: [UInt8], software: String,
    concurrency: Int, logger: Logger, remoteIntervalMs: Int64? = nil, later: CommandQueue<JobResult>? = nil,
    curve: CurveClient? = nil, joined: @escaping @Sendable () -> Void, left: @escaping @Sendable () -> Void = {},
    reply: @escaping @Sendable (Job, Lease) -> WorkerReply?
  ) throws(LinkError) {
    socket = try context.socket(.dealer, frameBytesMax: Limits.jobFrameBytesMax)
    try socket.set(ZMQOption.immediate, 1)
    try context.connect(socket, endpoint, as: .jobs, curve: curve, logger: logger)
    self.endpoint = endpoint
    self.worker = worker
    self.instance = instance
    self.software = software
    self.logger = logger
    self.joined = joined
    self.left = left
    self.remoteIntervalMs = remoteIntervalMs
    self.deferredResults = later
    self.reply = reply
    core = WorkerCore(concurrency: concurrency, nowMs: Reactor.nowMs)
  }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    switch IngestMessage(frames) {
    case .jobs(let session, let tasks)?: work(tasks, session: session, nowMs: nowMs)
    case .acks(let session, let acks)?:
      run(core.receive(.acks(acks.map { ($0.lease, $0.disposition) }), session: session, nowMs: nowMs))
    case .other(let frame)? where frame.major != Protocol.major: refuseVersion(frame, nowMs: nowMs)
    case .other(let frame)? where frame.body != nil || frame.minor > Protocol.minor: receive(frame, nowMs: nowMs)
    case .other?, nil:
      guard malformed.add(nowMs: nowMs) else { return }
      logger.warning("malformed frame from ingest", metadata: ["total": "\(malformed.count)"])
    }
  }

  private func receive(_ frame: IngestFrame, nowMs: Int64) {
    // A body of a later minor version: optional, or it would be a later major one.
    guard let body = frame.body else { return }
    switch body {
    case .welcome(let welcome):
      logger.info("joined ingest", metadata: ["ingest": "\(endpoint)"])
      logLimiter = LogRateLimiter()
      let told = welcome.maxMessageBytes == 0 ? Limits.jobFrameBytesMax : Int(welcome.maxMessageBytes)
      frameBytesMax = min(max(Limits.jobFrameBytesMin, told), Limits.jobFrameBytesMax)
      receive(
        .welcome(heartbeatMs: Int64(welcome.heartbeatMs), livenessMs: Int64(welcome.livenessMs)), frame, nowMs: nowMs)
    case .reset(let reset):
      if frame.session == core.session.session {
        logger.notice("session over", metadata: ["reason": "\(reset.reason)"])
      }
      receive(.reset, frame, nowMs: nowMs)
    case .error(let error):
      if error.code == .unsupportedVersion { return refuseVersion(frame, nowMs: nowMs) }
      logger.error("refused by ingest", metadata: ["code": "\(error.code)", "detail": "\(error.detail)"])
      receive(.refusal(retryAfterMs: Int64(error.retryAfterMs)), frame, nowMs: nowMs)
    case .drain:
      if frame.session == core.session.session { logger.notice("ingest is going") }
      receive(.reset, frame, nowMs: nowMs)
    case .heartbeat: receive(.heartbeat, frame, nowMs: nowMs)
    case .jobs, .acks: break
    }
  }

  private func receive(_ message: WorkerCore.Message, _ frame: IngestFrame, nowMs: Int64) {
    run(core.receive(message, session: frame.session, nowMs: nowMs))
  }

  package func tick(nowMs: Int64) -> Int64 {
    if let results = deferredResults?.drain(), !results.isEmpty { run(core.reply(results, nowMs: nowMs)) }
    run(core.tick(nowMs: nowMs))
    return core.nextMs(nowMs: nowMs)
  }

  package func shutDown() { run(core.drain()) }

  /// When ingest has answered the goodbye: a socket that is closed while jobs are on their way to it resets the
  /// connection, and what it said last would be lost with it.
  package var isShutDown: Bool { core.session.session == nil }

  /// Ingest and this worker have no version in common: neither gets anywhere before one of them is another program.
  private func refuseVersion(_ frame: IngestFrame, nowMs: Int64) {
    guard core.session.session == nil else { return }
    receive(.refusal(retryAfterMs: Limits.quarantineMs), frame, nowMs: nowMs)
    guard logLimiter.admit("version", nowMs: nowMs) != nil else { return }
    let error = frame.error
    let spoken = error.maxMajor == 0 ? "\(frame.major)" : "\(error.minMajor) to \(error.maxMajor)"
    logger.error(
      "ingest speaks another version of the protocol: run the same version of onthemap here and there",
      metadata: ["ingest": "\(endpoint)", "spoken": "\(spoken)", "ours": "\(Protocol.major)"])
  }

  private static let malformed = WorkerReply.outcome(
    .failed(
      .init(kind: .permanent, code: "malformed_job", detail: "the worker does not understand what is asked for")))

  private func work(_ tasks: [IngestMessage.Task], session: UInt64, nowMs: Int64) {
    // Some of them, in their order.
    guard let wanted = core.receive(tasks.map(\.lease), session: session, nowMs: nowMs) else { return }
    var results: [JobResult] = []
    results.reserveCapacity(wanted.count)
    var next = 0
    for task in tasks where next < wanted.count && wanted[next] == task.lease {
      next += 1
      if let reply = task.job.map({ reply($0, task.lease) }) ?? JobClient.malformed {
        results.append(JobResult(lease: task.lease, reply: reply))
      }
    }
    run(core.reply(results, nowMs: nowMs))
  }

  private func run(_ effects: [WorkerCore.Effect]) {
    for effect in effects {
      switch effect {
      case .send(let message, let session):
        for frame in frames(message, session: session) {
          if socket.send(frame) != .accepted, case .hello = message { core.helloFailed() }
        }
      case .reconnect:
        logger.warning("ingest is silent: connecting anew", metadata: ["ingest": "\(endpoint)"])
        try? socket.reconnect(endpoint)
        reconnects.increment()
      case .joined: joined()
      case .left: left()
      }
    }
  }

  /// As many as fit a frame.
  private func references(_ leases: [Lease]) -> [Onthemap_Jobs_V1_LeaseRef] {
    leases.prefix((frameBytesMax - Limits.jobFrameHeadBytesMax) / Limits.leaseReferenceBytesMax)
      .map(Onthemap_Jobs_V1_LeaseRef.init)
  }

  private func frames(_ message: WorkerSession.Message, session: UInt64) -> [[UInt8]] {
    let body: WorkerFrame.OneOf_Body
    switch message {
    case .results(let results):
      return JobCodec.results(results, session: session, bytesMax: frameBytesMax)
    case .hello(let held):
      body = .hello(
        .with {
          $0.minMajor = Protocol.major
          $0.maxMajor = Protocol.major
          $0.worker = worker
          $0.instance = .init(instance)
          $0.software = software
          $0.held = references(held)
          if let remoteIntervalMs { $0.remoteIntervalMs = UInt32(clamping: remoteIntervalMs) }
        })
    case .ready(let jobLimit): body = .ready(.with { $0.jobLimit = jobLimit })
    case .heartbeat(let jobLimit, let held, let progress):
      body = .heartbeat(
        .with {
          $0.jobLimit = jobLimit
          $0.held = references(held)
          $0.progress = progress
        })
    case .goodbye(let leases):
      body = .release(
        .with {
          $0.leases = leases.map(Onthemap_Jobs_V1_LeaseRef.init)
          $0.goodbye = true
        })
    }
    return [WorkerFrame(session: session, body).bytes]
  }
}
