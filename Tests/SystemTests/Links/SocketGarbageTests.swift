import Foundation
import Testing

@Suite("Malformed bytes on ZeroMQ ports", .fixture)
struct SocketGarbageTests {
  /// A complete ZMTP 3.0 greeting with mechanism NULL, and the READY command of a socket of this type.
  static func handshake(_ type: String) -> [UInt8] {
    let greeting = greeting("NULL")
    let ready = [5] + Array("READY".utf8) + [11] + Array("Socket-Type".utf8) + [0, 0, 0, UInt8(type.utf8.count)]
    return greeting + [4, UInt8(ready.count + type.utf8.count)] + ready + Array(type.utf8)
  }

  private static func greeting(_ mechanism: String) -> [UInt8] {
    [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 0] + Array(mechanism.utf8)
      + [UInt8](repeating: 0, count: 52 - mechanism.utf8.count)
  }

  /// A frame of a message. Flag 1 means that more frames follow.
  private static func frame(_ bytes: [UInt8], more: Bool = false) -> [UInt8] {
    [(more ? 1 : 0) | 2] + withUnsafeBytes(of: UInt64(bytes.count).bigEndian, Array.init) + bytes
  }

  private static func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: .min ... .max) } }

  /// Bytes that are not ZMTP, or only its beginning.
  private static let strange: [[UInt8]] = [
    Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8), random(1_000), [UInt8](repeating: 0, count: 1_000_000),
    [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F], [0xFF], Array(handshake("DEALER").prefix(64)), [1, 0], [0, 0, 0],
    Array(handshake("DEALER").prefix(64)) + random(200), handshake("PUB"), handshake(""),
    Array("\u{16}\u{3}\u{1}".utf8) + random(300),
  ]

  /// Valid ZMTP with invalid messages.
  private static let nonsense: [[UInt8]] = [
    frame([]), frame([7]), frame(random(100)), frame([], more: true) + frame([]), frame(random(4_000), more: true),
    frame([9, 9], more: true) + frame(random(60_000)), frame([2] + Array("otm.feed/1/main/j/".utf8)),
    (0..<2_000).flatMap { _ in frame([7, 8, 9]) }, (0..<500).flatMap { _ in frame([5], more: true) } + frame([5]),
    [2] + [0x3F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF] + random(1_000),
    frame([UInt8](repeating: 3, count: 1_000_000)), [4, 6, 5] + Array("BOGUS".utf8),
    // Subscriptions: to everything, to a topic of 5,000 bytes, and to joins with a missing, a too long and an invalid
    // nonce.
    frame([1]), frame([1] + [UInt8](repeating: 97, count: 5_000)), frame([1] + Array("otm.feed/1/main/j/".utf8)),
    frame([1] + Array("otm.feed/1/main/j/".utf8) + [UInt8](repeating: 97, count: 300)),
    frame([1] + Array("otm.feed/1/main/j/".utf8) + [0, 255, 10]), frame([0] + Array("otm.feed/1/main/".utf8)),
  ]

  @Test("Malformed bytes on every port are logged and disturb no service")
  func everything() async throws {
    let map = try await SystemFixture.current.up()
    let client = try await map.client.signedUp()
    let watcher = try await SystemFixture.current.watcher(of: map)
    for (name, port) in try map.ports {
      let peer = Self.handshake(name == "feed" ? "SUB" : "DEALER")
      var open: [Connection] = []
      for (greeting, bytes) in Self.strange.map({ ([], $0) }) + Self.nonsense.map({ (peer, $0) }) {
        let connection = try Connection(port: port)
        try await connection.send(greeting)
        // Wait for the peer's greeting: a greeting together with other bytes ends the handshake.
        if !greeting.isEmpty { try await connection.receive(greeting.count) }
        try await connection.send(bytes, within: .seconds(1))
        open.append(connection)
      }
      try await client.expectService()
      withExtendedLifetime(open) {}
    }
    try await client.expectService()
    try await eventually("the subscriber has ingest's list") { try await watcher.list == client.list() }
    for link in ["jobs", "changes", "submit", "feed", "query"] {
      try await eventually("a malformed frame of the link \(link) is in the log") {
        map.ingest.standardError.contains("malformed frame received link=\(link) ")
      }
    }
  }

  @Test("Each kind of malformed bytes is counted at its port, once for each connection")
  func counted() async throws {
    let map = try await SystemFixture.current.up()
    let operations = try #require(map.operations.first)
    let (handshakes, malformed) = ("onthemap_link_handshakes_failed_total", "onthemap_link_malformed_frames_total")
    func expect(_ kind: String, at link: String, _ port: UInt16, _ series: String, _ send: [[UInt8]]) async throws {
      let before = try await Scrape(operations)[series]
      for _ in 0..<3 {
        let connection = try Connection(port: port)
        for (index, bytes) in send.enumerated() {
          try await connection.send(bytes)
          // A frame together with the handshake ends the handshake. Therefore, wait for the service's part of the
          // handshake after each piece but the last. The service may never respond to the last piece.
          let isLast = index == send.count - 1
          try await connection.receive(bytes.count, within: isLast ? .seconds(0.5) : .seconds(120))
        }
      }
      try await eventually("\(kind) at \(link) is counted") { try await Scrape(operations)[series] == before + 3 }
    }
    for (link, port) in try map.ports {
      for (kind, bytes) in [
        ("HTTP", Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8)), ("ZMTP 1", [1, 0]),
        ("half a greeting", [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F]), ("a greeting alone", Self.greeting("NULL")),
        ("silence", []),
      ] {
        try await expect(kind, at: link, port, #"\#(handshakes){link="\#(link)",reason="not_zeromq"}"#, [bytes])
      }
      let keys = #"\#(handshakes){link="\#(link)",reason="unexpected_curve"}"#
      try await expect("a peer with keys", at: link, port, keys, [Self.greeting("CURVE")])
      let peer = Self.handshake(link == "feed" ? "SUB" : "DEALER")
      let frames = #"\#(malformed){link="\#(link)"}"#
      try await expect("nonsense", at: link, port, frames, [peer, Self.frame([7, 8, 9])])
      guard link == "feed" else { continue }
      for nonce in ["", "a-b/", "open", String(repeating: "a", count: 41) + "/"] {
        let subscription = [1] + Array("otm.feed/1/main/j/\(nonce)".utf8)
        try await expect("a join of \(nonce)", at: link, port, frames, [peer, Self.frame(subscription)])
      }
    }
  }

  @Test("Forty silent connections on each port do not lock out other peers")
  func idle() async throws {
    let map = try await SystemFixture.current.up()
    let client = try await map.client.signedUp()
    let http = try client.port
    let open = try (map.ports.map(\.port) + [http]).flatMap { port in
      // All tests together must open fewer than a thousand files. With more, Foundation cannot start a program.
      try (0..<40).map { _ in try Connection(port: port) }
    }
    try await client.expectService()
    let watcher = try await SystemFixture.current.watcher(of: map)
    #expect(try await watcher.list == client.list())
    withExtendedLifetime(open) {}
  }

  @Test("A worker and a feed that reach another server keep trying and find ingest later")
  func otherEnd() async throws {
    let fixture = SystemFixture.current
    let (jobs, changes) = (try Port.free(), try Port.free())
    let worker = try fixture.program(["worker", "--ingest", "tcp://127.0.0.1:\(jobs)"])
    let feed = try fixture.program([
      "feed", "--ingest", "tcp://127.0.0.1:\(changes)", "--publish", "tcp://127.0.0.1:*", "--http", "127.0.0.1:0",
      "--data", "none",
    ])
    var listeners = [try Listener(port: jobs), try Listener(port: changes)]
    try worker.start()
    try feed.start()
    for listener in listeners { try await eventually("a client connects") { listener.hasConnection } }
    #expect(worker.pid != nil && feed.pid != nil)
    #expect(worker.ready.isEmpty && feed.ready.isEmpty)
    listeners.removeAll()
    let ingest = try fixture.program([
      "ingest", "--data", fixture.path("data"), "--http", "127.0.0.1:0", "--jobs", "tcp://127.0.0.1:\(jobs)",
      "--changes", "tcp://127.0.0.1:\(changes)", "--submit", "tcp://127.0.0.1:*",
    ])
    try await ingest.startAndWait()
    try await eventually("worker and feed are ready") {
      !worker.ready.isEmpty && !feed.ready.isEmpty
    }
    try await Services(feed: feed, ingest: ingest).client.signedUp().expectService()
  }
}
