import Testing

@Suite("Passwords at gateways", .fixture)
struct GatewayPasswordTests {
  @Test("Gateways compute the hashes of logins, and ingest computes those of its own clients only")
  func passwordHashes() async throws {
    let map = try await SystemFixture.current.upWithGateway()
    let operations = [
      try #require(try map.operations.first), Client(try #require(map.gateways[0].ready["operations"])),
    ]
    func hashes() async throws -> [Double] {
      var counts: [Double] = []
      for client in operations { counts.append(try await Scrape(client)["onthemap_password_hashes_total"]) }
      return counts
    }
    let client = try await map.gatewayClient.signedUp()
    #expect(try await client.logIn("ada@example.org").status == 200)
    #expect(try await client.logIn("ada@example.org", password: "wrong horse").status == 403)
    #expect(try await client.logIn("nobody@example.org").status == 403)
    let change = JSON.object(["currentPassword": Client.password, "password": "another horse"])
    #expect(try await client.send("PUT", "/v2/account/password", body: change).status == 200)
    let login = #"{"udacity": {"username": "ada@example.org", "password": "another horse"}}"#
    #expect(try await client.send("POST", "/v1/session", body: login).status == 200)
    #expect(try await hashes() == [0, 7])
    let delegated = #"onthemap_password_hashes_delegated_total{outcome="computed"}"#
    #expect(try await Scrape(operations[0])[delegated] == 7)
    // Ingest's own argon2id confirms the gateway's hash.
    #expect(try await map.client.logIn("ada@example.org", password: "another horse").status == 200)
    #expect(try await map.client.logIn("ada@example.org").status == 403)
    #expect(try await hashes() == [2, 7])
    #expect(!map.ingest.standardError.contains("horse"))
    #expect(!map.gateways[0].standardError.contains("horse"))
  }

  @Test("A gateway with --password-hashes 0 leaves the hashes to ingest, and a number out of range is refused")
  func noPasswordHashes() async throws {
    let fixture = SystemFixture.current
    let map = try await fixture.upWithGateway(gateway: "--password-hashes", "0")
    let client = try await map.gatewayClient.signedUp()
    #expect(try await client.logIn("ada@example.org").status == 200)
    let ingest = try await Scrape(try #require(try map.operations.first))
    #expect(ingest["onthemap_password_hashes_total"] == 2)
    for number in ["-1", "9", "many"] {
      let run = try await fixture.run("gateway", "--password-hashes=\(number)", "--http", "127.0.0.1:0")
      #expect(run.status == 78 && run.log.contains("(ONTHEMAP_GATEWAY_PASSWORD_HASHES) must be"), "\(run.log)")
    }
  }

  @Test("Wrong passwords over two gateways and ingest count together, and pause the account everywhere")
  func wrongPasswords() async throws {
    let map = try await SystemFixture.current.upWithGateway()
    let second = try await SystemFixture.current.gateway(at: try #require(map.ingest.ready["gateways"]))
    let clients = [try map.gatewayClient, Client(try #require(second.ready["http"])), try map.client]
    _ = try await clients[0].signedUp()
    var wrong = 0
    func logIn(at index: Int, password: String = "wrong horse") async throws -> APIResponse {
      try await clients[index].logIn("ada@example.org", password: password)
    }
    // Five attempts are free at one place, and so they are at three together. On a slow machine, a pause of a second
    // may be over before the next attempt. Each pause doubles.
    try await eventually("the right password is refused everywhere") {
      while wrong < 12, try await logIn(at: wrong % 3).status == 403 { wrong += 1 }
      for index in clients.indices {
        let right = try await logIn(at: index, password: Client.password)
        guard right.status == 429 else {
          // The right password frees five more attempts.
          wrong = 0
          return false
        }
        #expect(right["code"] == "too_many_logins" && right.headers["retry-after"] != nil)
      }
      return true
    }
    #expect((5..<12).contains(wrong))
  }
}
