import Foundation
import Glibc
import Synchronization
import Testing

@Suite("Gateways", .fixture)
struct GatewayTests {
  @Test("A gateway responds to every kind of request as ingest does")
  func sameResponses() async throws {
    let map = try await SystemFixture.current.upWithGateway()
    let direct = try await map.client.signedUp()
    var forwarded = try map.gatewayClient
    forwarded.token = direct.token
    let requests: [(method: String, path: String, body: String?, headers: [String: String])] = [
      ("GET", "/", nil, ["Accept": "text/html"]), ("GET", "/", nil, [:]), ("GET", "/admin", nil, [:]),
      ("GET", "/v2/page", nil, [:]), ("GET", "/v2/limits", nil, [:]), ("GET", "/v2/feed", nil, [:]),
      ("GET", "/v2/posts", nil, [:]), ("GET", "/v2/posts?scope=all&limit=0", nil, [:]), ("GET", "/openapi", nil, [:]),
      ("GET", "/v2/geocode?q=Oslo", nil, [:]), ("GET", "/v2/geocode?q=", nil, [:]),
      ("GET", "/page/old/main.js", nil, [:]), ("GET", "/table?q=Oslo", nil, [:]), ("GET", "/pin/aaaaaaaaaa", nil, [:]),
      ("DELETE", "/v2/posts/aaaaaaaaaa", nil, [:]), ("PATCH", "/v2/posts", nil, [:]), ("GET", "/nothing", nil, [:]),
      ("POST", "/v2/posts", #"{"place":"","link":"https://example.org"}"#, [:]),
      ("POST", "/v2/posts", #"{"place":"Oslo","link":"no link"}"#, [:]), ("POST", "/v2/posts", "{", [:]),
      (
        "POST", "/v2/posts", #"{"place":"Oslo","link":"https://example.org"}"#,
        ["Idempotency-Key": String(repeating: "k", count: 256)]
      ),
      ("POST", "/v2/posts", String(repeating: " ", count: 16_385), [:]),
      ("POST", "/v2/posts/bulk", "", [:]), ("POST", "/v1/StudentLocation", "{}", [:]),
      ("POST", "/v1/session", #"{"udacity":{"username":"a","password":"b"}}"#, [:]), ("GET", "/v1/users/1", nil, [:]),
    ]
    for (method, path, body, headers) in requests {
      let expected = try await direct.send(method, path, body: body, headers: headers)
      let actual = try await forwarded.send(method, path, body: body, headers: headers)
      #expect(actual.status == expected.status, "\(method) \(path)")
      // A document's tags name the origin that the client has requested. Its length varies with the origin's port.
      let (body, ownBody) = (try text(of: actual, from: forwarded), try text(of: expected, from: direct))
      #expect(body == ownBody, "\(method) \(path): \(body)")
      let isDocument = expected.headers["content-type"]?.hasPrefix("text/html") == true
      let ignored: Set<String> = isDocument ? ["date", "content-length"] : ["date"]
      for name in Set(expected.headers.keys).union(actual.headers.keys).subtracting(ignored) {
        #expect(actual.headers[name] == expected.headers[name], "\(method) \(path): \(name)")
      }
    }
  }

  private func text(of response: APIResponse, from client: Client) throws -> String {
    String(decoding: response.body, as: UTF8.self).replacing("127.0.0.1:\(try client.port)", with: "HOST")
  }

  @Test("A bulk request without a session is refused before its size, also by a gateway")
  func bulkWithoutSession() async throws {
    let map = try await SystemFixture.current.upWithGateway()
    for client in [try map.client, try map.gatewayClient] {
      for credential in ["", "Authorization: Bearer wrong\r\n", "Cookie: a=b\r\n"] {
        let connection = try Connection(port: try client.port)
        try await connection.send(
          Array("POST /v2/posts/bulk HTTP/1.1\r\nHost: x\r\n\(credential)Content-Length: 2000000\r\n\r\n".utf8)
            + [UInt8](repeating: 0x20, count: 20_000))
        let response = try #require(APIResponse(raw: try await connection.response()))
        #expect(response.status == 401 && response["code"] == "session_required", "\(credential)")
      }
    }
  }

  @Test("A post through a gateway has the same response as at ingest, with and without a wait, and under a used key")
  func posts() async throws {
    let map = try await SystemFixture.current.upWithGateway()
    let direct = try await map.client.signedUp()
    var forwarded = try map.gatewayClient
    forwarded.token = direct.token
    let (own, other) = (try await direct.post("Oslo", key: "a"), try await forwarded.post("Oslo", key: "b"))
    #expect(own.status == 202 && other.status == 202)
    #expect(own.object.keys.sorted() == other.object.keys.sorted() && own.headers.keys == other.headers.keys)
    #expect(try await forwarded.post("Oslo", wait: 30)["state"] == "published")
    let again = try await forwarded.post("Oslo", key: "a", wait: 30)
    #expect(again.status == 200 && again["id"] == own["id"] && again.headers["idempotency-replayed"] == "true")
    #expect(try await forwarded.post("Oslo", key: "a").headers["idempotency-replayed"] == "true")
    let conflict = try await forwarded.post("Bergen", key: "a")
    #expect(conflict.status == 409 && conflict["code"] == "idempotency_key_reused")
    #expect(conflict.body == (try await direct.post("Bergen", key: "a")).body)
    #expect(try await direct.posts().count == 3)
  }

  @Test("A session that ends at ingest or at one gateway is refused by every gateway with the next request")
  func endedSession() async throws {
    let map = try await SystemFixture.current.upWithGateway()
    let second = try await SystemFixture.current.gateway(at: try #require(map.ingest.ready["gateways"]))
    var clients = [try map.gatewayClient, Client(try #require(second.ready["http"]))]
    let token = try await map.client.signedUp().token
    for index in clients.indices {
      clients[index].token = token
      #expect(try await clients[index].post("Oslo").status == 202)
    }
    #expect(try await clients[0].send("DELETE", "/v2/session").status == 204)
    for client in clients {
      let response = try await client.post("Oslo")
      #expect(response.status == 401 && response["title"] == "Unauthorized")
    }
  }

  @Test("The rate limit of an account holds over several gateways together")
  func rateLimit() async throws {
    let map = try await SystemFixture.current.upWithGateway("--posts-per-minute", "20")
    let second = try await SystemFixture.current.gateway(at: try #require(map.ingest.ready["gateways"]))
    var clients = [try map.gatewayClient, Client(try #require(second.ready["http"]))]
    let token = try await map.client.signedUp().token
    let begun = ContinuousClock.now
    var accepted = 0
    for index in 0..<60 {
      clients[index % 2].token = token
      let response = try await clients[index % 2].post("Oslo")
      if response.status == 202 { accepted += 1 } else { #expect(response["code"] == "too_many_posts") }
    }
    // The minute goes on, and gives a token every three seconds.
    let most = 20 + Int((ContinuousClock.now - begun) / .seconds(3))
    #expect((20...most).contains(accepted))
  }

  @Test("Ingest sees the client's address behind a gateway, and a client cannot forge it")
  func clientAddress() async throws {
    let map = try await SystemFixture.current.upWithGateway(gateway: "--trusted-proxies", "127.0.0.2")
    let client = try await map.gatewayClient.signedUp()
    let sessions = try await client.send(
      "POST", "/v2/session", body: JSON.object(["email": "ada@example.org", "password": Client.password]),
      headers: ["X-Forwarded-For": "198.51.100.7"])
    #expect(sessions.status == 200)
    let list = String(decoding: try await client.get("/v2/sessions").body, as: UTF8.self)
    #expect(list.contains("127.0.0.1") && !list.contains("198.51.100.7"), "\(list)")
  }

  @Test("Graceful restarts and kills of ingest under load give every request a 2xx, and count each post once")
  func restarts() async throws {
    let map = try await SystemFixture.current.roles(workers: 1, gateways: 2)
    let load = try await map.load(clients: 8)
    for kill in [false, true, false, true] {
      try await load.more(60)
      if kill { map.ingest.signal(SIGKILL) } else { map.ingest.signal(SIGTERM) }
      _ = try await map.ingest.exit()
      try await load.wait(untilHeld: 8)
      try await map.ingest.startAndWait()
    }
    try await load.more(60)
    let accepted = try await load.end()
    #expect(load.failures.isEmpty, "\(load.failures)")
    try await map.expectExactly(accepted)
  }

  @Test("The death of a gateway breaks only its own open requests, whose repeats count once, and a feed's death none")
  func gatewayDeath() async throws {
    let map = try await SystemFixture.current.roles(workers: 1, gateways: 2)
    let load = try await map.load(clients: 8)
    for victim in map.gateways + [try #require(map.feed)] {
      try await load.more(60)
      try await victim.kill()
      try await load.more(30)
      try await victim.startAndWait()
    }
    try await load.more(60)
    let accepted = try await load.end()
    // A client repeats a request that got no response, with its key. The same holds for a request that a slow machine
    // sends too late: at most one of each client.
    let others = load.failures.filter { !$0.hasPrefix("no response") }
    #expect(others.count <= 8 && others.allSatisfy { $0.hasPrefix("status 408") }, "\(others)")
    try await map.expectExactly(accepted)
    let list = try await map.client.list()
    #expect(list.stateHash == list.computedHash)
    try await eventually("the feed has ingest's list") { try await map.feedClient.list() == list }
  }

  @Test("A gateway without ingest holds a post, and answers it with 503 after the hold")
  func hold() async throws {
    let map = try await SystemFixture.current.roles(workers: 1, gateways: 1)
    let client = try await map.gatewayClient.signedUp()
    map.ingest.signal(SIGTERM)
    #expect(try await map.ingest.exit() == 0)
    let operations = Client(try #require(map.gateways[0].ready["operations"]))
    try await eventually("the gateway is not ready") { try await operations.get("/readyz").status == 503 }
    async let post = client.post("Oslo", key: "held")
    async let list = client.get("/v2/feed")
    for refused in [try await post, try await list] {
      #expect(refused.status == 503 && refused["code"] == "ingest_unavailable")
      #expect(refused.headers["retry-after"] == "5")
    }
    try await map.ingest.startAndWait()
    #expect(try await client.post("Oslo", key: "held").status == 202)
  }

  @Test("A gateway with a key that ingest does not list is refused, and keeps its clients' requests")
  func unknownKey() async throws {
    let fixture = SystemFixture.current
    for name in ["ingest", "gateway", "stranger"] {
      #expect(try await fixture.run("keys", "new", "--output", fixture.path(name)).status == 0)
    }
    func publicKey(_ name: String) async throws -> String {
      try await fixture.run("keys", "show", fixture.path(name)).output
        .trimmingCharacters(in: .whitespacesAndNewlines)
    }
    try Data("\(try await publicKey("gateway")) gateway-1\n".utf8)
      .write(to: URL(fileURLWithPath: fixture.path("gateways")))
    let ingest = try fixture.program([
      "ingest", "--data", fixture.path("data"), "--http", "127.0.0.1:0", "--jobs", "tcp://127.0.0.1:*", "--changes",
      "tcp://127.0.0.1:*", "--submit", "tcp://127.0.0.1:*", "--gateways", "tcp://127.0.0.1:*", "--operations", "none",
      "--key-file", fixture.path("ingest"), "--allow-gateways", fixture.path("gateways"),
    ])
    try await ingest.startAndWait()
    let address = try #require(ingest.ready["gateways"])
    let keys = ["--ingest-key", try await publicKey("ingest"), "--key-file"]
    let known = try await fixture.gateway(at: address, keys + [fixture.path("gateway")])
    #expect(try await Client(try #require(known.ready["http"])).get("/v2/limits").status == 200)
    let unknown = try fixture.program(
      ["gateway", "--ingest", address, "--http", "127.0.0.1:0", "--operations", "none"] + keys
        + [fixture.path("stranger")])
    try await unknown.startAndWait()
    try await eventually("the gateway says why") { unknown.standardError.contains("key not on its allowlist") }
    let response = try await Client(try #require(unknown.ready["http"])).get("/v2/limits")
    #expect(response.status == 503 && response["code"] == "ingest_unavailable")
  }

  @Test("An allowlist of gateways may not admit anyone")
  func anyone() async throws {
    let fixture = SystemFixture.current
    #expect(try await fixture.run("keys", "new", "--output", fixture.path("ingest")).status == 0)
    let run = try await fixture.run(
      "ingest", "--data", fixture.path("data"), "--gateways", "tcp://127.0.0.1:*", "--allow-gateways", "anyone",
      "--key-file", fixture.path("ingest"))
    #expect(run.status == 78 && run.log.contains("a file of the gateways' public keys"))
  }
}

extension Services {
  /// Starts clients that post through the gateways in turn until `end`.
  fileprivate func load(clients: Int) async throws -> GatewayLoad {
    let token = try #require(try await gatewayClient.signedUp().token)
    return GatewayLoad(bases: try gatewayClients.map(\.base), token: token, clients: clients)
  }

  /// Expects the account's posts to be exactly these ids, each published once.
  fileprivate func expectExactly(_ accepted: [String]) async throws {
    var client = try gatewayClient
    client.token = try await client.logIn("ada@example.org")["token"]
    try await eventually("all posts are settled") { try await client.posts().allSatisfy { $0.state != "queued" } }
    let posts = try await client.posts()
    #expect(Set(accepted).count == accepted.count, "One id stands for two posts.")
    #expect(posts.map(\.id).sorted() == accepted.sorted())
    #expect(posts.allSatisfy { $0.state == "published" })
    #expect(Set(posts.compactMap(\.seq)).count == posts.count)
  }
}

/// Clients that post one after the other, each post with a key. A client repeats a post that got no response, at the
/// other gateway.
private final class GatewayLoad: Sendable {
  private struct State {
    var accepted: [String] = []
    var failures: [String] = []
    var waiting = 0
    var next = 0
    var isOver = false
  }

  private let state = Mutex(State())
  private let bases: [String]
  private let token: String
  private let task = Mutex<Task<Void, Never>?>(nil)

  init(bases: [String], token: String, clients: Int) {
    self.bases = bases
    self.token = token
    let task = Task { [weak self] in
      await withTaskGroup { group in
        for number in 0..<clients { group.addTask { await self?.run(number) } }
      }
    }
    self.task.withLock { $0 = task }
  }

  var failures: [String] { state.withLock { $0.failures } }

  /// Waits for more accepted posts.
  func more(_ count: Int) async throws {
    let target = state.withLock { $0.accepted.count } + count
    try await eventually("\(count) more posts are accepted") { state.withLock { $0.accepted.count } >= target }
  }

  /// Waits until this number of posts waits for a response.
  func wait(untilHeld count: Int) async throws {
    try await eventually("\(count) posts wait") { state.withLock { $0.waiting } >= count }
  }

  /// Ends the load. Returns the ids of the accepted posts.
  func end() async throws -> [String] {
    state.withLock { $0.isOver = true }
    await task.withLock { $0 }?.value
    return state.withLock { $0.accepted }
  }

  private func run(_ number: Int) async {
    var gateway = number % bases.count
    while let post = nextPost() {
      var id: String?
      while id == nil {
        var client = Client(bases[gateway])
        client.token = token
        state.withLock { $0.waiting += 1 }
        let response = try? await client.post("Oslo", key: "post-\(post)")
        state.withLock { $0.waiting -= 1 }
        if let response, (200..<300).contains(response.status) {
          id = response["id"]
        } else {
          let failure = response.map { "status \($0.status): \(String(decoding: $0.body, as: UTF8.self))" }
          state.withLock { $0.failures.append(failure ?? "no response to post \(post)") }
          gateway = (gateway + 1) % bases.count
          try? await Task.sleep(for: .milliseconds(20))
        }
      }
      if let id { state.withLock { $0.accepted.append(id) } }
    }
  }

  private func nextPost() -> Int? {
    state.withLock { state in
      guard !state.isOver else { return nil }
      state.next += 1
      return state.next
    }
  }
}
