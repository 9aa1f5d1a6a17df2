import Domain
import SwiftProtobuf

extension WorkerProbe.ReceivedMessage {
  /// Decodes a message of the worker.
  ///
  /// - Parameter frames: Frames of the message, without ZeroMQ's routing id.
  package init(_ frames: [[UInt8]], connection: Int) {
    let byteCount = frames.reduce(0) { $0 + $1.count }
    var session: UInt64 = 0
    var body: Body
    if frames.count == 1, let bytes = frames.first, let frame = try? WorkerFrame(serializedBytes: bytes) {
      session = frame.session
      body = frame.body.map(Body.init) ?? .unreadable("a frame without a body")
      if frame.minor != Protocol.minor { body = .unreadable("a frame of minor \(frame.minor)") }
      if frame.major != Protocol.major { body = .unreadable("a frame of major \(frame.major)") }
      if frame.magic != Protocol.magic {
        body = .unreadable("a frame with magic \(hexadecimal(UInt64(frame.magic), digits: 8))")
      }
    } else {
      body = .unreadable(
        frames.count == 1 ? "a frame that is not a WorkerFrame" : "a message of \(frames.count) frames")
    }
    self.init(connection: connection, session: session, byteCount: byteCount, body: body)
  }
}

extension WorkerProbe.ReceivedMessage.Body {
  fileprivate init(_ body: WorkerFrame.OneOf_Body) {
    switch body {
    case .hello(let hello):
      self = .hello(
        WorkerProbe.Hello(
          majors: (hello.minMajor, hello.maxMajor), worker: hello.worker, instance: Array(hello.instance),
          software: hello.software, held: hello.held.map(\.lease)))
    case .credit(let credit): self = .credit(jobLimit: credit.jobLimit)
    case .results(let results):
      self = .results(
        results.results.map { result in
          (Lease(job: JobID(rawValue: result.jobID), token: result.leaseToken), result.result?.reply)
        })
    case .release(let release): self = .release(release.leases.map(\.lease), goodbye: release.goodbye)
    case .heartbeat(let heartbeat):
      self = .heartbeat(
        jobLimit: heartbeat.jobLimit, held: heartbeat.held.map(\.lease),
        progress: heartbeat.hasProgress ? heartbeat.progress : nil)
    }
  }
}

extension WorkerProbe.Stimulus {
  /// The messages to send. A well-formed message has one frame.
  package var messages: [[[UInt8]]] {
    switch self {
    case .welcome(let session):
      [
        message(
          session,
          .welcome(
            .init(
              heartbeatMs: Limits.conformanceHeartbeatMs, livenessMs: Limits.conformanceLivenessMs,
              frameBytesMax: Limits.conformanceFrameBytesMax)))
      ]
    case .jobs(let session, let jobs, let version): [[jobsFrame(session, jobs, version)]]
    case .acks(let session, let leases, let disposition):
      [
        message(
          session,
          .acks(
            .with {
              $0.acks = leases.map { lease in
                .with {
                  $0.jobID = lease.job.rawValue
                  $0.leaseToken = lease.token
                  $0.disposition = .init(rawValue: Int(disposition)) ?? .unspecified
                }
              }
            }))
      ]
    case .heartbeat(let session, let sent): [message(session, .heartbeat(.with { $0.jobsSent = sent }))]
    case .reset(let session): [message(session, .reset(.with { $0.reason = .unknownSession }))]
    case .drain(let session): [message(session, .drain(.init()))]
    case .error(let refusal, let pauseMs):
      [
        message(
          0,
          .error(
            .with {
              $0.code = refusal == .busy ? .busy : .unsupportedVersion
              $0.detail = "tested by onthemap conformance"
              ($0.minMajor, $0.maxMajor) = (Protocol.major, Protocol.major)
              $0.retryAfterMs = UInt32(clamping: pauseMs)
            }))
      ]
    case .malformed(let session): malformed(session)
    case .unknownBody(let session): [[frame(session, minor: Protocol.minor + 1, body: 99) { $0.number(1, 1) }]]
    }
  }

  private func message(_ session: UInt64, _ body: IngestFrame.OneOf_Body) -> [[UInt8]] {
    [IngestFrame(session: session, body).bytes]
  }

  private func frame(
    _ session: UInt64, major: UInt32 = Protocol.major, minor: UInt32 = Protocol.minor, body: UInt8,
    _ write: (inout FieldWriter) -> Void
  ) -> [UInt8] {
    var frame = FieldWriter()
    frame.fixed32(1, Protocol.magic)
    frame.number(2, UInt64(major))
    frame.number(3, UInt64(minor))
    frame.fixed64(4, session)
    frame.message(body, write)
    return frame.bytes
  }

  private func jobsFrame(
    _ session: UInt64, _ jobs: [WorkerProbe.LeasedJob], _ version: WorkerProbe.Version
  ) -> [UInt8] {
    let major = version == .otherMajor ? Protocol.major + 1 : Protocol.major
    let minor = version == .laterMinor ? Protocol.minor + 1 : Protocol.minor
    return frame(session, major: major, minor: minor, body: 17) { frame in
      for job in jobs { frame.message(1) { $0.add(job.bytes(isLater: version == .laterMinor)) } }
    }
  }

  private func malformed(_ session: UInt64) -> [[[UInt8]]] {
    var reset = IngestFrame(session: session, .reset(.with { $0.reason = .unknownSession }))
    let whole = reset.bytes
    reset.magic = 0x3154_4D4F
    var bodyless = IngestFrame()
    (bodyless.magic, bodyless.major, bodyless.session) = (Protocol.magic, Protocol.major, session)
    return [
      [[]], [Array(repeating: 0xFF, count: 40)], [Array(whole.dropLast())], [reset.bytes], [bodyless.bytes],
    ]
  }
}

extension WorkerProbe.LeasedJob {
  fileprivate func bytes(isLater: Bool) -> [UInt8] {
    var job = FieldWriter()
    job.add(
      Onthemap_Jobs_V1_Job.with {
        $0.jobID = lease.job.rawValue
        $0.leaseToken = lease.token
        $0.leaseMs = UInt32(Limits.leaseMs)
        $0.attempt = 1
        $0.query = query
        $0.limit = 1
        if kind == .lookup { $0.lookup = .with { $0.kind = .forward } }
        if kind == .unknownLookup { $0.lookup = .with { $0.kind = .UNRECOGNIZED(99) } }
      }.bytes)
    if isLater || kind == .postWithUnknownField { job.message(99) { $0.text(1, "of a later minor version") } }
    return job.bytes
  }
}
