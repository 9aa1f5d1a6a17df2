import Foundation
import Ingest
import SignIn
import StubServers
import Testing

@Suite("Facebook login", .bothFronts)
struct FacebookTests {
  private let graph: FacebookStub

  init() throws { graph = try FacebookStub([:]) }

  private func makeFixture() throws -> IngestFixture {
    try IngestFixture { [graph] in
      $0.facebook = try FacebookConfiguration(
        appID: FacebookStub.appID, appSecret: FacebookStub.appSecret, graph: graph.url)
    }
  }

  private func logIn(_ client: Client, _ token: String) async throws -> APIResponse {
    try await client.send("POST", "/v2/session", body: JSON.object(["facebookAccessToken": token]))
  }

  private func compatLogIn(_ client: Client, _ token: Any, path: String = "/v1/session") async throws -> APIResponse {
    try await client.send("POST", path, body: JSON.object(["facebook_mobile": ["access_token": token]]))
  }

  @Test("A Facebook token creates an account on first use and finds it later, in both APIs")
  func first() async throws {
    graph.set("token", .init())
    let map = try makeFixture()
    let response = try await logIn(map.client, "token")
    #expect(response.status == 200 && response.headers["set-cookie"]?.hasPrefix("otm=") == true)
    let account = try #require(response.object["account"] as? [String: Any])
    #expect(account["firstName"] as? String == "Grace" && account["email"] as? String == "grace@example.org")
    #expect(account["hasPassword"] as? Bool == false)
    var client = map.client
    client.token = response["token"]
    try await client.expectService()
    for path in ["/v1/session", "/api/session"] {
      let again = try await compatLogIn(client, "token", path: path)
      #expect(again.status == 200)
      #expect((try again.guarded()["account"] as? [String: Any])?["key"] as? String == account["id"] as? String)
    }
    // A password does not open this account, not even an empty one.
    #expect(try await map.client.logIn("grace@example.org", password: "").status == 403)
  }

  @Test("Another app's token and an unknown token are refused in each API's form, and rate limited")
  func refused() async throws {
    var other = FacebookStub.Login()
    other.app = "999"
    graph.set("other-secret", other)
    let map = try makeFixture()
    for token in ["other-secret", "wrong-secret"] {
      let response = try await logIn(map.client, token)
      #expect(response.status == 403 && response["code"] == "identity_refused")
      let compat = try await compatLogIn(map.client, token)
      #expect(compat.status == 403)
      #expect(
        try compat.guarded()["error"] as? String == "The provider refused this login; log in there again.")
      #expect(!map.logged.contains(token))
    }
    #expect(map.logged.contains("code=facebook_app") && map.logged.contains("event=identity_refused"))
    #expect(!map.logged.contains(FacebookStub.appSecret))
    // Four of the 50 free attempts are used. The first pause is 1 s, which a busy machine may need for one request, and
    // each pause doubles.
    var refused: [APIResponse] = []
    while refused.last?.status != 429, refused.count < 60 { refused.append(try await logIn(map.client, "wrong")) }
    #expect(refused.last?["code"] == "too_many_logins")
    #expect(refused.dropLast().allSatisfy { $0.status == 403 } && refused.count > 46)
  }

  @Test("A login body needs exactly one credential")
  func bodies() async throws {
    let map = try makeFixture()
    let both = try await map.client.send(
      "POST", "/v2/session", body: JSON.object(["facebookAccessToken": "a", "email": "a@b", "password": "c"]))
    #expect(both.status == 422 && both["code"] == "conflicting_credentials")
    #expect(try await map.client.send("POST", "/v2/session", body: "{}")["field"] == "email")
    #expect(
      try await map.client.send("POST", "/v2/session", body: #"{"facebookAccessToken":5}"#)["code"] == "wrong_type")
    for token in ["", 5, NSNull()] as [Any] {
      let response = try await compatLogIn(map.client, token)
      #expect(response.status == 400)
      let body = try response.guarded()
      #expect(body["parameter"] as? String == "facebook_mobile.access_token")
      #expect(body["error"] as? String == "trails.Error 400: Missing parameter 'access_token'")
    }
  }

  @Test("Facebook logins are refused if Facebook is not configured")
  func off() async throws {
    let client = try IngestFixture().client
    let response = try await logIn(client, "token")
    #expect(response.status == 403 && response["code"] == "facebook_disabled")
    let compat = try await compatLogIn(client, "token")
    #expect(compat.status == 403)
    #expect(
      try compat.guarded()["error"] as? String
        == "Login with Facebook is disabled; log in with your email address and password.")
  }

  @Test("A Facebook login takes over no account with the same address, and creates none if sign-up is closed")
  func noAccount() async throws {
    graph.set("token", .init())
    let map = try makeFixture()
    #expect(try await map.client.signUp("grace@example.org").status == 201)
    let conflict = try await logIn(map.client, "token")
    #expect(conflict.status == 409 && conflict["code"] == "email_taken")
    #expect(conflict["detail"]?.contains("then add") == true)
    var hidden = FacebookStub.Login()
    hidden.profile = ""
    graph.set("token", hidden)
    let response = try await logIn(map.client, "token")
    let email = (response.object["account"] as? [String: Any])?["email"] as? String
    #expect(email?.wholeMatch(of: #/[0-9a-f]{32}@login\.invalid/#) != nil)
    let closed = try map.restarted { $0.isSignUpOpen = false }
    #expect(try await logIn(closed.client, "token").status == 200, "A known account must still log in.")
    hidden.user = "77"
    graph.set("new", hidden)
    #expect(try await logIn(closed.client, "new")["code"] == "sign_up_closed")
  }

  @Test("An unavailable Facebook gives 503 with Retry-After, and other logins work")
  func down() async throws {
    graph.set("token", .init())
    let map = try makeFixture()
    for reply in [StubServer.Reply.response(status: 500, body: ""), .reset, .drip] {
      graph.server.setResponse { _ in reply }
      let response = try await logIn(map.client, "token")
      #expect(response.status == 503 && response["code"] == "provider_unavailable")
      #expect(response.headers["retry-after"] == "10")
    }
    #expect(try await compatLogIn(map.client, "token").status == 503)
    #expect(try await map.client.signUp("ada@example.org").status == 201)
  }
}
