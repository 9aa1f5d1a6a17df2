import Foundation
import Testing

@Suite("Graceful shutdown", .fixture, .serialized)
struct SignalTests {
  @Test(
    "The command up exits with 0 under traffic, and its next start has every accepted post",
    arguments: [SIGTERM, SIGINT])
  func up(signal: Int32) async throws {
    let map = try await SystemFixture.current.up()
    let client = try await map.client.signedUp()
    let stream = Stream(client, count: 100_000)
    let sending = Task { try await stream.run() }
    try await stream.reached(100)
    map.ingest.signal(signal)
    #expect(try await map.ingest.exit() == 0)
    sending.cancel()
    _ = await sending.result

    try await map.ingest.startAndWait()
    var again = try map.client
    again.token = client.token
    let posts = try await again.posts()
    #expect(Set(posts.map(\.id)).isSuperset(of: stream.accepted) && Set(posts.map(\.id)).count == posts.count)
    try await eventually("all posts are published") { try await again.posts().allSatisfy { $0.state == "published" } }
    #expect(try await again.list().seq == UInt64(posts.count))
  }

  @Test("Each role exits with 0 under traffic, and the others continue after its restart")
  func each() async throws {
    let map = try await SystemFixture.current.roles()
    let watcher = try await SystemFixture.current.watcher(of: map)
    let stream = Stream(try await map.client.signedUp(), count: 300)
    async let sent: Void = stream.run()
    for (index, program) in [map.workers[0], try #require(map.feed), map.ingest].enumerated() {
      try await stream.reached((index + 1) * 60)
      program.signal(SIGTERM)
      #expect(try await program.exit() == 0, "\(program)")
      #expect(program.standardError.contains("shutdown requested"))
      try await program.startAndWait()
    }
    try await sent
    try await stream.expectAll()
    try await eventually("the subscriber has ingest's list") { try await watcher.list == stream.client.list() }
    // The worker released its jobs before it ended.
    #expect(!map.ingest.standardError.contains("leases lost"))
    watcher.program.signal(SIGTERM)
    #expect(try await watcher.program.exit() == 0)
  }

  @Test("Each role exits with 0 even if its peer is missing")
  func alone() async throws {
    let fixture = SystemFixture.current
    let map = try await fixture.roles(workers: 0)
    let ports = try (0..<3).map { _ in try Port.free() }
    let nobody = ports.map { "tcp://127.0.0.1:\($0)" }
    let programs = [
      try fixture.program(["worker", "--ingest", nobody[0]]),
      try fixture.program([
        "feed", "--ingest", nobody[1], "--publish", "tcp://127.0.0.1:*", "--http", "127.0.0.1:0", "--data", "none",
      ]),
      try fixture.program(["watch", "--json", "--feed", nobody[2]]),
    ]
    // Wait until each program has tried to connect.
    var listeners = try ports.map { try Listener(port: $0) }
    for (program, listener) in zip(programs, listeners) {
      try program.start()
      try await eventually("\(program) connects") { listener.hasConnection }
    }
    listeners.removeAll()
    for program in programs + [try #require(map.feed), map.ingest] {
      program.signal(SIGTERM)
      #expect(try await program.exit() == 0, "\(program)")
    }
  }

  @Test(
    "An open client connection does not delay the exit",
    arguments: [
      "", "POST /v2/posts HT", "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n",
      "POST /v2/accounts HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{",
    ])
  func held(bytes: String) async throws {
    let map = try await SystemFixture.current.up()
    let connections = try [map.client, map.feedClient].map { try Connection(port: $0.port) }
    for connection in connections { try await connection.send(Array(bytes.utf8)) }
    // Both services have read the bytes by now, because they have responded to a later client.
    #expect(try await map.client.get("/livez").status == 204)
    #expect(try await map.feedClient.get("/livez").status == 204)
    map.ingest.signal(SIGTERM)
    #expect(try await map.ingest.exit() == 0)
    withExtendedLifetime(connections) {}
  }

  @Test("A client that waits for an outcome gets its response before the exit")
  func waiting() async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    let client = try await map.client.signedUp()
    async let response = try? client.post("Oslo", wait: 30)
    try await eventually("the post is accepted") { try await client.posts().count == 1 }
    map.ingest.signal(SIGTERM)
    #expect(try await map.ingest.exit() == 0)
    #expect(await response?.status == 202)
    try await map.ingest.startAndWait()
    #expect(try await client.posts().count == 1)
  }

  @Test("Event streams end with the process, whether or not their clients read")
  func streams() async throws {
    let map = try await SystemFixture.current.up()
    let client = try await map.client.signedUp()
    let stream = try await EventStream(try map.feedClient)
    try await map.submit(100, token: client.token, linkBytes: 2_048)
    try await stream.read(until: "the list is full") { $0.list?.seq == 100 }
    let slow = try Connection(port: map.feedClient.port, receiveBuffer: 4_096)
    try await slow.send(Array("GET /v2/feed/stream HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
    // The second client does not read, so these posts fill the buffers between the feed and the client.
    for seq in stride(from: UInt64(200), through: 400, by: 100) {
      try await map.submit(100, token: client.token, linkBytes: 2_048)
      try await stream.read(until: "\(seq) posts are received") { $0.list?.seq == seq }
    }
    map.ingest.signal(SIGTERM)
    try await stream.read(until: "the stream ends") { $0.isWhole }
    #expect(try await map.ingest.exit() == 0)
    withExtendedLifetime(slow) {}
  }
}
