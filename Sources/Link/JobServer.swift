package import Logging
package import OnTheMap
import SwiftProtobuf

/// Ingest's end of the job link: a ROUTER, driven by `Dispatch`.
///
/// Results go out through `taken`, and their outcome comes back as `Command.finished` when it is on disk; only then
/// does the worker get its acknowledgement.
package final class JobServer: Station {
  /// What ingest tells it; any thread, through the inbox.
  package enum Command: Sendable {
    /// New jobs, on disk already.
    case add([Job])
    /// Jobs of before a restart, each with the time in ms that it is still to wait.
    case resume([(job: Job, pauseMs: Int64)])
    /// Look-ups whose clients have gone.
    case cancel([JobID])
    /// What became of results and of buried jobs.
    case finished([Finished])
    /// Whether anything may go out.
    case setPaused(Bool)
  }

  /// A result that counts, on its way to the store.
  package struct Taken: Sendable {
    /// Of the worker that sent it.
    package let session: UInt64
    package let result: JobResult
    package let job: Job
  }

  /// The end of a `Taken`, or of a job that was lost too often.
  package struct Finished: Sendable {
    let job: JobID
    let receipt: (session: UInt64, lease: Lease, disposition: Disposition)?
    /// The failures so far, as on disk, where they have changed; and the pause.
    let again: (attempts: Int?, pauseMs: Int64)?

    /// It is on disk; the job is gone.
    package static func gone(_ taken: Taken) -> Finished {
      Finished(job: taken.job.id, receipt: (taken.session, taken.result.lease, .committed), again: nil)
    }

    /// The failure is on disk, or does not count; the job goes out again after a pause.
    package static func again(_ taken: Taken, attempts: Int, pauseMs: Int64) -> Finished {
      Finished(
        job: taken.job.id, receipt: (taken.session, taken.result.lease, .committed), again: (attempts, pauseMs))
    }

    /// The disk did not take it: the worker is to send it again.
    package static func refused(_ taken: Taken, pauseMs: Int64) -> Finished {
      Finished(
        job: taken.job.id, receipt: (taken.session, taken.result.lease, .retryLater),
        again: (taken.job.attempts, pauseMs))
    }

    /// A job that was lost too often is dead, on disk.
    package static func buried(_ job: JobID) -> Finished { Finished(job: job, receipt: nil, again: nil) }

    /// The disk did not take the burial: the job goes out again.
    package static func notBuried(_ job: JobID, pauseMs: Int64) -> Finished {
      Finished(job: job, receipt: nil, again: (nil, pauseMs))
    }
  }

  package let socket: Socket
  /// With the port that was taken.
  package let endpoint: Endpoint
  private let inbox: Inbox<Command>
  private let logger: Logger
  private let taken: @Sendable ([Taken]) -> Void
  private let lost: @Sendable (Dispatch.Losses) -> Void
  private let waited: @Sendable (Int64) -> Void
  private var dispatch: Dispatch
  private var rates = QueueRates()
  private var peers: [UInt64: [UInt8]] = [:]
  /// The worker's name and address by session, for the log.
  private var origins: [UInt64: Logger.Metadata] = [:]
  private var sessions: [[UInt8]: UInt64] = [:]
  private var takenNow: [Taken] = []
  private var acks: [UInt64: [(Lease, Disposition)]] = [:]
  private var malformed = MalformedFrames("jobs")
  private var quarantine = PeerQuarantine()
  private var beatMs: Int64 = 0
  private let meters = JobMeters()

  /// On the reactor's thread, as all of it.
  ///
  /// - Parameters:
  ///   - boot: see `Dispatch`.
  ///   - remotePerSecond: see `Dispatch`.
  ///   - curve: the link's keys; nil for plain text.
  ///   - taken: called on the reactor's thread with results to be stored; must not wait.
  ///   - lost: called on the reactor's thread with jobs whose worker was lost; must not wait.
  ///   - waited: called on its thread, every `Limits.heartbeatMs`, with `Dispatch.longestWaitMs`; must not wait.
  package init(
    _ context: Reactor.Context, bind: Endpoint, boot: UInt32, remotePerSecond: Double = Limits.remotePerSecond,
    curve: CurveServer? = nil, inbox: Inbox<Command>, logger: Logger,
    taken: @escaping @Sendable ([Taken]) -> Void, lost: @escaping @Sendable (Dispatch.Losses) -> Void,
    waited: @escaping @Sendable (Int64) -> Void = { _ in }
  ) throws(LinkError) {
    socket = try context.socket(.router, frameBytesMax: Limits.jobFrameBytesMax)
    try socket.set(ZMQOption.routerMandatory, 1)
    socket.keepsSender = true
    endpoint = try context.bind(socket, bind, as: .jobs, curve: curve, logger: logger)
    dispatch = Dispatch(boot: boot, remotePerSecond: remotePerSecond, startMs: Reactor.nowMs)
    self.inbox = inbox
    self.logger = logger
    self.taken = taken
    self.lost = lost
    self.waited = waited
  }

  package func receive(_ frames: [[UInt8]], nowMs: Int64) {
    let peer = frames.first ?? []
    guard !quarantine.isShut(peer, nowMs: nowMs) else { return }
    let frame: WorkerFrame
    switch WorkerMessage(frames.dropFirst()) {
    case .results(let session, let results)?:
      if isKnown(session, peer, nowMs: nowMs) { take(results, session: session, nowMs: nowMs) }
      return
    case .other(let other)?: frame = other
    case nil: return reject(peer, .malformed, "not a WorkerFrame of this protocol", nowMs: nowMs)
    }
    // Before its body: another major may have bodies that are unknown here.
    guard frame.major == Protocol.major else {
      return reject(peer, .unsupportedVersion, "this ingest speaks version \(Protocol.major) only", nowMs: nowMs)
    }
    guard frame.body != nil || frame.minor > Protocol.minor else {
      return reject(peer, .malformed, "a WorkerFrame without a body of this protocol", nowMs: nowMs)
    }
    if case .hello(let hello)? = frame.body { return open(hello, peer: peer, nowMs: nowMs) }
    let session = frame.session
    guard isKnown(session, peer, nowMs: nowMs) else { return }
    switch frame.body {
    case .ready(let ready): dispatch.grant(ready.jobLimit, to: session)
    case .release(let release):
      dispatch.release(release.leases.map(\.lease), of: session)
      guard release.goodbye else { return }
      close(session, "it said goodbye")
      send(peer, IngestFrame(session: session, .reset(.with { $0.reason = .goodbye })))
    case .heartbeat(let beat): hear(beat, session: session, nowMs: nowMs)
    case .hello, .results, nil: break
    }
  }

  /// Whether it is the peer's session; who names another is told so.
  private func isKnown(_ session: UInt64, _ peer: [UInt8], nowMs: Int64) -> Bool {
    if sessions[peer] == session, dispatch.heard(session, nowMs: nowMs) { return true }
    send(peer, IngestFrame(session: session, .reset(.with { $0.reason = .unknownSession })))
    return false
  }

  package func turn(nowMs: Int64) -> Int64 {
    for command in inbox.takeAll() { perform(command, nowMs: nowMs) }
    for given in dispatch.giveUpRemote() {
      // No session waits for a receipt: it has had one when the job began to wait.
      let result = JobResult(lease: given.lease, outcome: given.outcome)
      takenNow.append(Taken(session: 0, result: result, job: given.job))
    }
    if !takenNow.isEmpty {
      taken(takenNow)
      // As many come in the next turn.
      takenNow.removeAll(keepingCapacity: true)
    }
    let beats = nowMs - beatMs >= Limits.heartbeatMs
    if beats {
      beatMs = nowMs
      expire(nowMs: nowMs)
      for (session, peer) in peers {
        let sent = dispatch.sessions[session]?.jobsSent ?? 0
        send(peer, IngestFrame(session: session, .heartbeat(.with { $0.jobsSent = sent })))
      }
    }
    for (session, acks) in acks {
      guard let peer = peers[session] else { continue }
      for first in stride(from: 0, to: acks.count, by: 1_000) {
        socket.send(peer, JobFrame.acks(acks[first..<min(first + 1_000, acks.count)], session: session))
      }
    }
    meters.count(acks.values, redelivered: dispatch.redelivered)
    acks.removeAll(keepingCapacity: true)
    // Until nobody has credit: what could not be sent to one goes to another at once.
    while true {
      let assigned = dispatch.assign(nowMs: nowMs)
      if assigned.isEmpty { break }
      for (session, jobs) in assigned { assign(jobs, to: session) }
    }
    if beats { waited(dispatch.longestWaitMs(nowMs: nowMs)) }
    return min(beatMs + Limits.heartbeatMs, dispatch.nextDueMs)
  }

  package func leave() {
    for (session, peer) in peers { send(peer, IngestFrame(session: session, .drain(.init()))) }
  }

  private func open(_ hello: Onthemap_Jobs_V1_Hello, peer: [UInt8], nowMs: Int64) {
    guard (hello.minMajor...max(hello.minMajor, hello.maxMajor)).contains(Protocol.major) else {
      return reject(peer, .unsupportedVersion, "this ingest speaks version \(Protocol.major) only", nowMs: nowMs)
    }
    if let fault = hello.fault { return reject(peer, .malformed, fault, nowMs: nowMs) }
    // One connection, one session: the earlier one would only be missed when it is silent, and its jobs blamed.
    if let earlier = sessions[peer], dispatch.sessions[earlier]?.instance != Array(hello.instance) {
      close(earlier, "another instance speaks on its connection")
    }
    let held = hello.held.map(\.lease)
    guard
      let (session, replaced) = dispatch.open(
        worker: hello.worker, instance: Array(hello.instance), held: held,
        remoteIntervalMs: hello.hasRemoteIntervalMs ? Int64(hello.remoteIntervalMs) : nil, nowMs: nowMs)
    else { return refuse(peer, .busy, "\(Limits.sessionsMax) workers are here already") }
    if let replaced, let old = peers.removeValue(forKey: replaced) {
      sessions[old] = nil
      origins[replaced] = nil
      if old != peer { send(old, IngestFrame(session: replaced, .reset(.with { $0.reason = .replaced }))) }
    }
    peers[session] = peer
    sessions[peer] = session
    let origin: Logger.Metadata = ["worker": "\(hello.worker)", "address": "\(socket.sender)"]
    origins[session] = origin
    logger.info("worker joined", metadata: origin.merging(["held": "\(held.count)"]) { $1 })
    let welcome = Onthemap_Jobs_V1_Welcome.with {
      $0.heartbeatMs = UInt32(Limits.heartbeatMs)
      $0.livenessMs = UInt32(Limits.livenessMs)
      $0.maxMessageBytes = UInt32(Limits.jobFrameBytesMax)
      $0.maxWindow = UInt32(Limits.windowMax)
    }
    send(peer, IngestFrame(session: session, .welcome(welcome)))
  }

  private func hear(_ beat: Onthemap_Jobs_V1_WorkerHeartbeat, session: UInt64, nowMs: Int64) {
    let wasStuck = dispatch.sessions[session]?.isStuck
    dispatch.heartbeat(
      session, jobLimit: beat.jobLimit, held: beat.held.map(\.lease), progress: beat.hasProgress ? beat.progress : nil,
      nowMs: nowMs)
    guard let known = dispatch.sessions[session], known.isStuck != wasStuck else { return }
    if known.isStuck {
      logger.warning(
        "worker hangs: it beats, and answers nothing; no more jobs until it does",
        metadata: ["worker": "\(known.worker)", "leases": "\(known.leases.count)"])
    } else {
      logger.notice("worker answers again", metadata: ["worker": "\(known.worker)"])
    }
  }

  private func take(_ answers: [WorkerMessage.Answer], session: UInt64, nowMs: Int64) {
    var failures = 0
    defer {
      dispatch.count(answers: answers.count, failures: failures, of: session)
      rates.failed.add(failures, nowMs: nowMs)
    }
    for answer in answers {
      guard let result = answer.result else {
        if malformed.add(nowMs: nowMs) {
          logger.warning("a result that the protocol forbids", metadata: ["total": "\(malformed.count)"])
        }
        let failure = JobOutcome.Failure(kind: .transient, code: "malformed_result", detail: "not understood")
        judge(JobResult(lease: answer.lease, outcome: .failed(failure)), session: session)
        continue
      }
      if result.outcome.isFailure { failures += 1 }
      judge(result, session: session)
    }
  }

  private func judge(_ result: JobResult, session: UInt64) {
    switch dispatch.judge(result) {
    case .take(let job): takenNow.append(Taken(session: session, result: result, job: job))
    case .takeInstead(let job, let outcome):
      let result = JobResult(lease: result.lease, outcome: outcome)
      takenNow.append(Taken(session: session, result: result, job: job))
    case .answer(let disposition): acknowledge(result.lease, session, disposition)
    case .pending: break
    }
  }

  private func perform(_ command: Command, nowMs: Int64) {
    switch command {
    case .add(let jobs):
      dispatch.add(jobs)
      rates.accepted.add(jobs.count { !$0.id.isLookup }, nowMs: nowMs)
    case .resume(let jobs):
      for (job, pauseMs) in jobs { dispatch.resume(job, untilMs: pauseMs > 0 ? nowMs + pauseMs : nil) }
    case .cancel(let jobs): for job in jobs { dispatch.cancel(job) }
    case .finished(let all): finish(all, nowMs: nowMs)
    case .setPaused(let isPaused): dispatch.isPaused = isPaused
    }
  }

  private func finish(_ all: [Finished], nowMs: Int64) {
    var settled = 0
    for finished in all {
      if let again = finished.again {
        dispatch.delay(finished.job, attempts: again.attempts, untilMs: nowMs + again.pauseMs)
      } else {
        dispatch.settled(finished.job)
        if !finished.job.isLookup { settled += 1 }
      }
      if let receipt = finished.receipt { acknowledge(receipt.lease, receipt.session, receipt.disposition) }
    }
    rates.settled.add(settled, nowMs: nowMs)
  }

  private func acknowledge(_ lease: Lease, _ session: UInt64, _ disposition: Disposition) {
    acks[session, default: []].append((lease, disposition))
  }

  private func assign(_ jobs: [Dispatch.Assignment], to session: UInt64) {
    guard let peer = peers[session] else { return }
    guard socket.send(peer, JobFrame.jobs(jobs, session: session)) != .accepted else { return }
    // Its connection is gone or full: it says HELLO on a new one, or more credit on this one, or its silence ends the
    // session, and blames what it held.
    dispatch.undelivered(jobs.map(\.lease), to: session)
  }

  /// Ends a session that did not fail: what it still held is nobody's fault.
  private func close(_ session: UInt64, _ reason: String) {
    guard let peer = peers.removeValue(forKey: session) else { return }
    sessions[peer] = nil
    let origin = origins.removeValue(forKey: session) ?? [:]
    logger.info("worker left", metadata: origin.merging(["reason": "\(reason)"]) { $1 })
    report(dispatch.close(session, blamed: false))
  }

  private func expire(nowMs: Int64) {
    let (silent, losses) = dispatch.expire(nowMs: nowMs)
    for session in silent {
      guard let peer = peers.removeValue(forKey: session) else { continue }
      sessions[peer] = nil
      let origin = origins.removeValue(forKey: session) ?? [:]
      logger.warning(
        "worker lost", metadata: origin.merging(["reason": "no message for \(Limits.livenessMs) ms"]) { $1 })
    }
    report(losses)
  }

  private func report(_ losses: Dispatch.Losses) {
    if !losses.isEmpty { lost(losses) }
  }

  /// Counts what cannot be taken; logs and answers it once a second.
  private func reject(
    _ peer: [UInt8], _ code: Onthemap_Jobs_V1_ErrorCode, _ detail: String, nowMs: Int64
  ) {
    if code == .malformed, quarantine.note(peer, nowMs: nowMs) {
      if let session = sessions[peer] { close(session, "it sends what nobody can read") }
      logger.warning("peer shut out: it sends nothing that can be read", metadata: ["ms": "\(Limits.quarantineMs)"])
      refuse(peer, code, "shut out for \(Limits.quarantineMs) ms: \(Limits.malformedFramesMax) such frames")
    }
    guard malformed.add(nowMs: nowMs) else { return }
    logger.warning(
      "malformed frame on the job link", metadata: ["reason": "\(detail)", "total": "\(malformed.count)"])
    refuse(peer, code, detail)
  }

  private func refuse(_ peer: [UInt8], _ code: Onthemap_Jobs_V1_ErrorCode, _ detail: String) {
    let error = Onthemap_Jobs_V1_Error.with {
      $0.code = code
      $0.detail = detail
      $0.minMajor = Protocol.major
      $0.maxMajor = Protocol.major
      $0.retryAfterMs = 60_000
    }
    send(peer, IngestFrame(session: 0, .error(error)))
  }

  @discardableResult
  private func send(_ peer: [UInt8], _ frame: IngestFrame) -> Socket.Sent { socket.send(peer, frame.bytes) }
}

/// What an operator may look at; on the reactor's thread.
extension JobServer {
  func snapshot(nowMs: Int64) -> QueueSnapshot { dispatch.snapshot(nowMs: nowMs) }
  func rates(nowMs: Int64) -> QueueRates.Readings { rates.readings(nowMs: nowMs) }
  func placement(of post: PostID, nowMs: Int64) -> QueuePlacement? { dispatch.placement(of: post, nowMs: nowMs) }
  func placements(in state: QueueState?, after: PostID?, limit: Int, nowMs: Int64) -> [QueuePlacement] {
    dispatch.placements(in: state, after: after, limit: limit, nowMs: nowMs)
  }
}
