import CZeroMQ
import Foundation
import Testing

@testable import Domain
@testable import Messaging

@Suite("Links with keys", .serialized)
struct CurveTests {
  private let ledger = Ledger()
  private let log = LineLog()

  @Test("A pair's public key is that of its secret, and the secret is never described")
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

  @Test("A worker on the list is let in and works; the log says who it is")
  func letIn() async throws {
    let mine = try KeyPair.random()
    let keys = try TestKeys(mine)
    let server = try TestServer(ledger, curve: keys.curve, logger: log.logger)
    defer { server.reactor.stop() }
    let worker = try TestWorker(server.endpoint, curve: keys.client(mine))
    defer { worker.reactor.stop() }
    server.add((1...200).map { .post($0) }, to: ledger)
    try await eventually("all is settled") { ledger.unsettled.isEmpty }
    let line = try #require(log.lines(with: "peer let in").first)
    #expect(line.contains("link=jobs") && line.contains("name=peer 0"))
    #expect(line.contains(mine.publicKey.beginning) && !line.contains(mine.secret))
  }

  @Test("A worker that is not on the list is kept out, says why, and is let in once it is added")
  func denied() async throws {
    let (mine, other) = (try KeyPair.random(), try KeyPair.random())
    let (keys, startMs) = (try TestKeys(other), Reactor.nowMs)
    let server = try TestServer(ledger, curve: keys.curve, logger: log.logger)
    defer { server.reactor.stop() }
    let own = LineLog()
    let worker = try TestWorker(server.endpoint, curve: keys.client(mine), logger: own.logger)
    defer { worker.reactor.stop() }
    server.add([.post(1)], to: ledger)
    try await eventually("both ends say so") {
      !log.lines(with: "peer refused").isEmpty && !own.lines(with: "cannot connect").isEmpty
    }
    #expect(log.lines(with: "peer refused")[0].contains(mine.publicKey.beginning))
    #expect(own.lines(with: "cannot connect")[0].contains("add the key to its list"))
    // Long enough for the longest pause to be under way.
    try await Task.sleep(for: .seconds(4))
    #expect(worker.answered.value == 0)
    #expect(log.lines(with: "peer refused").count <= linesMax(everyMs: Limits.logRepeatMs, since: startMs))
    keys.access.replace(try AllowList.of([other, mine]))
    try await eventually("it is let in") { ledger.unsettled.isEmpty }
  }

  @Test(
    "Who is taken from the list is cut off, and the others come back by themselves",
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
    try await eventually("the first works") { ledger.settledCount == 1 }
    let staying = try TestWorker(server.endpoint.connectable, instance: 2, curve: keys.client(two))
    defer { staying.reactor.stop() }
    try await eventually("the second is there") { log.lines(with: "worker joined").count == 2 }
    let before = leaving.answered.value
    keys.access.replace(try AllowList.of([two]))
    try await eventually("it is refused") { !log.lines(with: "peer refused").isEmpty }
    let endpoint = server.endpoint
    server.add((2...50).map { .post($0) }, to: ledger)
    try await eventually("the other does all") { ledger.unsettled.isEmpty }
    #expect(staying.answered.value >= 49 && leaving.answered.value == before)
    #expect(server.endpoint == endpoint && ledger.mostOften == 1)
  }

  @Test("Keys that are added, and names that change, cut off nobody")
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

  /// Counts the connections of a worker that has a wrong public key of the server, until libzmq alone has made fifty.
  ///
  /// - Returns: the number of the worker's connections, and the most that its pauses allow.
  private func countHandshakes() async throws -> (connections: Int, most: Int) {
    let keys = try KeyPair.random()
    let wrong = CurveClient(keys: try .random(), server: try KeyPair.random().publicKey)
    let (ours, alone) = (try CountingServer(keys), try CountingServer(keys))
    let (own, startMs) = (LineLog(), Reactor.nowMs)
    let worker = try TestWorker(ours.endpoint, curve: wrong, logger: own.logger)
    defer { worker.reactor.stop() }
    let raw = RawSocket(ZMQ_DEALER, connect: alone.endpoint, curve: wrong)
    // libzmq's pauses are 0.1 to 0.2 s, so that fifty take 7.5 s. On a slow machine they take longer.
    try await eventually("it has tried four times, and libzmq alone fifty times") {
      let (few, many) = (ours.count(), alone.count())
      return few >= 4 && many > 50
    }
    let passedMs = Reactor.nowMs - startMs
    let linesMost = linesMax(everyMs: Limits.logRepeatMs, since: startMs)
    for words in ["cannot connect", "is this its public key"] {
      #expect((1...linesMost).contains(own.lines(with: words).count), "\(words)")
    }
    withExtendedLifetime(raw) {}
    // The pauses are 0.5 to 1, 1 to 2, 2 to 4, and then 2.5 to 5 s.
    return (ours.connections, 4 + max(0, Int(passedMs) - 3_500) / 2_500)
  }

  @Test("A wrong public key of the server makes few handshakes, where libzmq alone would make many")
  func storm() async throws {
    var rounds: [String] = []
    // If the worker's thread is late, libzmq connects again by itself. A round may have two such connections, and on a
    // slow machine some rounds have more. Without our pauses each round has 11 connections or more.
    for _ in 0..<10 {
      let (connections, most) = try await countHandshakes()
      if connections <= most + 2 { return }
      rounds.append("\(connections) instead of \(most)")
    }
    Issue.record("The worker does not keep its pauses in any round: \(rounds)")
  }

  @Test("A worker without keys gets nowhere where keys are asked for, nor one with keys where none are")
  func mixed() async throws {
    let mine = try KeyPair.random()
    let keys = try TestKeys(mine)
    let (locked, open) = (try TestServer(ledger, curve: keys.curve, logger: log.logger), try TestServer(ledger))
    let (own, plainLog) = (LineLog(), LineLog())
    let plain = try TestWorker(locked.endpoint, logger: plainLog.logger)
    let keyed = try TestWorker(open.endpoint, curve: keys.client(mine), logger: own.logger)
    defer { for reactor in [locked.reactor, open.reactor, plain.reactor, keyed.reactor] { reactor.stop() } }
    locked.add([.post(1)], to: ledger)
    open.add([.post(2)], to: ledger)
    try await eventually("both are told") {
      // Whichever end sees it first cuts the connection, and the other one can only guess.
      !log.lines(with: "the peer does not use keys").isEmpty
        && !(own.lines(with: "in plain text") + own.lines(with: "does it use keys?")).isEmpty
        && !plainLog.lines(with: "asks for keys (CURVE)").isEmpty
    }
    let line = try #require(plainLog.lines(with: "asks for keys (CURVE)").first)
    #expect(line.contains("pass --key-file and its public key (--ingest-key)"))
    #expect(plain.answered.value == 0 && keyed.answered.value == 0)
    let worker = try TestWorker(locked.endpoint, instance: 9, curve: keys.client(mine))
    defer { worker.reactor.stop() }
    try await eventually("who has keys works") { ledger.settledCount == 1 }
    #expect(plain.answered.value == 0)
  }

  @Test("A feed without keys gets no list where keys are asked for, and says why; one with a key that is listed does")
  func feedWithoutKeys() async throws {
    let mine = try KeyPair.random()
    let keys = try TestKeys(mine)
    let server = try TestChangeServer(.sample(1...3), curve: keys.curve)
    let own = LineLog()
    let plain = try TestChangeClient(server.endpoint, logger: own.logger)
    let keyed = try TestChangeClient(server.endpoint, curve: keys.client(mine))
    defer { for reactor in [server.reactor, plain.reactor, keyed.reactor] { reactor.stop() } }
    try await eventually("it says why") { !own.lines(with: "asks for keys (CURVE)").isEmpty }
    let line = try #require(own.lines(with: "asks for keys (CURVE)").first)
    #expect(line.contains("pass --key-file and its public key (--ingest-key)"))
    try await eventually("the other one has the list") { keyed.state == .sample(1...3) }
    #expect(plain.state == nil)
  }

  @Test("A worker without keys goes on trying where keys are asked for, and comes in once they are not")
  func opened() async throws {
    let keys = try TestKeys(try KeyPair.random())
    let locked = try TestServer(ledger, curve: keys.curve)
    defer { locked.reactor.stop() }
    let (endpoint, own, startMs) = (locked.endpoint, LineLog(), Reactor.nowMs)
    let worker = try TestWorker(endpoint, logger: own.logger)
    defer { worker.reactor.stop() }
    try await eventually("it says why it is kept out") { !own.lines(with: "asks for keys (CURVE)").isEmpty }
    locked.reactor.stop()
    let open = try TestServer(ledger, bind: endpoint, generation: 2)
    defer { open.reactor.stop() }
    open.add([.post(1)], to: ledger)
    try await eventually("it works") { ledger.settledCount == 1 }
    let most = 1 + linesMax(everyMs: Limits.logRepeatMs, since: startMs)
    #expect(own.lines(with: "cannot connect").count <= most, "\(own.lines)")
  }

  @Test("A worker waits for a server that is not there yet, and finds it again after its restart")
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
      try await eventually("it works") { ledger.settledCount == Int(number) }
    }
  }

  @Test("What is said on a link with keys cannot be read on the way; without keys it can")
  func eavesdropping() async throws {
    let mine = try KeyPair.random()
    let keys = try TestKeys(mine)
    for (curve, client) in [(nil, nil), (keys.curve, keys.client(mine))] as [(CurveServer?, CurveClient?)] {
      let ledger = Ledger()
      let server = try TestServer(ledger, curve: curve)
      let relay = Eavesdropper(to: server.endpoint.port)
      let worker = try TestWorker(Endpoint("tcp://127.0.0.1:\(relay.port)"), curve: client)
      server.add([.post(4_711)], to: ledger)
      try await eventually("it is settled") { ledger.unsettled.isEmpty }
      #expect(relay.hasHeard("Oslo 4711") == (curve == nil) && relay.hasHeard("Seattle") == (curve == nil))
      #expect(relay.count > 300)
      for reactor in [worker.reactor, server.reactor] { reactor.stop() }
      relay.stop()
    }
  }

  @Test("It ends with peers that are refused, in the middle of a handshake, or held back")
  func stop() async throws {
    let (mine, other) = (try KeyPair.random(), try KeyPair.random())
    let keys = try TestKeys(mine)
    let server = try TestServer(ledger, curve: keys.curve, logger: log.logger)
    let half = RawConnection(port: server.endpoint.port)
    half.write([0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 0] + Array("CURVE".utf8) + [UInt8](repeating: 0, count: 47))
    let workers = try [mine, other, mine].enumerated().map {
      try TestWorker(server.endpoint, instance: UInt8($0), curve: keys.client($1))
    }
    try await eventually("some are in and one is not") {
      !log.lines(with: "peer refused").isEmpty && !log.lines(with: "worker joined").isEmpty
    }
    for reactor in [server.reactor] + workers.map(\.reactor) { try await expectEnd(of: reactor) }
    withExtendedLifetime(half) {}
  }
}
