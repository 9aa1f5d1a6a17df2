import CZeroMQ
import SwiftProtobuf
import Synchronization
import Testing

@testable import Domain
@testable import Messaging

@Suite("Job link rules", .serialized)
struct JobRuleTests {
  private let log = LineLog()

  /// A client outside of its reactor's loop, so that the test controls its clock and messages.
  private func worker() throws -> (reactor: Reactor, client: JobClient) {
    let (reactor, client) = try Reactor.start("worker", wake: WakeupEvent()) { [log] context in
      let client = try JobClient(
        context, connect: [Endpoint("tcp://127.0.0.1:1")], worker: "w", instance: .init(repeating: 1, count: 16),
        software: "test/1", concurrency: 4, logger: log.logger, joined: {}, reply: { _, _ in .outcome(.notFound) })
      return ([], Transferred(client))
    }
    return (reactor, client.client)
  }

  /// Passes a client to another thread. Only one thread at a time may use it.
  private struct Transferred: @unchecked Sendable {
    let client: JobClient
    init(_ client: JobClient) { self.client = client }
  }

  private static func refusal(major: UInt32, _ error: Onthemap_Jobs_V1_Error?) -> IngestFrame {
    .with {
      $0.magic = Protocol.magic
      $0.major = major
      if let error { $0.error = error }
    }
  }

  private static let versions: [(frame: IngestFrame, supported: String)] = [
    (
      refusal(
        major: 1,
        .with {
          $0.code = .unsupportedVersion
          ($0.minMajor, $0.maxMajor) = (2, 3)
        }), "2 to 3"
    ),
    (
      refusal(
        major: 4,
        .with {
          $0.code = .unsupportedVersion
          ($0.minMajor, $0.maxMajor) = (4, 4)
        }), "4 to 4"
    ),
    (refusal(major: 2, nil), "2"),
  ]

  @Test("A worker without a common version logs the remedy once, and retries after a minute", arguments: 0..<3)
  func version(number: Int) throws {
    let (reactor, client) = try worker()
    defer { reactor.stop() }
    let start = Reactor.nowMs
    _ = client.tick(nowMs: start)
    for second: Int64 in 0..<3 {
      client.receive([Self.versions[number].frame.bytes], nowMs: start + second)
      #expect(client.tick(nowMs: start + second) == start + second + Limits.quarantineMs)
    }
    let lines = log.lines(with: "protocol version mismatch")
    #expect(lines.count == 1 && lines[0].contains("ingest_versions=\(Self.versions[number].supported)"), "\(log.lines)")
    #expect(lines.first?.contains("run the same onthemap version") == true)
  }

  @Test(
    "A faulty Hello is refused with an error that names the fault",
    arguments: [
      ("", 16, "a name of 0 bytes"), (String(repeating: "x", count: 65), 16, "a name of 65 bytes"),
      ("a\tb", 16, "a control or invisible character"), ("w", 15, "an instance of 15 bytes"),
      ("w", 17, "an instance of 17 bytes"),
    ])
  func hello(name: String, instanceBytes: Int, words: String) {
    let hello = Onthemap_Jobs_V1_Hello.with {
      ($0.worker, $0.instance) = (name, .init(repeating: 1, count: instanceBytes))
    }
    #expect(hello.fault?.contains(words) == true, "\(hello.fault ?? "nothing")")
  }

  @Test("A Hello with a name of 1 or 64 bytes is valid", arguments: [1, 64])
  func rightHello(nameBytes: Int) {
    let hello = Onthemap_Jobs_V1_Hello.with {
      ($0.worker, $0.instance) = (String(repeating: "x", count: nameBytes), .init(repeating: 1, count: 16))
    }
    #expect(hello.fault == nil)
  }

  @Test(
    "A refused worker waits between 1 and 60 s, whatever pause ingest requests",
    arguments: [0, 500, 90_000] as [UInt32])
  func pause(retryAfterMs: UInt32) throws {
    let (reactor, client) = try worker()
    defer { reactor.stop() }
    let error = Onthemap_Jobs_V1_Error.with {
      $0.code = .busy
      $0.retryAfterMs = retryAfterMs
    }
    let start = Reactor.nowMs
    client.receive([IngestFrame(session: 0, .error(error)).bytes], nowMs: start)
    #expect(client.tick(nowMs: start) - start == min(max(1_000, Int64(retryAfterMs)), 60_000))
  }

  @Test("Frames of results keep the frame limit, and a single result above it becomes a permanent failure")
  func parts() {
    let long = Place.sample(label: String(repeating: "x", count: 500))
    let results = (1...40).map { number in
      JobResult(
        lease: Lease(job: JobID(rawValue: number), token: number),
        outcome: .located(Array(repeating: long, count: number == 7 ? 20 : 1)))
    }
    for bytesMax in [Limits.jobFrameBytesMin, 4_096, Limits.jobFrameBytesMax] {
      let frames = JobCodec.results(results, session: .max, bytesMax: bytesMax)
      #expect(frames.allSatisfy { $0.count <= bytesMax }, "\(frames.map(\.count))")
      let sent = frames.flatMap { WorkerFrame([$0][...])?.results.results ?? [] }
      #expect(sent.map(\.jobID) == (1...40).map { $0 })
      let failed = sent.filter { $0.failed.code == "result_too_large" }
      #expect(failed.map(\.jobID) == (bytesMax == Limits.jobFrameBytesMax ? [] : [7]))
      #expect(failed.allSatisfy { $0.failed.kind == .permanent })
    }
  }

  @Test("A worker obeys the frame limit of Welcome, and reports its progress")
  func welcome() async throws {
    let received = Mutex<[WorkerFrame]>([])
    let sizes = Mutex<[Int]>([])
    let jobs = (1...8).map { number in
      Onthemap_Jobs_V1_Job.with {
        ($0.jobID, $0.leaseToken, $0.query) = (number, number, "Oslo")
      }
    }
    let (reactor, endpoint) = try Reactor.start("ingest", wake: WakeupEvent()) { context in
      let ingest = try ScriptedIngest(context) { frame, size in
        received.withLock { $0.append(frame) }
        sizes.withLock { $0.append(size) }
        switch frame.body {
        case .hello:
          let welcome = Onthemap_Jobs_V1_Welcome.with {
            ($0.heartbeatMs, $0.livenessMs, $0.maxMessageBytes) = (100, 6_000, 2_048)
          }
          return [
            IngestFrame(session: 5, .welcome(welcome)), IngestFrame(session: 5, .jobs(.with { $0.jobs = jobs })),
          ]
        default: return []
        }
      }
      return ([ingest], ingest.endpoint)
    }
    defer { reactor.stop() }
    let worker = try TestWorker(endpoint) { _ in
      .located(Array(repeating: .sample(label: String(repeating: "x", count: 500)), count: 2))
    }
    defer { worker.reactor.stop() }
    try await eventually("a heartbeat reports a progress of 8") {
      received.withLock { frames in frames.contains { $0.heartbeat.hasProgress && $0.heartbeat.progress == 8 } }
    }
    #expect(Set(received.withLock { frames in frames.flatMap { $0.results.results.map(\.jobID) } }) == Set(1...8))
    #expect(sizes.withLock { $0.max() ?? 0 } <= 2_048)
  }

  @Test("The worker logs a connection that opens, is lost and is restored")
  func connection() async throws {
    let (ledger, startMs) = (Ledger(), Reactor.nowMs)
    let first = try TestServer(ledger)
    let endpoint = first.endpoint
    let worker = try TestWorker(endpoint, logger: log.logger)
    defer { worker.reactor.stop() }
    try await eventually("the worker is connected") {
      !log.lines(with: "connected endpoint=\(endpoint) link=jobs").isEmpty
    }
    first.reactor.stop()
    try await eventually("the connection is lost") {
      !log.lines(with: "connection lost: reconnecting endpoint=\(endpoint) link=jobs retry_ms=").isEmpty
    }
    let second = try TestServer(ledger, bind: endpoint, generation: 2)
    defer { second.reactor.stop() }
    try await eventually("the connection is restored") { log.lines(with: "connected endpoint=").count == 2 }
    let attemptsMax = 1 + linesMax(everyMs: Limits.logRepeatMs, since: startMs)
    #expect(log.lines(with: "retry_ms=").count <= attemptsMax, "\(log.lines)")
  }

  @Test("A worker logs an absent ingest once, not at each attempt")
  func absentIngest() async throws {
    let startMs = Reactor.nowMs
    let server = try TestServer(Ledger())
    server.reactor.stop()
    let worker = try TestWorker(server.endpoint, logger: log.logger)
    defer { worker.reactor.stop() }
    try await eventually("the log has the failed attempt") { !log.lines(with: "reason=no reply retry_ms=").isEmpty }
    let restarted = try TestServer(Ledger(), bind: server.endpoint)
    defer { restarted.reactor.stop() }
    try await eventually("the worker is connected") { !log.lines(with: "connected endpoint=").isEmpty }
    #expect(log.lines(with: "retry_ms=").count <= linesMax(everyMs: Limits.logRepeatMs, since: startMs))
  }

  @Test("Ingest quarantines a peer that sends only malformed frames, and serves others")
  func garbage() async throws {
    let ledger = Ledger()
    let server = try TestServer(ledger, logger: log.logger)
    defer { server.reactor.stop() }
    let socket = RawSocket(ZMQ_DEALER, connect: server.endpoint)
    for _ in 0..<Limits.malformedFramesMax { socket.send([[1, 2, 3]]) }
    var replies: [IngestFrame] = []
    try await eventually("the peer has the quarantine error") {
      while let frames = socket.receive() { replies += IngestFrame(frames).map { [$0] } ?? [] }
      return replies.contains { $0.error.detail.contains("quarantined") }
    }
    // Any other peer would get Reset for this frame.
    socket.send([WorkerFrame(session: 5, .heartbeat(.init())).bytes])
    let worker = try TestWorker(server.endpoint)
    defer { worker.reactor.stop() }
    server.add((1...200).map { .post($0) }, to: ledger)
    try await eventually("all jobs are settled") { ledger.unsettled.isEmpty }
    while let frames = socket.receive() { replies += IngestFrame(frames).map { [$0] } ?? [] }
    #expect(!replies.contains { $0.reset.reason == .unknownSession })
    #expect(log.lines(with: "peer quarantined").count == 1)
  }

  @Test("Each connection has its own random reconnect interval of 100 to 499 ms")
  func jitter() throws {
    let (reactor, pauses) = try Reactor.start("sockets", wake: WakeupEvent()) { context in
      let pauses = try (0..<20).map { _ in
        var (pauseMs, size): (Int32, Int) = (0, 4)
        zmq_getsockopt(try context.socket(.dealer, frameBytesMax: 1_000).handle, ZMQ_RECONNECT_IVL, &pauseMs, &size)
        return pauseMs
      }
      return ([], pauses)
    }
    reactor.stop()
    #expect(pauses.allSatisfy { (100..<500).contains($0) })
    #expect(Set(pauses).count > 5, "\(pauses)")
  }
}

/// A stub of ingest that a test scripts.
private final class ScriptedIngest: ReactorSocket {
  let socket: Socket
  let endpoint: Endpoint
  private let reply: (WorkerFrame, Int) -> [IngestFrame]

  init(_ context: Reactor.Context, reply: @escaping (WorkerFrame, Int) -> [IngestFrame]) throws {
    socket = try context.socket(.router, frameBytesMax: Limits.jobFrameBytesMax)
    endpoint = try socket.bind(.anyPort())
    self.reply = reply
  }

  func receive(_ frames: [[UInt8]], nowMs: Int64) {
    guard frames.count == 2, let frame = WorkerFrame(frames.dropFirst()) else { return }
    for message in reply(frame, frames[1].count) { socket.send(frames[0], message.bytes) }
  }

  func tick(nowMs: Int64) -> Int64 { .max }

  func shutDown() {}
}
