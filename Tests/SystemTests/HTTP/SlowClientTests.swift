import Foundation
import Testing

@Suite("Slow clients and connection limits", .fixture)
struct SlowClientTests {
  /// Time until the server disconnects: at least its request timeout of 10 s, less the clocks' precision. The upper
  /// bound is a deadline that a busy machine does not reach.
  private static let time = Duration.seconds(9)..<Duration.seconds(300)

  /// Sends these bytes, then one byte at a time, until the server disconnects. Returns the response and the duration.
  private func drip(_ bytes: String, port: UInt16) async throws -> (response: String, took: Duration) {
    // Take the time before the first byte, which starts the server's timeout.
    let start = ContinuousClock.now
    let connection = try Connection(port: port)
    try await connection.send(Array(bytes.utf8))
    let response = try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        while true {
          try await Task.sleep(for: .milliseconds(300))
          try await connection.send(Array("a".utf8))
        }
      }
      defer { group.cancelAll() }
      return try await connection.receive(within: Self.time.upperBound)
    }
    return (response, ContinuousClock.now - start)
  }

  @Test("A request sent byte by byte times out, whatever part of it is slow")
  func slowRequest() async throws {
    let map = try await SystemFixture.current.up()
    let client = try await map.client.signedUp()
    let post = "POST /v2/posts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(client.token ?? "")\r\n"
    let whole = #"{"place": "Oslo", "link": "example.org"}"#
    let port = try client.port
    let feedPort = try map.feedClient.port
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (bytes, port) in [
        ("G", port), ("GET / HTTP/1.1\r\nA: ", port), ("GET / HTTP/1.1\r\nA: ", feedPort), (post + "B: ", port),
        (post + "Content-Length: 1000\r\n\r\n{\"place\":", port), (post + "Content-Length: 1000\r\n\r\n" + whole, port),
      ] {
        group.addTask {
          let (raw, took) = try await drip(bytes, port: port)
          // "Ga" is not a method.
          if bytes == "G" { return #expect(APIResponse(raw: raw)?["code"] == "malformed_request") }
          let response = try #require(APIResponse(raw: raw), "\(bytes.prefix(60)): \(raw)")
          #expect(response.status == 408 && response["code"] == "request_timeout", "\(bytes.prefix(60))")
          #expect(response.headers["connection"] == "close")
          BadRequest.expectProblem(response, "\(bytes.prefix(60))")
          #expect(Self.time.contains(took), "\(took): \(bytes.prefix(60))")
        }
      }
      group.addTask {
        let (raw, _) = try await drip(
          "POST /v1/session HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", port: port)
        #expect(
          try APIResponse(raw: raw)?.guarded()["status"] as? Int == 408,
          "The error must have the compatibility API's form.")
      }
      group.addTask {
        let (raw, took) = try await drip(
          "POST /v2/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", port: port)
        #expect(APIResponse(raw: raw)?.status == 404, "A request with an early response must get no second one.")
        #expect(Self.time.contains(took), "\(took)")
      }
      group.addTask {
        // The complete request gets its response first.
        let (raw, _) = try await drip("GET /v2/feed HTTP/1.1\r\nHost: x\r\n\r\nGET /livez HTTP/1.1\r\nA: ", port: port)
        #expect(raw.hasPrefix("HTTP/1.1 200") && raw.contains("HTTP/1.1 408"))
      }
      try await group.waitForAll()
    }
    #expect(try await client.posts().isEmpty, "An incomplete post must not be accepted.")
    try await client.expectService()
  }

  @Test("A request that waits for an outcome outlives the request timeout")
  func waiting() async throws {
    let client = try await SystemFixture.current.roles(workers: 0).client.signedUp()
    let body = #"{"place":"Oslo","link":"example.org"}"#
    let connection = try Connection(port: try client.port)
    try await connection.send(
      Array(
        """
        POST /v2/posts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(client.token ?? "")\r\nPrefer: wait=13\r
        Content-Length: \(body.utf8.count)\r\n\r\n\(body)
        """.utf8))
    try await eventually("the post is accepted") { try await client.posts().count == 1 }
    try await connection.send(Array("GET /livez HTTP/1.1\r\nHost: x\r\nA:".utf8))
    // Wait longer than the request timeout, with half of the next request sent.
    try await Task.sleep(for: .seconds(11))
    try await connection.send(Array(" b\r\nConnection: close\r\n\r\n".utf8))
    let raw = try await connection.receive()
    #expect(raw.hasPrefix("HTTP/1.1 202") && raw.contains("HTTP/1.1 204"), "\(raw)")
  }

  @Test("A client that does not read its responses is disconnected")
  func slowReader() async throws {
    let client = try await SystemFixture.current.up().client
    let connection = try Connection(port: try client.port)
    let requests = Array(String(repeating: "GET /v2/nothing HTTP/1.1\r\nHost: x\r\n\r\n", count: 1_000_000).utf8)
    // The server reads no more requests than it can respond to. The kernel buffers some MB in each direction.
    #expect(
      try await connection.send(requests, within: .seconds(120)), "The server must disconnect the client.")
    #expect(try await client.get("/livez").status == 204)
  }

  @Test("A surplus connection waits until another one closes, and is served then")
  func connections() async throws {
    let fixture = SystemFixture.current
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    // The connection limit is a quarter of the file limit, here 64.
    process.arguments = [
      "-c", "ulimit -n 256; exec \"$0\" \"$@\"", Program.binary.path, "ingest", "--data", fixture.path("data"),
      "--http", "127.0.0.1:0", "--jobs", "tcp://127.0.0.1:*", "--changes", "tcp://127.0.0.1:*",
      "--submit", "tcp://127.0.0.1:*",
    ]
    process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("ONTHEMAP_") }
    let output = URL(fileURLWithPath: fixture.path("few"))
    try Data().write(to: output)
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = FileHandle.nullDevice
    try process.run()
    defer { kill(process.processIdentifier, SIGKILL) }
    let port = try await eventually("ingest is ready") {
      let words = (try? String(contentsOf: output, encoding: .utf8))?.split(separator: " ") ?? []
      return words.first { $0.hasPrefix("http=") }?.split(separator: ":").last.flatMap { UInt16($0) }
    }

    let request = Array("GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".utf8)
    // The kernel accepts some connections before the server does, and the server accepts several together.
    var idle = try (0..<80).map { _ in try Connection(port: port) }
    let last = try Connection(port: port)
    try await last.send(request)
    #expect(try await last.receive(within: .seconds(2)).isEmpty)
    idle.removeLast(60)
    #expect(try await last.receive().hasPrefix("HTTP/1.1 204"))
    withExtendedLifetime(idle) {}
  }
}
