import Domain
import Foundation
import Messaging
import Testing

@testable import Ingest

@Suite("Logins through gateways")
struct GatewayLoginTests {
  private let ada = "ada@example.org"

  @Test("Ingest takes the hashes of sign-ups and logins from their gateway, also for an unknown account")
  func delegated() async throws {
    let map = try IngestFixture.withGateways()
    let gateway = try HashingGatewayFixture(map, hashing: .own)
    #expect(try await gateway.signUp(ada).status == 201)
    #expect(try await gateway.logIn(ada).status == 200)
    #expect(try await gateway.logIn(ada, password: "wrong horse").status == 403)
    #expect(try await gateway.logIn("nobody@example.org").status == 403)
    #expect(gateway.hashes.map(\.password.text) == [Client.password, Client.password, "wrong horse", Client.password])
    #expect(gateway.hashes[0].salt == gateway.hashes[1].salt && gateway.hashes[1].salt == gateway.hashes[2].salt)
    #expect(gateway.hashes[3].salt != gateway.hashes[0].salt)
    // Ingest's own argon2id gives another hash than the test's gateway.
    #expect(try await map.client.logIn(ada).status == 403)
    #expect(gateway.hashes.count == 4)
    #expect(!map.logged.contains("horse"))
  }

  @Test("A change of the password takes both hashes from the gateway")
  func passwordChange() async throws {
    let map = try IngestFixture.withGateways()
    let gateway = try HashingGatewayFixture(map, hashing: .own)
    let response = try await gateway.signUp(ada)
    struct NewSession: Decodable { let token: String }
    let token = try JSONDecoder().decode(NewSession.self, from: Data(response.body)).token
    let change = ["currentPassword": Client.password, "password": "another horse"]
    #expect(try await gateway.send("PUT", "/v2/account/password", change, token: token).status == 200)
    #expect(gateway.hashes.map(\.password.text) == [Client.password, Client.password, "another horse"])
    #expect(try await gateway.logIn(ada, password: "another horse").status == 200)
    #expect(try await gateway.logIn(ada).status == 403)
  }

  @Test("Ingest computes a hash itself if the gateway is too old, busy or silent")
  func fallback() async throws {
    for (hashing, requested) in [(HashingGatewayFixture.Hashing.old, 0), (.busy, 3), (.silent, 1)] {
      let map = try IngestFixture.withGateways()
      let gateway = try HashingGatewayFixture(map, hashing: hashing)
      _ = try await map.account(ada)
      #expect(try await gateway.logIn(ada).status == 200, "\(hashing)")
      #expect(try await gateway.logIn(ada, password: "wrong horse").status == 403, "\(hashing)")
      #expect(try await gateway.signUp("bob@example.org").status == 201, "\(hashing)")
      // After its timeout, a silent gateway gets no hash for a while.
      #expect(gateway.hashes.count == requested, "\(hashing)")
      #expect(try await map.client.logIn("bob@example.org").status == 200, "\(hashing)")
    }
  }

  @Test("Concurrent logins of an account through a busy gateway do not count as wrong passwords while they wait")
  func postponed() async throws {
    let map = try IngestFixture.withGateways()
    let gateway = try HashingGatewayFixture(map, hashing: .busy)
    _ = try await map.account(ada)
    let statuses = try await withThrowingTaskGroup { group in
      for _ in 0..<24 { group.addTask { try await gateway.logIn(ada).status } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses.allSatisfy { $0 == 200 }, "\(statuses)")
  }

  @Test("Wrong passwords over two gateways count together, and a refused login takes no hash")
  func rateLimit() async throws {
    // With a clock that stands still, no pause ends on a slow machine.
    let map = try IngestFixture.withGateways(loginUnixMs: WallClock.unixMs)
    let gateways = [try HashingGatewayFixture(map, hashing: .own), try HashingGatewayFixture(map, hashing: .own)]
    #expect(try await gateways[0].signUp(ada).status == 201)
    for number in 0..<5 {
      #expect(try await gateways[number % 2].logIn(ada, password: "wrong horse").status == 403)
    }
    for gateway in gateways {
      for password in ["wrong horse", Client.password] {
        #expect(try await gateway.logIn(ada, password: password).status == 429)
      }
    }
    // The first gateway also has the hash of the sign-up.
    #expect(gateways.map(\.hashes.count) == [4, 2])
  }
}
