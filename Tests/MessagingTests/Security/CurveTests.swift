import CZeroMQ
import Foundation
import Testing

@testable import Domain
@testable import Messaging

@Suite("Job link and change log with CURVE", .serialized)
struct CurveTests {
  private let ledger = Ledger()
  private let log = LineLog()

  @Test("The public key of a pair belongs to its secret, and no description shows the secret")
  func pair() throws {
    for _ in 0..<50 {
      let pair = try KeyPair.random()
      #expect(KeyPair(secret: pair.secret)?.publicKey == pair.publicKey)
      #expect(!"\(pair)".contains(pair.secret))
      #expect(pair.secret.first != "#" && pair.publicKey.description.first != "-")
    }
    #expect(KeyPair(secret: "short") == nil)
    #expect(KeyPair(secret: String(repeating: "\"", count: 40)) == nil)
  }

  @Test("An allowlisted worker connects and works, and the log names it")
  func allowlisted() async throws {
    let mine = try KeyPair.random()
    let keys = try TestKeys(mine)
    let server = try TestServer(ledger, curve: keys.curve, logger: log.logger)
    defer { server.reactor.stop() }
    let worker = try TestWorker(server.endpoint, curve: keys.client(mine))
    defer { worker.reactor.stop() }
    server.add((1...200).map { .post($0) }, to: ledger)
    try await eventually("all jobs are settled") { ledger.unsettled.isEmpty }
    let line = try #require(log.lines(with: "peer connected").first)
    #expect(line.contains("link=jobs") && line.contains("name=peer 0"))
    #expect(line.contains(mine.publicKey.beginning) && !line.contains(mine.secret))
  }

  @Test("A worker not on the allowlist is refused, logs the reason, and connects once it is added")
  func notAllowlisted() async throws {
    let (mine, other) = (try KeyPair.random(), try KeyPair.random())
    let (keys, startMs) = (try TestKeys(other), Reactor.nowMs)
    let server = try TestServer(ledger, curve: keys.curve, logger: log.logger)
    defer { server.reactor.stop() }
    let workerLog = LineLog()
    let worker = try TestWorker(server.endpoint, curve: keys.client(mine), logger: workerLog.logger)
    defer { worker.reactor.stop() }
    server.add([.post(1)], to: ledger)
    try await eventually("both ends log the refusal") {
      !log.lines(with: "peer refused").isEmpty && !workerLog.lines(with: "key not on its allowlist").isEmpty
    }
    #expect(log.lines(with: "peer refused")[0].contains(mine.publicKey.beginning))
    #expect(workerLog.lines(with: "key not on its allowlist")[0].hasPrefix("cannot connect "))
    // Wait until the backoff has reached its longest pause.
    try await Task.sleep(for: .seconds(4))
    #expect(worker.replies.value == 0)
    #expect(log.lines(with: "peer refused").count <= linesMax(everyMs: Limits.logRepeatMs, since: startMs))
    keys.access.replace(try AllowList.of([other, mine]))
    try await eventually("the added worker settles the job") { ledger.unsettled.isEmpty }
  }

  @Test(
    "A worker that loses its allowlist entry is disconnected, and others reconnect by themselves",
    arguments: ["tcp://127.0.0.1:*", "tcp://*:*", "tcp://[::1]:*", "ipc://FOLDER/jobs", "ipc://@FOLDER/jobs"])
  func revoked(address: String) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "otm-\(UInt32.random(in: 0 ... .max))").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let bind = try Endpoint(address.replacingOccurrences(of: "FOLDER", with: folder))
    let (one, two) = (try KeyPair.random(), try KeyPair.random())
    let keys = try TestKeys(one, two)
    let server = try TestServer(ledger, bind: bind, curve: keys.curve, logger: log.logger)
    defer { server.reactor.stop() }
    let leaving = try TestWorker(server.endpoint.connectable, instance: 1, curve: keys.client(one))
    defer { leaving.reactor.stop() }
    server.add([.post(1)], to: ledger)
    try await eventually("the first worker settles a job") { ledger.settledCount == 1 }
    let staying = try TestWorker(server.endpoint.connectable, instance: 2, curve: keys.client(two))
    defer { staying.reactor.stop() }
    try await eventually("the second worker is connected") { log.lines(with: "worker connected").count == 2 }
    let before = leaving.replies.value
    keys.access.replace(try AllowList.of([two]))
    try await eventually("the first worker is refused") { !log.lines(with: "peer refused").isEmpty }
    let endpoint = server.endpoint
    server.add((2...50).map { .post($0) }, to: ledger)
    try await eventually("the second worker settles all jobs") { ledger.unsettled.isEmpty }
    #expect(staying.replies.value >= 49 && leaving.replies.value == before)
    #expect(server.endpoint == endpoint && ledger.settlementsMax == 1)
  }

  @Test("Added keys and changed names revoke no connection")
  func added() async throws {
    let (one, two) = (try KeyPair.random(), try KeyPair.random())
    let access = LiveAllowList(try AllowList.of([one]))
    access.replace(try AllowList.of([two, one]))
    #expect(access.revocations == 0 && access.name(of: one.publicKey) == "peer 1")
    access.replace(try AllowList.of([two]))
    #expect(access.revocations == 1 && access.name(of: one.publicKey) == nil)
    #expect(LiveAllowList(nil).name(of: one.publicKey) == "anyone")
    #expect(LiveAllowList(AllowList(), own: one.publicKey).name(of: one.publicKey) == "this process")
    #expect(LiveAllowList(AllowList(), own: one.publicKey).name(of: two.publicKey) == nil)
  }

  /// Counts the connections of a worker with a wrong server key, until libzmq alone has made fifty connections.
  ///
  /// - Returns: The number of the worker's connections, and the maximum that its backoff allows.
  private func countHandshakes() async throws -> (connections: Int, connectionsMax: Int) {
    let keys = try KeyPair.random()
    let wrong = CurveClient(keys: try .random(), server: try KeyPair.random().publicKey)
    let (ours, alone) = (try CountingServer(keys), try CountingServer(keys))
    let (workerLog, startMs) = (LineLog(), Reactor.nowMs)
    let worker = try TestWorker(ours.endpoint, curve: wrong, logger: workerLog.logger)
    defer { worker.reactor.stop() }
    let raw = RawSocket(ZMQ_DEALER, connect: alone.endpoint, curve: wrong)
    // libzmq's pauses are 0.1 to 0.2 s, so fifty attempts take 7.5 s, and longer on a slow machine.
    try await eventually("the worker has made four attempts, and libzmq alone fifty") {
      let (few, many) = (ours.count(), alone.count())
      return few >= 4 && many > 50
    }
    let passedMs = Reactor.nowMs - startMs
    let lineLimit = linesMax(everyMs: Limits.logRepeatMs, since: startMs)
    let lines = workerLog.lines(with: "handshake closed: wrong server key")
    #expect((1...lineLimit).contains(lines.count) && lines.allSatisfy { $0.hasPrefix("cannot connect ") })
    withExtendedLifetime(raw) {}
    // The worker's pauses are 0.5 to 1, 1 to 2, 2 to 4, and then 2.5 to 5 s.
    return (ours.connections, 4 + max(0, Int(passedMs) - 3_500) / 2_500)
  }

  @Test("A worker with a wrong server key makes far fewer handshakes than libzmq alone")
  func storm() async throws {
    var rounds: [String] = []
    // If the worker's thread is late, libzmq reconnects by itself. A round may have two such connections, and on a slow
    // machine some rounds have more. Without our backoff each round has 11 connections or more.
    for _ in 0..<10 {
      let (connections, connectionsMax) = try await countHandshakes()
      if connections <= connectionsMax + 2 { return }
      rounds.append("\(connections) instead of \(connectionsMax)")
    }
    Issue.record("The worker does not keep its backoff in any round: \(rounds)")
  }

  @Test("A worker without keys cannot use a link with CURVE, and a worker with keys cannot use a plain link")
  func mixed() async throws {
    let mine = try KeyPair.random()
    let keys = try TestKeys(mine)
    let (locked, open) = (try TestServer(ledger, curve: keys.curve, logger: log.logger), try TestServer(ledger))
    let (workerLog, plainLog) = (LineLog(), LineLog())
    let plain = try TestWorker(locked.endpoint, logger: plainLog.logger)
    let keyed = try TestWorker(open.endpoint, curve: keys.client(mine), logger: workerLog.logger)
    defer { for reactor in [locked.reactor, open.reactor, plain.reactor, keyed.reactor] { reactor.stop() } }
    locked.add([.post(1)], to: ledger)
    open.add([.post(2)], to: ledger)
    try await eventually("both workers log the reason") {
      // The end that sees the mismatch first closes the connection, and the other end can only guess.
      !log.lines(with: "peer sent no key").isEmpty
        && !(workerLog.lines(with: "peer does not use keys") + workerLog.lines(with: "peer without keys")).isEmpty
        && !plainLog.lines(with: "requires keys (CURVE)").isEmpty
    }
    let line = try #require(plainLog.lines(with: "requires keys (CURVE)").first)
    #expect(line.contains("pass --key-file and --ingest-key"))
    #expect(plain.replies.value == 0 && keyed.replies.value == 0)
    let worker = try TestWorker(locked.endpoint, instance: 9, curve: keys.client(mine))
    defer { worker.reactor.stop() }
    try await eventually("a worker with keys settles the job") { ledger.settledCount == 1 }
    #expect(plain.replies.value == 0)
  }

  @Test("A feed without keys gets no list from a link with CURVE, and logs the remedy")
  func feedWithoutKeys() async throws {
    let mine = try KeyPair.random()
    let keys = try TestKeys(mine)
    let server = try TestChangeServer(.sample(1...3), curve: keys.curve)
    let clientLog = LineLog()
    let plain = try TestChangeClient(server.endpoint, logger: clientLog.logger)
    let keyed = try TestChangeClient(server.endpoint, curve: keys.client(mine))
    defer { for reactor in [server.reactor, plain.reactor, keyed.reactor] { reactor.stop() } }
    try await eventually("the feed logs the reason") { !clientLog.lines(with: "requires keys (CURVE)").isEmpty }
    let line = try #require(clientLog.lines(with: "requires keys (CURVE)").first)
    #expect(line.contains("pass --key-file and --ingest-key"))
    try await eventually("the feed with keys has the list") { keyed.state == .sample(1...3) }
    #expect(plain.state == nil)
  }

  @Test("A worker without keys keeps trying, and connects once the link needs no keys")
  func opened() async throws {
    let keys = try TestKeys(try KeyPair.random())
    let locked = try TestServer(ledger, curve: keys.curve)
    defer { locked.reactor.stop() }
    let (endpoint, workerLog, startMs) = (locked.endpoint, LineLog(), Reactor.nowMs)
    let worker = try TestWorker(endpoint, logger: workerLog.logger)
    defer { worker.reactor.stop() }
    try await eventually("the worker logs the reason") { !workerLog.lines(with: "requires keys (CURVE)").isEmpty }
    locked.reactor.stop()
    let open = try TestServer(ledger, bind: endpoint, generation: 2)
    defer { open.reactor.stop() }
    open.add([.post(1)], to: ledger)
    try await eventually("the worker settles the job") { ledger.settledCount == 1 }
    let failuresMax = 1 + linesMax(everyMs: Limits.logRepeatMs, since: startMs)
    let failures = workerLog.lines(with: "cannot connect").filter { !$0.contains("no reply") }
    #expect(failures.count <= failuresMax, "\(workerLog.lines)")
  }

  @Test("A worker waits for an absent server, and reconnects after its restart")
  func restart() async throws {
    let mine = try KeyPair.random()
    let keys = try TestKeys(mine)
    let first = try TestServer(ledger, curve: keys.curve)
    let endpoint = first.endpoint
    first.reactor.stop()
    let worker = try TestWorker(endpoint, curve: keys.client(mine))
    defer { worker.reactor.stop() }
    for number: UInt64 in 1...2 {
      let server = try TestServer(ledger, bind: endpoint, generation: UInt32(number), curve: keys.curve)
      defer { server.reactor.stop() }
      server.add([.post(number)], to: ledger)
      try await eventually("the worker settles job \(number)") { ledger.settledCount == Int(number) }
    }
  }

  @Test("A relay can read a plain link, but not a link with CURVE")
  func eavesdropping() async throws {
    let mine = try KeyPair.random()
    let keys = try TestKeys(mine)
    for (curve, client) in [(nil, nil), (keys.curve, keys.client(mine))] as [(CurveServer?, CurveClient?)] {
      let ledger = Ledger()
      let server = try TestServer(ledger, curve: curve)
      let relay = Eavesdropper(to: server.endpoint.port)
      let worker = try TestWorker(Endpoint("tcp://127.0.0.1:\(relay.port)"), curve: client)
      server.add([.post(4_711)], to: ledger)
      try await eventually("the job is settled") { ledger.unsettled.isEmpty }
      #expect(relay.hasSeen("Oslo 4711") == (curve == nil) && relay.hasSeen("Seattle") == (curve == nil))
      #expect(relay.count > 300)
      for reactor in [worker.reactor, server.reactor] { reactor.stop() }
      relay.stop()
    }
  }

  @Test("A reactor stops despite refused, half-connected and suspended peers")
  func stop() async throws {
    let (mine, other) = (try KeyPair.random(), try KeyPair.random())
    let keys = try TestKeys(mine)
    let server = try TestServer(ledger, curve: keys.curve, logger: log.logger)
    let half = RawConnection(port: server.endpoint.port)
    half.write([0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 0] + Array("CURVE".utf8) + [UInt8](repeating: 0, count: 47))
    let workers = try [mine, other, mine].enumerated().map {
      try TestWorker(server.endpoint, instance: UInt8($0), curve: keys.client($1))
    }
    try await eventually("a worker is connected and another is refused") {
      !log.lines(with: "peer refused").isEmpty && !log.lines(with: "worker connected").isEmpty
    }
    for reactor in [server.reactor] + workers.map(\.reactor) { try await expectEnd(of: reactor) }
    withExtendedLifetime(half) {}
  }
}
