import Testing

@Suite("Linked identities", .fixture)
struct LinkedLoginTests {
  /// Signs up with a password. Returns the cookie of the session.
  private func signUp(_ fixture: OpenIDFixture, _ email: String) async throws -> String {
    let response = try await fixture.map.client.signUp(email)
    #expect(response.status == 201)
    return "otm=\(try #require(response["token"]))"
  }

  /// Links an identity to a session's account, through the provider.
  private func link(_ fixture: OpenIDFixture, _ cookie: String) async throws -> APIResponse {
    let body = JSON.object(["currentPassword": Client.password])
    let response = try await fixture.map.client.send(
      "POST", "/v2/account/identities", body: body, headers: ["Cookie": cookie])
    #expect(response.status == 200, "\(response)")
    let key = try #require(response.headers["set-cookie"]).prefix { $0 != ";" }
    let sent = try await fixture.browser.get(try #require(response["location"]))
    return try await Browser().get(try #require(sent.headers["location"]), headers: ["Cookie": "\(key); \(cookie)"])
  }

  @Test("A password reset by the operator removes linked identities")
  func reset() async throws {
    let fixture = try await OpenIDFixture()
    let cookie = try await signUp(fixture, "ada@example.org")
    #expect(try await link(fixture, cookie).status == 303)
    let ran = try await SystemFixture.current.run(
      "user", "reset-password", "ada@example.org", "--data", SystemFixture.current.path("data"))
    #expect(ran.status == 0)
    #expect(ran.output.contains("Its sessions have ended; its provider logins are removed"), "\(ran)")
    #expect(try await fixture.logIn()["code"] == "email_taken")
  }
}
