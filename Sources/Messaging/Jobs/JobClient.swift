package import Domain
import FoundationEssentials
package import Logging
import Metrics
import SwiftProtobuf
import Telemetry

/// A worker's end of the job link: a DEALER, driven by `WorkerCore`.
///
/// Jobs run on the reactor's thread, because a search in memory takes less time than a handover to another thread.
/// Longer jobs return their results through a queue. Heartbeats keep their leases meanwhile.
package final class JobClient: ReactorSocket {
  package let socket: Socket
  private let connection: ClientConnection
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
  /// Maximum bytes of a frame, from Welcome. Ingest would end the connection after a longer frame.
  private var frameBytesMax = Limits.jobFrameBytesMax

  /// Creates the client, and connects its socket to the first address.
  ///
  /// - Parameters:
  ///   - endpoints: At least one address of ingest, in the order in which to try them.
  ///   - worker: Name of the worker for people, 1 to 64 bytes.
  ///   - instance: 16 random bytes that identify this process.
  ///   - concurrency: Number of parallel jobs, 1 to `Limits.windowMax` / 2. The worker holds up to twice as many.
  ///   - remoteIntervalMs: Minimum interval between two requests of all workers to the remote provider, in
  ///     milliseconds. Nil if the worker has no remote provider.
  ///   - deferredResults: Queue of the results for which `reply` returned nil. It must wake this reactor.
  ///   - curve: Keys of the worker and of the link, the same for all addresses. Nil disables encryption.
  ///   - joined: Handler of each Welcome. It runs on the reactor's thread and must not block.
  ///   - left: Handler of the end of a session. It runs on the reactor's thread and must not block.
  ///   - reply: Handler of each job. It runs on the reactor's thread and must not block. It returns nil if the result
  ///     follows through `deferredResults`, under the same lease.
  package init(
    _ context: Reactor.Context, connect endpoints: [Endpoint], worker: String, instance: [UInt8], software: String,
    concurrency: Int, logger: Logger, remoteIntervalMs: Int64? = nil,
    deferredResults: CommandQueue<JobResult>? = nil, curve: CurveClient? = nil,
    joined: @escaping @Sendable () -> Void, left: @escaping @Sendable () -> Void = {},
    reply: @escaping @Sendable (Job, Lease) -> WorkerReply?
  ) throws(LinkError) {
    socket = try context.socket(.dealer, frameBytesMax: Limits.jobFrameBytesMax)
    try socket.set(ZMQOption.immediate, 1)
    connection = try ClientConnection(context, socket, connect: endpoints, as: .jobs, curve: curve, logger: logger)
    self.worker = worker
    self.instance = instance
    self.software = software
    self.logger = logger
    self.joined = joined
    self.left = left
    self.remoteIntervalMs = remoteIntervalMs
    self.deferredResults = deferredResults
    self.reply = reply
    core = WorkerCore(concurrency: concurrency, nowMs: Reactor.nowMs)
  }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    switch IngestMessage(frames) {
    case .jobs(let session, let tasks)?: work(tasks, session: session, nowMs: nowMs)
    case .acks(let session, let acks)?:
      run(core.receive(.acks(acks.map { ($0.lease, $0.disposition) }), session: session, nowMs: nowMs), nowMs: nowMs)
    case .other(let frame)? where frame.major != Protocol.major: refuseVersion(frame, nowMs: nowMs)
    case .other(let frame)? where frame.body != nil || frame.minor > Protocol.minor: receive(frame, nowMs: nowMs)
    case .other?, nil:
      guard malformed.add(nowMs: nowMs) else { return }
      malformed.log("not an IngestFrame of this protocol", to: logger)
    }
  }

  private func receive(_ frame: IngestFrame, nowMs: Int64) {
    // Ignore a body of a later minor version. Only a later major version may add a body that is required.
    guard let body = frame.body else { return }
    switch body {
    case .welcome(let welcome):
      guard connection.admits(welcome.start) else {
        return refused(.lowerGeneration, retryAfterMs: Limits.livenessMs, frame, nowMs: nowMs)
      }
      connection.answered()
      logger.info("session opened", metadata: ["endpoint": "\(connection.endpoint)"])
      logLimiter = LogRateLimiter()
      let bytesMax = welcome.maxMessageBytes == 0 ? Limits.jobFrameBytesMax : Int(welcome.maxMessageBytes)
      frameBytesMax = min(max(Limits.jobFrameBytesMin, bytesMax), Limits.jobFrameBytesMax)
      receive(
        .welcome(heartbeatMs: Int64(welcome.heartbeatMs), livenessMs: Int64(welcome.livenessMs)), frame, nowMs: nowMs)
    case .reset(let reset):
      if frame.session == core.session.session {
        logger.notice("session ended", metadata: ["reason": "\(reset.reason.name)"])
      }
      receive(.reset, frame, nowMs: nowMs)
    case .error(let error):
      if error.code == .unsupportedVersion { return refuseVersion(frame, nowMs: nowMs) }
      logger.error("session refused by ingest", metadata: ["code": "\(error.code.name)", "detail": "\(error.detail)"])
      let reason = error.code == .notLeading ? AddressChangeReason.notLeading : .refused
      refused(reason, retryAfterMs: Int64(error.retryAfterMs), frame, nowMs: nowMs)
    case .drain:
      if frame.session == core.session.session {
        logger.notice("session ended", metadata: ["reason": "ingest_shutdown"])
      }
      receive(.reset, frame, nowMs: nowMs)
    case .heartbeat: receive(.heartbeat, frame, nowMs: nowMs)
    case .jobs, .acks: break
    }
  }

  private func receive(_ message: WorkerCore.Message, _ frame: IngestFrame, nowMs: Int64) {
    run(core.receive(message, session: frame.session, nowMs: nowMs), nowMs: nowMs)
  }

  /// Passes on a refusal of Hello. A worker with several addresses tries the next one.
  private func refused(_ reason: AddressChangeReason, retryAfterMs: Int64, _ frame: IngestFrame, nowMs: Int64) {
    guard core.session.session == nil else { return }
    receive(.refusal(retryAfterMs: retryAfterMs), frame, nowMs: nowMs)
    let pauseMs = min(max(Limits.refusedPauseMinMs, retryAfterMs), Limits.quarantineMs)
    handle(connection.leave(reason, retryAfterMs: pauseMs, nowMs: nowMs))
  }

  package func tick(nowMs: Int64) -> Int64 {
    if let results = deferredResults?.drain(), !results.isEmpty {
      run(core.report(results, nowMs: nowMs), nowMs: nowMs)
    }
    if core.session.session == nil { connection.awaitAnswer() }
    handle(connection.tick(nowMs: nowMs))
    run(core.tick(nowMs: nowMs), nowMs: nowMs)
    return min(core.nextMs(nowMs: nowMs), connection.nextMs)
  }

  private func handle(_ change: ClientConnection.Change?) {
    switch change {
    case .left(let untilMs): core.pause(untilMs: untilMs)
    case .connected: core.connected()
    case nil: break
    }
  }

  package func shutDown() { run(core.drain(), nowMs: Reactor.nowMs) }

  /// True when ingest has replied to the goodbye. If the socket closed while jobs are in transit, the connection would
  /// be reset, and its last messages would be lost.
  package var isShutDown: Bool { core.session.session == nil }

  /// Handles an ingest without a common protocol version. Neither side can proceed until one of them runs another
  /// version.
  private func refuseVersion(_ frame: IngestFrame, nowMs: Int64) {
    guard core.session.session == nil else { return }
    let endpoint = connection.endpoint
    refused(.refused, retryAfterMs: Limits.quarantineMs, frame, nowMs: nowMs)
    guard logLimiter.admit("version", nowMs: nowMs) != nil else { return }
    let error = frame.error
    let versions = error.maxMajor == 0 ? "\(frame.major)" : "\(error.minMajor) to \(error.maxMajor)"
    logger.error(
      "protocol version mismatch: run the same onthemap version on both ends",
      metadata: [
        "endpoint": "\(endpoint)", "ingest_versions": "\(versions)", "own_version": "\(Protocol.major)",
      ])
  }

  private static let malformedJobReply = WorkerReply.outcome(
    .failed(
      .init(kind: .permanent, code: "malformed_job", detail: "the worker cannot decode the query")))

  private func work(_ tasks: [IngestMessage.Task], session: UInt64, nowMs: Int64) {
    // The accepted leases are some of the tasks' leases, in the same order.
    guard let accepted = core.receive(tasks.map(\.lease), session: session, nowMs: nowMs) else { return }
    var results: [JobResult] = []
    results.reserveCapacity(accepted.count)
    var next = 0
    for task in tasks where next < accepted.count && accepted[next] == task.lease {
      next += 1
      if let reply = task.job.map({ reply($0, task.lease) }) ?? JobClient.malformedJobReply {
        results.append(JobResult(lease: task.lease, reply: reply))
      }
    }
    run(core.report(results, nowMs: nowMs), nowMs: nowMs)
  }

  private func run(_ effects: [WorkerCore.Effect], nowMs: Int64) {
    for effect in effects {
      switch effect {
      case .send(let message, let session):
        for frame in frames(message, session: session) {
          if !connection.send(frame, nowMs: nowMs), case .hello = message { core.helloFailed() }
        }
      case .reconnect:
        logger.warning("ingest timed out: reconnecting", metadata: ["endpoint": "\(connection.endpoint)"])
        reconnects.increment()
        handle(connection.reconnect(nowMs: nowMs))
      case .joined: joined()
      case .left: left()
      }
    }
  }

  /// Returns references to as many leases as fit in a frame.
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
    case .credit(let jobLimit): body = .credit(.with { $0.jobLimit = jobLimit })
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

extension Onthemap_Jobs_V1_ErrorCode {
  /// Name of the code in the log.
  fileprivate var name: String {
    switch self {
    case .malformed: "malformed"
    case .unsupportedVersion: "unsupported_version"
    case .busy: "busy"
    case .notLeading: "not_leading"
    case .unspecified: "unspecified"
    case .UNRECOGNIZED(let number): "\(number)"
    }
  }
}

extension Onthemap_Jobs_V1_ResetReason {
  /// Name of the reason in the log.
  fileprivate var name: String {
    switch self {
    case .unknownSession: "unknown_session"
    case .replaced: "replaced"
    case .goodbye: "closed"
    case .unspecified: "unspecified"
    case .UNRECOGNIZED(let number): "\(number)"
    }
  }
}
