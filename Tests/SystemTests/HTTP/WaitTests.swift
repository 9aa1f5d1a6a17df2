import Foundation
import Testing

@Suite("Requests that wait for an outcome", .fixture)
struct WaitTests {
  /// Starts the services with a paused queue, so that every wait lasts. Returns a client with an account.
  private func paused(behind front: Front) async throws -> Client {
    let client = try await SystemFixture.current.up(behind: front).signedUp()
    try await queue("pause")
    return client
  }

  private func queue(_ command: String) async throws {
    let fixture = SystemFixture.current
    #expect(try await fixture.run("queue", command, "--data", fixture.path("data")).status == 0)
  }

  /// Returns the bytes of a request that creates a post.
  private func post(_ client: Client, key: String, preferring: String?, version: String = "1.1") -> [UInt8] {
    let body = #"{"place":"Oslo","link":"https://example.org/ada"}"#
    let prefer = preferring.map { "Prefer: \($0)\r\n" } ?? ""
    return Array(
      """
      POST /v2/posts HTTP/\(version)\r\nHost: x\r\nAuthorization: Bearer \(client.token ?? "")\r
      Idempotency-Key: \(key)\r\n\(prefer)Content-Length: \(body.utf8.count)\r\n\r\n\(body)
      """.utf8)
  }

  /// Sends a post that waits for its outcome for 30 s. Returns when the post is accepted.
  private func wait(_ client: Client, key: String, version: String = "1.1") async throws -> Connection {
    let connection = try Connection(port: try client.port)
    let count = try await client.posts().count
    try await connection.send(post(client, key: key, preferring: "wait=30", version: version))
    try await eventually("the post is accepted") { try await client.posts().count == count + 1 }
    return connection
  }

  @Test("A wait ends when its client disconnects", arguments: Front.allCases)
  func disconnected(front: Front) async throws {
    let client = try await paused(behind: front)
    // A repeat waits only if no other request waits for the post.
    func isFree(_ key: String) async throws -> Bool {
      try await client.post("Oslo", key: key, wait: 1).headers["preference-applied"] != nil
    }
    // Without an end at the disconnect, the older wait ends first.
    let older = try await wait(client, key: "older")
    do {
      let newer = try await wait(client, key: "newer")
      #expect(try await !isFree("newer"))
      withExtendedLifetime(newer) {}
    }
    try await eventually("the newer wait has ended") { try await isFree("newer") }
    #expect(older.isOpen, "The wait of a disconnected client must end before the older one.")
  }

  @Test("A gateway that shuts down ends a wait with 202 and the post")
  func gatewayShutdown() async throws {
    let map = try await SystemFixture.current.upWithGateway()
    let client = try await map.gatewayClient.signedUp()
    try await queue("pause")
    let connection = try await wait(client, key: "waiting")
    let gateway = map.gateways[0]
    gateway.signal(SIGTERM)
    let response = try #require(APIResponse(raw: try await connection.receive()))
    #expect(response.status == 202 && response["state"] == "queued")
    #expect(try await gateway.exit() == 0)
  }

  @Test("A gateway that shuts down while ingest is away ends a held request with 503 and Retry-After")
  func gatewayShutdownWithoutIngest() async throws {
    let map = try await SystemFixture.current.upWithGateway()
    let client = try await map.gatewayClient.signedUp()
    let connections = try (0..<2).map { _ in try Connection(port: try client.port) }
    // The gateway has accepted a connection that has had a response.
    for connection in connections {
      try await connection.send(Array("GET /v2/limits HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
      #expect(try await connection.response().hasPrefix("HTTP/1.1 200"))
    }
    map.ingest.signal(SIGTERM)
    #expect(try await map.ingest.exit() == 0)
    let gateway = map.gateways[0]
    let operations = Client(try #require(gateway.ready["operations"]))
    try await eventually("the gateway is not ready") { try await operations.get("/readyz").status == 503 }
    try await connections[0].send(Array("GET /v2/feed HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
    try await connections[1].send(post(client, key: "held", preferring: nil))
    gateway.signal(SIGTERM)
    for connection in connections {
      let response = try #require(APIResponse(raw: try await connection.receive()))
      #expect(response.status == 503 && response["code"] == "ingest_unavailable")
      #expect(response.headers["retry-after"] == "5")
    }
    #expect(try await gateway.exit() == 0)
  }

  @Test("A half-closed client gets the outcome, and meanwhile an interim response", arguments: Front.allCases)
  func halfClosed(front: Front) async throws {
    let client = try await paused(behind: front)
    let connection = try await wait(client, key: "half-closed")
    connection.finish()
    let interim = "HTTP/1.1 100 Continue\r\n\r\n"
    #expect(try await connection.receive(interim.utf8.count) == interim)
    try await queue("resume")
    var received = try await connection.receive()
    // The next probe comes two seconds later. On a busy machine, the queue may resume after that.
    while received.hasPrefix(interim) { received.removeFirst(interim.count) }
    let response = try #require(APIResponse(raw: received))
    #expect(response.status == 200 && response["state"] == "published")
  }

  @Test("A half-closed client of HTTP/1.0 gets no interim response, and its wait ends")
  func halfClosedOld() async throws {
    let client = try await paused(behind: .ingest)
    let connection = try await wait(client, key: "half-closed", version: "1.0")
    connection.finish()
    #expect(try await connection.receive().contains(" 202 Accepted"))
  }
}
