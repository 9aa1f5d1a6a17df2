import Foundation
import Testing

@Suite("Session management", .bothFronts)
struct SessionTests {
  private func sessions(_ client: Client) async throws -> [[String: Any]] {
    try #require(try await client.get("/v2/sessions").object["sessions"] as? [[String: Any]])
  }

  /// Returns a client with a further session.
  private func loggedIn(_ client: Client, password: String = Client.password) async throws -> Client {
    var client = client
    let token = try #require(try await client.logIn("ada@example.org", password: password)["token"])
    client.token = token
    return client
  }

  @Test("An account's sessions are listed, newest first, with the current one marked")
  func list() async throws {
    let map = try IngestFixture()
    let first = try await map.client.signedUp()
    let second = try await loggedIn(map.client)
    _ = try await map.client.signedUp(as: "bob@example.org")
    let sessions = try await sessions(second)
    #expect(sessions.map { $0["current"] as? Bool } == [true, false])
    #expect(sessions.allSatisfy { ($0["id"] as? String)?.count == 32 && $0["createdAt"] is String })
    #expect(try await self.sessions(first).map { $0["id"] as? String } == sessions.map { $0["id"] as? String })
  }

  @Test("A session that another one ends is invalid immediately, and other accounts cannot end it")
  func endOne() async throws {
    let map = try IngestFixture()
    let first = try await map.client.signedUp()
    let second = try await loggedIn(map.client)
    let bob = try await map.client.signedUp(as: "bob@example.org")
    let id = try #require(try await sessions(second)[1]["id"] as? String)
    #expect(try await first.get("/v2/session").status == 200)
    for path in ["/v2/sessions/\(id)", "/v2/sessions/x", "/v2/sessions/\(String(repeating: "0", count: 32))"] {
      #expect(try await bob.send("DELETE", path)["code"] == "session_not_found")
    }
    #expect(try await second.send("DELETE", "/v2/sessions/\(id)").status == 204)
    #expect(try await first.get("/v2/session").status == 401)
    #expect(try await second.send("DELETE", "/v2/sessions/\(id)").status == 404)
    #expect(try await second.get("/v2/session").status == 200)
  }

  @Test("All sessions of an account end together, or all but the current one")
  func endAll() async throws {
    let map = try IngestFixture()
    let first = try await map.client.signedUp()
    let second = try await loggedIn(map.client)
    let bob = try await map.client.signedUp(as: "bob@example.org")
    #expect(try await second.send("DELETE", "/v2/sessions?except=mine")["field"] == "except")
    #expect(try await second.send("DELETE", "/v2/sessions?except=current").status == 204)
    #expect(try await first.get("/v2/session").status == 401)
    #expect(try await second.get("/v2/session").status == 200)
    let third = try await loggedIn(map.client)
    #expect(try await second.send("DELETE", "/v2/sessions").status == 204)
    for client in [second, third] { #expect(try await client.get("/v2/session").status == 401) }
    #expect(try await bob.get("/v2/session").status == 200)
  }

  @Test("A new password ends every session and replaces the old one, also after a restart")
  func password() async throws {
    let map = try IngestFixture()
    let first = try await map.client.signedUp()
    let second = try await loggedIn(map.client)
    func change(_ current: String, _ new: String, _ client: Client) async throws -> APIResponse {
      try await client.send(
        "PUT", "/v2/account/password", body: JSON.object(["currentPassword": current, "password": new]))
    }
    let wrong = try await change("not this one", "a new password", second)
    #expect(wrong.status == 403 && wrong["code"] == "wrong_password" && wrong["field"] == "currentPassword")
    #expect(try await change(Client.password, "short", second)["code"] == "invalid_password")
    #expect(try await first.get("/v2/session").status == 200, "A refused change must end no session.")
    let changed = try await change(Client.password, "a new password", second)
    #expect(changed.status == 200)
    for client in [first, second] { #expect(try await client.get("/v2/session").status == 401) }
    var third = map.client
    let token = try #require(changed["token"])
    third.token = token
    #expect(try await third.get("/v2/session").status == 200)
    let again = try map.restarted().client
    #expect(try await again.logIn("ada@example.org").status == 403)
    #expect(try await again.logIn("ada@example.org", password: "a new password").status == 200)
    #expect(try await change("a new password", "x", again).status == 401, "A password change must need a session.")
  }

  @Test("Exactly one of several concurrent password changes succeeds")
  func atOnce() async throws {
    let map = try IngestFixture()
    let first = try await map.client.signedUp()
    let second = try await loggedIn(map.client)
    let responses = try await withThrowingTaskGroup(of: APIResponse.self) { group in
      for (number, client) in [first, second, first, second].enumerated() {
        group.addTask {
          try await client.send(
            "PUT", "/v2/account/password",
            body: JSON.object(["currentPassword": Client.password, "password": "new password \(number)"]))
        }
      }
      return try await group.reduce(into: [APIResponse]()) { $0.append($1) }
    }
    #expect(responses.count { $0.status == 200 } == 1, "\(responses.map(\.status))")
    #expect(responses.allSatisfy { [200, 401, 403].contains($0.status) })
    let token = try #require(responses.first { $0.status == 200 }?["token"])
    var client = map.client
    client.token = token
    #expect(try await client.get("/v2/session").status == 200, "The new session must be valid.")
  }
}
