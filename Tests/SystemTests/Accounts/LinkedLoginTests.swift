import Testing

@Suite("Linked identities", .stage)
struct LinkedLoginTests {
  /// Creates the browser's own account, with a password. Returns its cookie.
  private func signUp(_ scene: OpenIDFixture, _ email: String) async throws -> String {
    let answer = try await scene.map.client.signUp(email)
    #expect(answer.status == 201)
    return "otm=\(try #require(answer["token"]))"
  }

  /// Links an identity to a session's account, by way of the provider.
  private func link(_ scene: OpenIDFixture, _ cookie: String) async throws -> APIResponse {
    let body = JSON.object(["currentPassword": Client.password])
    let answer = try await scene.map.client.send(
      "POST", "/v2/account/identities", body: body, headers: ["Cookie": cookie])
    #expect(answer.status == 200, "\(answer)")
    let key = try #require(answer.headers["set-cookie"]).prefix { $0 != ";" }
    let sent = try await scene.browser.get(try #require(answer["location"]))
    return try await Browser().get(try #require(sent.headers["location"]), headers: ["Cookie": "\(key); \(cookie)"])
  }

  @Test("A password reset by the operator removes linked identities")
  func reset() async throws {
    let scene = try await OpenIDFixture()
    let cookie = try await signUp(scene, "ada@example.org")
    #expect(try await link(scene, cookie).status == 303)
    let ran = try await SystemFixture.current.run(
      "user", "reset-password", "ada@example.org", "--data", SystemFixture.current.path("data"))
    #expect(ran.status == 0 && ran.said.contains("Its sessions have ended; its provider logins are removed"), "\(ran)")
    #expect(try await scene.logIn()["code"] == "email_taken")
  }
}
