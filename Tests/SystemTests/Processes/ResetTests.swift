import CZeroMQ
import Foundation
import Glibc
import Synchronization
import Testing

/// Regression tests for a defect of libzmq 4.3.4. The library aborts the process (`!_io_error`) if a peer fills the
/// receive high-water mark, then sends a PING and resets the connection.
@Suite("Peers that fill the high-water mark and reset", .fixture)
struct ResetTests {
  /// Returns messages beyond the high-water mark and then PINGs, in one piece that libzmq reads together.
  private static func burst(mark: Int, isSubscriber: Bool) -> [UInt8] {
    burst(mark: mark, message: isSubscriber ? [1, 121] : [120])
  }

  private static func burst(mark: Int, message: [UInt8]) -> [UInt8] {
    let frame = [0, UInt8(message.count)] + message
    let ping: [UInt8] = [4, 7, 4] + Array("PING".utf8) + [0, 0]
    return (0..<mark + 5).flatMap { _ in frame } + (0..<20).flatMap { _ in ping }
  }

  @Test("Every port survives peers that fill its high-water mark and reset")
  func plain() async throws {
    let map = try await SystemFixture.current.roles(workers: 1)
    let client = try await map.client.signedUp()
    for (name, port) in try map.ports {
      let greeting = SocketGarbageTests.handshake(name == "feed" ? "SUB" : "DEALER")
      let burst = Self.burst(mark: name == "submit" ? 8 : 1_000, isSubscriber: name == "feed")
      for _ in 0..<40 {
        let connection = try Connection(port: port)
        try await connection.send(greeting)
        // Wait for the peer's greeting: a greeting together with other bytes ends the handshake.
        try await connection.receive(greeting.count)
        connection.endsWithReset()
        try await connection.send(burst)
      }
      let program = ["feed", "query"].contains(name) ? try #require(map.feed) : map.ingest
      #expect(program.pid != nil, "\(name): \(program.standardError.suffix(300))")
    }
    try await client.expectService()
    let watcher = try await SystemFixture.current.watcher(of: map)
    try await eventually("the feed serves a subscriber") { try await watcher.list == client.list() }
  }

  @Test("Every encrypted port survives peers that fill its high-water mark and reset the connection")
  func curve() async throws {
    let fixture = SystemFixture.current
    let key = fixture.path("service.key")
    let publicKey = try await fixture.run("keys", "new", "--output", key).output.trimmingCharacters(in: .newlines)
    let ingest = try fixture.program([
      "ingest", "--data", fixture.path("data"), "--http", "127.0.0.1:0", "--jobs", "tcp://127.0.0.1:*", "--changes",
      "tcp://127.0.0.1:*", "--submit", "tcp://127.0.0.1:*", "--key-file", key, "--allow-producers", "anyone",
      "--allow-workers", "anyone", "--allow-feeds", "anyone", "--operations", "none",
    ])
    try await ingest.startAndWait()
    let feed = try fixture.program([
      "feed", "--ingest", try Services(ingest: ingest).changes, "--ingest-key", publicKey, "--data", "none", "--http",
      "127.0.0.1:0", "--publish", "tcp://127.0.0.1:*", "--query", "tcp://127.0.0.1:*", "--key-file", key,
      "--allow-subscribers", "anyone", "--operations", "none",
    ])
    try await feed.startAndWait()
    let map = Services(feed: feed, ingest: ingest)
    for (name, port) in try map.ports {
      let mark = name == "submit" ? 8 : 1_000
      for _ in 0..<5 {
        // Several peers together, so that the service reads slower than they send.
        let gates = try (0..<4).map { _ in try Gate(to: port) }
        defer { for gate in gates { gate.reset() } }
        let peers = try gates.map { gate in
          try #require(Pinging(port: gate.port, key: publicKey, isSubscriber: name == "feed"))
        }
        for peer in peers { try await eventually("\(name) accepts the handshake") { peer.isConnected } }
        for gate in gates { gate.shut() }
        for _ in 0..<3 {
          for peer in peers { for _ in 0..<mark + 4 { peer.send() } }
          // The peers send a PING every 20 ms.
          try await Task.sleep(for: .milliseconds(60))
        }
        for gate in gates { gate.reset() }
        for gate in gates { try await eventually("the connection is reset") { gate.isOver } }
      }
      let program = ["feed", "query"].contains(name) ? feed : ingest
      #expect(program.pid != nil, "\(name): \(program.standardError.suffix(300))")
    }
    #expect(try await map.client.get("/livez").status == 204)
    #expect(try await map.feedClient.get("/livez").status == 204)
  }

  @Test(
    "Connecting programs survive a server that fills the high-water mark and resets",
    arguments: ["worker", "feed", "watch"])
  func connecting(role: String) async throws {
    let fixture = SystemFixture.current
    let isSubscriber = role == "watch"
    let server = try ResettingServer(
      handshake: SocketGarbageTests.handshake(isSubscriber ? "PUB" : "ROUTER"),
      burst: isSubscriber
        ? Self.burst(mark: 10_000, message: Array("otm.feed/1/main/h/".utf8)) : Self.burst(mark: 1_000, message: [120]))
    defer { server.stop() }
    let address = "tcp://127.0.0.1:\(server.port)"
    let program = try fixture.program(
      [
        "worker": ["worker", "--ingest", address, "--operations", "none"],
        "feed": [
          "feed", "--ingest", address, "--data", "none", "--http", "127.0.0.1:0", "--publish", "tcp://127.0.0.1:*",
          "--query", "tcp://127.0.0.1:*", "--operations", "none",
        ],
        "watch": ["watch", "--json", "--feed", address],
      ][role] ?? [])
    try program.start()
    try await eventually("the connection has been reset twenty times", within: .seconds(120)) {
      try #require(program.pid != nil, "\(program.standardError.suffix(300))")
      return server.count >= 20
    }
    #expect(program.pid != nil, "\(program.standardError.suffix(300))")
  }

  @Test("A subscriber whose TCP window stays closed is disconnected")
  func window() async throws {
    let map = try await SystemFixture.current.roles(workers: 1)
    let client = try await map.client.signedUp()
    try await map.submit(100, token: client.token, linkBytes: 2_048)
    let port = try #require(map.ports.first { $0.name == "feed" }?.port)
    let subscribers = #"onthemap_feed_subscribers{kind="zeromq"}"#
    let mute = try Connection(port: port, receiveBuffer: 4_096)
    let greeting = SocketGarbageTests.handshake("SUB")
    try await mute.send(greeting)
    try await mute.receive(greeting.count)
    try await mute.send([0, 19, 1] + Array("otm.feed/1/main/s/".utf8))
    try await eventually("the subscriber is counted") { try await Scrape(map.operations[1])[subscribers] == 1 }
    try await eventually("the subscriber is disconnected") {
      try await Scrape(map.operations[1])[subscribers] == 0
    }
    withExtendedLifetime(mute) {}
  }
}

/// A peer with keys that sends a PING every 20 ms.
private final class Pinging {
  private let context: UnsafeMutableRawPointer?
  private let socket: UnsafeMutableRawPointer?
  private let isSubscriber: Bool
  private var count = 0

  init?(port: UInt16, key: String, isSubscriber: Bool) {
    self.isSubscriber = isSubscriber
    context = zmq_ctx_new()
    socket = zmq_socket(context, isSubscriber ? ZMQ_XSUB : ZMQ_DEALER)
    var (publicKey, secret) = ([CChar](repeating: 0, count: 41), [CChar](repeating: 0, count: 41))
    guard zmq_curve_keypair(&publicKey, &secret) == 0 else { return nil }
    zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, key, 40)
    zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, publicKey, 40)
    zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, secret, 40)
    // Behind the gate the peer gets no PONG.
    let options = [
      (ZMQ_LINGER, 0), (ZMQ_IMMEDIATE, 1), (ZMQ_HEARTBEAT_IVL, 20), (ZMQ_HEARTBEAT_TIMEOUT, 60_000),
      (ZMQ_RECONNECT_IVL, -1), (ZMQ_SNDHWM, 0),
    ]
    for (option, value) in options {
      var value = Int32(value)
      zmq_setsockopt(socket, option, &value, 4)
    }
    zmq_connect(socket, "tcp://127.0.0.1:\(port)")
    if isSubscriber { zmq_send(socket, "\u{1}otm.feed/1/main/h/", 19, ZMQ_DONTWAIT) }
  }

  deinit {
    zmq_close(socket)
    zmq_ctx_term(context)
  }

  /// True if the handshake has ended: a subscriber then gets a heartbeat, and other peers may send.
  var isConnected: Bool {
    isSubscriber ? zmq_recv(socket, nil, 0, ZMQ_DONTWAIT) >= 0 : zmq_send(socket, "x", 1, ZMQ_DONTWAIT) == 1
  }

  /// Sends a message, or a subscription to a unique topic.
  func send() {
    count += 1
    let message = isSubscriber ? [1] + Array("\(count)".utf8) : Array("x".utf8)
    zmq_send(socket, message, message.count, ZMQ_DONTWAIT)
  }
}

/// A relay for one connection. After `shut()` it keeps the client's bytes. `reset()` forwards these bytes and resets
/// the connection.
private final class Gate: Sendable {
  private enum State { case open, shut, resetting, over }

  let port: UInt16
  private let state = Mutex(State.open)

  var isOver: Bool { state.withLock { $0 == .over } }

  init(to server: UInt16) throws {
    let port = try Port.free()
    self.port = port
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    guard withLoopback(port, { bind(listener, $0, $1) }) == 0, listen(listener, 1) == 0 else {
      throw TimeoutError(description: "cannot listen at \(port)")
    }
    Thread.detachNewThread { [self] in
      let client = accept(listener, nil, nil)
      close(listener)
      pass(client, to: server)
    }
  }

  func shut() { state.withLock { $0 = .shut } }
  func reset() { state.withLock { $0 = .resetting } }

  private func pass(_ client: Int32, to port: UInt16) {
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    _ = withLoopback(port) { connect(server, $0, $1) }
    var kept: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var ends = [client, server]
    var now = State.open
    while now != .resetting {
      var ready = ends.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      poll(&ready, 2, 5)
      now = state.withLock { $0 }
      for (from, to) in [(0, server), (1, client)] where ready[from].revents != 0 {
        let count = recv(ready[from].fd, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        // poll(2) would report a closed end repeatedly. It skips a negative descriptor.
        if count == 0 { ends[from] = -1 }
        guard count > 0 else { continue }
        if from == 0, now != .open { kept += buffer[..<count] } else { send(to, buffer, count, Int32(MSG_NOSIGNAL)) }
      }
    }
    send(server, kept, kept.count, Int32(MSG_NOSIGNAL))
    var action = linger(l_onoff: 1, l_linger: 0)
    for descriptor in [server, client] {
      setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &action, socklen_t(MemoryLayout<linger>.size))
      close(descriptor)
    }
    state.withLock { $0 = .over }
  }
}
