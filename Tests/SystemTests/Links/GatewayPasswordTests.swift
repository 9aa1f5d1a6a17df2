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
    // Five attempts are free. Each later one follows a pause, and each pause is twice as long as the one before. A slow
    // machine needs a longer pause for the three attempts with the right password, after more wrong ones.
    var (wrong, begun, secondsMin) = (0, ContinuousClock.now, 1)
    try await eventually("the right password is refused everywhere") {
      let guess = try await clients[wrong % 3].logIn("ada@example.org", password: "wrong horse")
      if guess.status == 403 { wrong += 1 }
      guard guess.status == 429, let seconds = guess.headers["retry-after"].flatMap({ Int($0) }), seconds >= secondsMin
      else { return false }
      // The pauses have taken this time at least, because the attempts at the three places count together.
      let pauses = Duration.seconds((1 << min(wrong - 5, 20)) - 1)
      #expect(wrong >= 5 && ContinuousClock.now - begun >= pauses)
      for client in clients {
        let right = try await client.logIn("ada@example.org", password: Client.password)
        guard right.status == 429 else {
          // The pause is over, and the right password frees five more attempts.
          (wrong, begun, secondsMin) = (0, ContinuousClock.now, 2 * secondsMin)
          return false
        }
        #expect(right["code"] == "too_many_logins" && right.headers["retry-after"] != nil)
      }
      return true
    }
  }
}
