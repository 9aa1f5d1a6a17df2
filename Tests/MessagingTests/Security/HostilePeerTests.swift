import CZeroMQ
import Foundation
import Fuzzing
import SwiftProtobuf
import Testing

@testable import Domain
@testable import Messaging

@Suite("Hostile peers", .serialized)
struct HostilePeerTests {
  private let ledger = Ledger()

  /// Misbehaviours of a peer of a ROUTER. Each returns the objects that keep its connection open.
  private static let misbehaviours: [(String, @Sendable (Endpoint) -> [AnyObject])] = [
    ("raw bytes", { raw($0, [UInt8](repeating: 0xA5, count: 5_000)) }),
    ("an HTTP GET", { raw($0, Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8)) }),
    ("a ZMTP 1.0 greeting", { raw($0, [0x01, 0x00, 0x05, 0x00, 0x68, 0x65, 0x6C, 0x6C]) }),
    (
      "a broken ZMTP 3 greeting",
      { raw($0, [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3] + Array(repeating: 0xFF, count: 99)) }
    ),
    (
      "a CURVE greeting and noise",
      {
        raw(
          $0,
          [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 0] + Array("CURVE".utf8) + [UInt8](repeating: 0, count: 47)
            + [4, 200, 5] + Array("HELLO".utf8) + [1, 0] + [UInt8](repeating: 0x5A, count: 192))
      }
    ),
    ("a silent connection", { raw($0, []) }),
    ("empty frames", { dealer($0, [[[]], [[], []], [[], [], []]]) }),
    ("three frames", { dealer($0, [[[1], [2], [3]]]) }),
    ("an oversize frame", { dealer($0, [[[UInt8](repeating: 8, count: 1_000_000)]]) }),
    ("a frame of another link", { dealer($0, [[FetchRequest(id: 1, feed: "x", after: nil).bytes]]) }),
    ("a frame of another version", { dealer($0, [[otherVersion]]) }),
    ("random frames", { dealer($0, noise(seed: 1)) }),
    ("an unknown session", { dealer($0, [[WorkerFrame(session: 77, .credit(.with { $0.jobLimit = 9 })).bytes]]) }),
    ("a Hello without instance", { dealer($0, [[WorkerFrame(session: 0, .hello(.with { $0.minMajor = 1 })).bytes]]) }),
  ]

  private static var otherVersion: [UInt8] {
    WorkerFrame.with {
      $0.magic = Protocol.magic
      $0.major = 9
    }.bytes
  }

  private static func raw(_ endpoint: Endpoint, _ bytes: [UInt8]) -> [AnyObject] {
    let connection = RawConnection(port: endpoint.port)
    connection.write(bytes)
    return [connection]
  }

  private static func dealer(_ endpoint: Endpoint, _ messages: [[[UInt8]]]) -> [AnyObject] {
    let socket = RawSocket(ZMQ_DEALER, connect: endpoint)
    for message in messages { socket.send(message) }
    return [socket]
  }

  private static func noise(seed: UInt64) -> [[[UInt8]]] {
    var random = SeededRandom(seed: seed)
    return (0..<500).map { _ in
      [(0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }]
    }
  }

  @Test("The job link works despite each misbehaving peer", arguments: misbehaviours.indices)
  func jobLink(index: Int) async throws {
    let server = try TestServer(ledger)
    defer { server.reactor.stop() }
    let peers = Self.misbehaviours[index].1(server.endpoint)
    let worker = try TestWorker(server.endpoint)
    defer { worker.reactor.stop() }
    server.add((1...200).map { .post($0) }, to: ledger)
    try await eventually("all jobs are settled despite \(Self.misbehaviours[index].0)") { ledger.unsettled.isEmpty }
    #expect(worker.replies.value == 200)
    withExtendedLifetime(peers) {}
  }

  @Test("The job link with CURVE refuses each misbehaving peer and works", arguments: misbehaviours.indices)
  func jobLinkWithKeys(index: Int) async throws {
    let (mine, log) = (try KeyPair.random(), LineLog())
    let keys = try TestKeys(mine)
    let server = try TestServer(ledger, curve: keys.curve, logger: log.logger)
    defer { server.reactor.stop() }
    let peers = Self.misbehaviours[index].1(server.endpoint)
    let worker = try TestWorker(server.endpoint, curve: keys.client(mine))
    defer { worker.reactor.stop() }
    server.add((1...20).map { .post($0) }, to: ledger)
    try await eventually("all jobs are settled despite \(Self.misbehaviours[index].0)") { ledger.unsettled.isEmpty }
    #expect(log.lines(with: "malformed frame").isEmpty && log.lines(with: "peer connected").count == 1)
    withExtendedLifetime(peers) {}
  }

  @Test("The change log works despite each misbehaving peer", arguments: misbehaviours.indices)
  func changeLog(index: Int) async throws {
    let server = try TestChangeServer(.sample(1...5))
    defer { server.reactor.stop() }
    let peers = Self.misbehaviours[index].1(server.endpoint)
    let client = try TestChangeClient(server.endpoint)
    defer { client.reactor.stop() }
    server.commands.enqueue([.sample(6)])
    try await eventually("the client has the change despite \(Self.misbehaviours[index].0)") { client.state?.seq == 6 }
    withExtendedLifetime(peers) {}
  }

  @Test("The submission link works despite each misbehaving peer", arguments: misbehaviours.indices)
  func submission(index: Int) async throws {
    let server = TestSubmitServer()
    let (reactor, endpoint) = try server.start()
    defer { reactor.stop() }
    let peers = Self.misbehaviours[index].1(endpoint)
    let producer = RawProducer(socket: RawSocket(ZMQ_DEALER, connect: endpoint))
    producer.send(1, [.sample(1)])
    #expect(try await producer.reply(to: 1).receipts.receipts.count == 1, "despite \(Self.misbehaviours[index].0)")
    withExtendedLifetime(peers) {}
  }

  @Test("Ingest answers malformed frames with an error, at most once a second")
  func malformed() async throws {
    let server = try TestServer(ledger)
    defer { server.reactor.stop() }
    let socket = RawSocket(ZMQ_DEALER, connect: server.endpoint)
    let startMs = Reactor.nowMs
    for _ in 0..<50 { socket.send([[1, 2, 3]]) }
    var replies: [IngestFrame] = []
    // The next valid frame always gets a reply, after all replies to the malformed frames.
    socket.send([WorkerFrame(session: 5, .heartbeat(.init())).bytes])
    try await eventually("the peer has a reply to the last frame") {
      while let frames = socket.receive() { replies += IngestFrame(frames).map { [$0] } ?? [] }
      return replies.contains { $0.reset.reason == .unknownSession }
    }
    let errors = replies.dropLast()
    #expect((1...linesMax(everyMs: Limits.malformedRepeatMs, since: startMs)).contains(errors.count))
    #expect(errors.allSatisfy { $0.error.code == .malformed && !$0.error.detail.isEmpty })
  }

  @Test("A worker of another version gets an error with the supported versions")
  func version() async throws {
    let server = try TestServer(ledger)
    defer { server.reactor.stop() }
    let socket = RawSocket(ZMQ_DEALER, connect: server.endpoint)
    socket.send([
      WorkerFrame(
        session: 0,
        .hello(
          .with {
            $0.minMajor = 2
            $0.maxMajor = 3
            $0.worker = "w"
            $0.instance = .init(count: 16)
          })
      ).bytes
    ])
    var reply: IngestFrame?
    try await eventually("the peer has a reply") {
      reply = socket.receive().flatMap { IngestFrame($0) }
      return reply != nil
    }
    #expect(reply?.error.code == .unsupportedVersion)
    #expect(reply?.error.minMajor == 1)
    #expect(reply?.error.maxMajor == 1)
    #expect((reply?.error.retryAfterMs ?? 0) >= 1_000)
  }

  @Test(
    "A frame of another major version gets an error, whatever its body",
    arguments: [[], [0x9A, 0x06, 0x01, 0x00]] as [[UInt8]])
  func laterMajor(body: [UInt8]) async throws {
    let server = try TestServer(ledger)
    defer { server.reactor.stop() }
    let socket = RawSocket(ZMQ_DEALER, connect: server.endpoint)
    socket.send([Self.otherVersion + body])
    var reply: IngestFrame?
    try await eventually("the peer has a reply") {
      reply = socket.receive().flatMap { IngestFrame($0) }
      return reply != nil
    }
    #expect(reply?.error.code == .unsupportedVersion)
  }

  @Test("The change log answers frames of another major version with an error once a second")
  func laterMajorOfChanges() async throws {
    let server = try TestChangeServer(.sample(1...5))
    defer { server.reactor.stop() }
    let socket = RawSocket(ZMQ_DEALER, connect: server.endpoint)
    var other = FetchRequest(id: 7, feed: String(repeating: "x", count: 100), after: nil)
    other.major = 2
    let startMs = Reactor.nowMs
    for _ in 0..<50 { socket.send([other.bytes]) }
    // The next valid frame always gets a reply, after all replies to the frames of the other version.
    socket.send([FetchRequest(id: 8, feed: "x", after: nil).bytes])
    var replies: [FetchReply] = []
    try await eventually("the peer has a reply to the last frame") {
      while let frames = socket.receive() { replies += FetchReply(frames).map { [$0] } ?? [] }
      return replies.contains { $0.requestID == 8 }
    }
    let errors = replies.dropLast()
    #expect((1...linesMax(everyMs: Limits.malformedRepeatMs, since: startMs)).contains(errors.count))
    #expect(errors.allSatisfy { $0.requestID == 7 && $0.error.code == .unsupportedVersion })
    #expect(replies.last?.requestID == 8 && replies.last?.snapshot.entries.count == 5)
  }

  @Test("Ingest ignores bodies of a later minor version and keeps the session")
  func laterMinor() async throws {
    let server = try TestServer(ledger)
    defer { server.reactor.stop() }
    let socket = RawSocket(ZMQ_DEALER, connect: server.endpoint)
    socket.send([Self.hello(instance: 1)])
    let session = try await Self.welcome(socket)
    // Field 99 is a body that is unknown to this version.
    var unknownBody = WorkerFrame(session: session, .credit(.init()))
    unknownBody.body = nil
    unknownBody.minor = 7
    socket.send([unknownBody.bytes + [0x9A, 0x06, 0x01, 0x00]])
    socket.send([WorkerFrame(session: session, .credit(.with { $0.jobLimit = 1 })).bytes])
    server.add([.post(1)], to: ledger)
    var frames: [IngestFrame] = []
    try await eventually("the worker gets the job") {
      while let next = socket.receive() { frames += IngestFrame(next).map { [$0] } ?? [] }
      return frames.contains { $0.jobs.jobs.count == 1 }
    }
    #expect(!frames.contains { $0.error.code == .malformed })
  }

  @Test("A second instance on a connection ends the first session, and gets its job")
  func secondInstance() async throws {
    let server = try TestServer(ledger)
    defer { server.reactor.stop() }
    server.add([.post(1)], to: ledger)
    let socket = RawSocket(ZMQ_DEALER, connect: server.endpoint)
    for instance: UInt8 in 1...2 {
      socket.send([Self.hello(instance: instance)])
      let session = try await Self.welcome(socket)
      socket.send([WorkerFrame(session: session, .credit(.with { $0.jobLimit = 1 })).bytes])
      try await eventually("instance \(instance) gets the job") {
        while let next = socket.receive() {
          if IngestFrame(next)?.jobs.jobs.count == 1 { return true }
        }
        return false
      }
    }
    #expect(ledger.losses.isEmpty)
  }

  @Test("The log names a silent worker and its address")
  func silent() async throws {
    let log = LineLog()
    let server = try TestServer(ledger, logger: log.logger)
    defer { server.reactor.stop() }
    let socket = RawSocket(ZMQ_DEALER, connect: server.endpoint)
    socket.send([Self.hello(instance: 1)])
    _ = try await Self.welcome(socket)
    try await eventually("the log has the lost worker") { !log.lines(with: "worker lost").isEmpty }
    let line = try #require(log.lines(with: "worker lost").first)
    #expect(line.contains("worker=w") && line.contains("address=127.0.0.1"), "\(line)")
    #expect(log.lines(with: "worker connected").first?.contains("address=127.0.0.1") == true)
  }

  private static func hello(instance: UInt8) -> [UInt8] {
    WorkerFrame(
      session: 0,
      .hello(
        .with {
          $0.minMajor = 1
          $0.maxMajor = 1
          $0.worker = "w"
          $0.instance = .init(repeating: instance, count: 16)
        })
    ).bytes
  }

  private static func welcome(_ socket: RawSocket) async throws -> UInt64 {
    var session: UInt64 = 0
    try await eventually("the peer has a Welcome") {
      while let frames = socket.receive() {
        if let frame = IngestFrame(frames), case .welcome? = frame.body { session = frame.session }
      }
      return session != 0
    }
    return session
  }
}
