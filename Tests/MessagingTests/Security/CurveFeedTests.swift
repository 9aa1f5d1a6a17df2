import CZeroMQ
import Foundation
import Testing

@testable import Domain
@testable import Messaging

@Suite("Change log and feed with CURVE", .serialized)
struct CurveFeedTests {
  @Test(
    "Changes reach subscribers on the allowlist, or any subscriber with a key if there is no allowlist",
    arguments: [false, true])
  func whole(isForAnyone: Bool) async throws {
    let (feedKeys, reader, stranger) = (try KeyPair.random(), try KeyPair.random(), try KeyPair.random())
    let ingest = try TestKeys(feedKeys)
    let publish = CurveServer(keys: feedKeys, access: LiveAllowList(isForAnyone ? nil : try AllowList.of([reader])))
    let changes = try TestChangeServer(.sample(1...5), curve: ingest.curve)
    let feed = try TestFeed(pulling: changes.endpoint, pullCurve: ingest.client(feedKeys), curve: publish)
    func client(_ pair: KeyPair) -> CurveClient { CurveClient(keys: pair, server: feedKeys.publicKey) }
    let known = try TestSubscriber(feed.endpoint, curve: client(reader))
    let unknown = try TestSubscriber(feed.endpoint, curve: client(stranger))
    let plain = try TestSubscriber(feed.endpoint)
    defer {
      for reactor in [changes.reactor, feed.reactor, known.reactor, unknown.reactor, plain.reactor] { reactor.stop() }
    }
    try await eventually("the allowlisted subscriber has the list") { known.state?.seq == 5 }
    changes.commands.enqueue([.sample(6)])
    try await eventually("the allowlisted subscriber has the change") { known.state?.seq == 6 && known.isLive }
    if isForAnyone { try await eventually("the other subscriber has the change") { unknown.state?.seq == 6 } }
    #expect((unknown.state == nil) != isForAnyone && plain.state == nil)
  }

  @Test("A subscriber that loses its allowlist entry is disconnected, and others follow the feed")
  func revoked() async throws {
    let (own, one, two) = (try KeyPair.random(), try KeyPair.random(), try KeyPair.random())
    let keys = try TestKeys(one, two)
    let changes = try TestChangeServer(.sample(1...5))
    let feed = try TestFeed(
      pulling: changes.endpoint, curve: CurveServer(keys: own, access: keys.access))
    let subscribers = try [one, two].map {
      try TestSubscriber(feed.endpoint, curve: CurveClient(keys: $0, server: own.publicKey))
    }
    defer { for reactor in [changes.reactor, feed.reactor] + subscribers.map(\.reactor) { reactor.stop() } }
    try await eventually("both subscribers have the list") { subscribers.allSatisfy { $0.state?.seq == 5 } }
    try await eventually("the feed counts both subscribers") { feed.subscribers == 2 }
    keys.access.replace(try AllowList.of([two]))
    try await eventually("the revoked subscriber is disconnected") { !subscribers[0].isLive }
    changes.commands.enqueue([.sample(6)])
    try await eventually("the other subscriber has the change") {
      subscribers[1].state?.seq == 6 && subscribers[1].isLive
    }
    #expect(subscribers[0].state?.seq == 5)
  }

  @Test("The longest list arrives over encrypted links")
  func longest() async throws {
    let pair = try KeyPair.random()
    let ingest = try TestKeys(pair)
    let state = FeedState(epoch: .filled(with: 1), seq: .max - 1, entries: (1...100).reversed().map { .longest($0) })
    let changes = try TestChangeServer(state, curve: ingest.curve)
    let feed = try TestFeed(pulling: changes.endpoint, pullCurve: ingest.client(pair), curve: ingest.curve)
    let subscriber = try TestSubscriber(feed.endpoint, curve: ingest.client(pair))
    defer { for reactor in [changes.reactor, feed.reactor, subscriber.reactor] { reactor.stop() } }
    try await eventually("the subscriber has the list") { subscriber.state?.entries.count == 100 }
  }

  @Test("The frame limit of the job link is the same with CURVE as without")
  func edge() async throws {
    let pair = try KeyPair.random()
    let keys = try TestKeys(pair)
    let log = LineLog()
    let server = try TestServer(Ledger(), curve: keys.curve, logger: log.logger)
    defer { server.reactor.stop() }
    let socket = RawSocket(ZMQ_DEALER, connect: server.endpoint, curve: keys.client(pair))
    socket.send([[UInt8](repeating: 7, count: Limits.jobFrameBytesMax)])
    try await eventually("the log has the malformed frame") { log.lines(with: "malformed frame").count == 1 }
    try await eventually("the peer has an error reply") { socket.receive() != nil }
    let handshakes = log.lines(with: "peer connected").count
    #expect(handshakes == 1)
    socket.send([[UInt8](repeating: 7, count: Limits.jobFrameBytesMax + 1)])
    socket.send([WorkerFrame(session: 5, .heartbeat(.init())).bytes])
    try await eventually("a frame on a new connection gets Reset") {
      socket.send([WorkerFrame(session: 5, .heartbeat(.init())).bytes])
      return socket.receive().flatMap { IngestFrame($0) }?.reset.reason == .unknownSession
    }
    #expect(log.lines(with: "malformed frame").count == 1)
  }

  @Test("The log has a failed rebind after a revocation once a minute, and the successful rebind once")
  func blocked() throws {
    let (mine, other) = (try KeyPair.random(), try KeyPair.random())
    let (keys, rest, log) = (try TestKeys(mine, other), try AllowList.of([mine]), LineLog())
    let (reactor, counts) = try Reactor.start("rebind", wake: WakeupEvent()) { context in
      let authenticator = try Authenticator(context, logger: log.logger)
      let socket = try context.socket(.router, frameBytesMax: 100)
      let blocker = try context.socket(.router, frameBytesMax: 100)
      authenticator.add(socket, .jobs, keys.access, HandshakeMeters(.jobs))
      func tick(_ nowMs: Int64) -> [Int] {
        _ = authenticator.tick(nowMs: nowMs)
        return ["rebind failed", "rebind succeeded"].map { log.lines(with: $0).count }
      }
      /// Yields until a condition holds, for at most 120 s. libzmq closes a port on its own thread, and the reactor's
      /// closure cannot suspend.
      func waitUntil(_ holds: () -> Bool) {
        let end = ContinuousClock.now + .seconds(120)
        while !holds(), ContinuousClock.now < end { sched_yield() }
      }
      let endpoint = try socket.bind(.anyPort())
      socket.unbind()
      waitUntil { (try? blocker.bind(endpoint)) != nil }
      keys.access.replace(rest)
      var counts = ([0, 1_000, 1_001, 61_000, 61_001] as [Int64]).map(tick)
      blocker.unbind()
      waitUntil { tick(62_000) == [2, 1] }
      counts.append(tick(200_000))
      return ([], counts)
    }
    reactor.stop()
    #expect(counts == [[0, 0], [0, 0], [1, 0], [1, 0], [2, 0], [2, 1]])
  }

  /// Returns a ZAP request that libzmq itself would never send.
  private func request(_ words: [String], key: [UInt8]?) -> ZAPRequest? {
    ZAPRequest([[1], []] + words.map { Array($0.utf8) } + (key.map { [$0] } ?? []))
  }

  @Test("The authenticator refuses a ZAP request that lacks a known link, CURVE or a complete key")
  func zap() throws {
    let pair = try KeyPair.random()
    let keys = try TestKeys(pair)
    let key = pair.publicKey.bytes
    let (reactor, verdicts) = try Reactor.start("zap", wake: WakeupEvent()) { context in
      let authenticator = try Authenticator(context, logger: quiet)
      let socket = try context.socket(.router, frameBytesMax: 100)
      authenticator.add(socket, .jobs, keys.access, HandshakeMeters(.jobs))
      let requests: [ZAPRequest?] = [
        request(["1.0", "1", "otm.jobs", "::1", "", "CURVE"], key: key),
        request(["1.0", "1", "otm.feed", "::1", "", "CURVE"], key: key),
        request(["1.0", "1", "", "::1", "", "CURVE"], key: key),
        request(["1.0", "1", "otm.jobs", "::1", "", "NULL"], key: nil),
        request(["1.0", "1", "otm.jobs", "::1", "", "NULL"], key: key),
        request(["1.0", "1", "otm.jobs", "::1", "", "PLAIN", "peer 0"], key: key),
        request(["1.0", "1", "otm.jobs", "::1", "", "CURVE"], key: Array(key.dropLast())),
        request(["1.0", "1", "otm.jobs", "::1", "", "CURVE"], key: nil),
      ]
      return ([], requests.map { $0.map { authenticator.authorize($0).name } })
    }
    reactor.stop()
    #expect(verdicts.first == "peer 0")
    #expect(verdicts.dropFirst().allSatisfy { $0 == .some(nil) })
    #expect(request(["2.0", "1", "otm.jobs", "::1", "", "CURVE"], key: key) == nil)
    #expect(request(["1.0", "1", "otm.jobs"], key: nil) == nil && ZAPRequest([]) == nil)
    let valid = request(["1.0", "77", "otm.jobs", "::1", "", "CURVE"], key: key)
    #expect(valid?.reply("ana") == [[1], []] + ["1.0", "77", "200", "OK", "ana", ""].map { Array($0.utf8) })
    #expect(valid?.reply(nil)[4] == Array("400".utf8))
  }
}
