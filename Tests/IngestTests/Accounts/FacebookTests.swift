import Foundation
import Ingest
import SignIn
import StubServers
import Testing

@Suite("Logging in with Facebook")
struct FacebookTests {
  private let graph: FacebookStub

  init() throws { graph = try FacebookStub([:]) }

  private func up() throws -> IngestFixture {
    try IngestFixture { [graph] in
      $0.facebook = try FacebookConfiguration(
        appID: FacebookStub.appID, appSecret: FacebookStub.appSecret, graph: graph.url)
    }
  }

  private func logIn(_ client: Client, _ token: String) async throws -> APIResponse {
    try await client.send("POST", "/v2/session", body: JSON.object(["facebookAccessToken": token]))
  }

  private func classic(_ client: Client, _ token: Any, path: String = "/v1/session") async throws -> APIResponse {
    try await client.send("POST", path, body: JSON.object(["facebook_mobile": ["access_token": token]]))
  }

  @Test("A token makes an account the first time and finds it ever after, in both APIs, and its session posts")
  func first() async throws {
    graph.set("token", .init())
    let map = try up()
    let answer = try await logIn(map.client, "token")
    #expect(answer.status == 200 && answer.headers["set-cookie"]?.hasPrefix("otm=") == true)
    let account = try #require(answer.object["account"] as? [String: Any])
    #expect(account["firstName"] as? String == "Grace" && account["email"] as? String == "grace@example.org")
    #expect(account["hasPassword"] as? Bool == false)
    var client = map.client
    client.token = answer["token"]
    try await client.expectService()
    for path in ["/v1/session", "/api/session"] {
      let again = try await classic(client, "token", path: path)
      #expect(again.status == 200)
      #expect((try again.guarded()["account"] as? [String: Any])?["key"] as? String == account["id"] as? String)
    }
    // Nobody logs in to it with a password, not with an empty one either.
    #expect(try await map.client.logIn("grace@example.org", password: "").status == 403)
  }

  @Test("Another app's token, and one that is none, are refused in each API's form, and many are held up")
  func refused() async throws {
    var other = FacebookStub.Login()
    other.app = "999"
    graph.set("other-secret", other)
    let map = try up()
    for token in ["other-secret", "wrong-secret"] {
      let answer = try await logIn(map.client, token)
      #expect(answer.status == 403 && answer["code"] == "identity_refused")
      let old = try await classic(map.client, token)
      #expect(old.status == 403)
      #expect(
        try old.guarded()["error"] as? String == "The provider does not vouch for this login; log in there again.")
      #expect(!map.logged.contains(token))
    }
    #expect(map.logged.contains("code=facebook_app") && map.logged.contains("event=identity_refused"))
    #expect(!map.logged.contains(FacebookStub.appSecret))
    for _ in 4..<50 { #expect(try await logIn(map.client, "wrong").status == 403) }
    #expect(try await logIn(map.client, "wrong")["code"] == "too_many_logins")
  }

  @Test("A body has exactly one credential")
  func bodies() async throws {
    let map = try up()
    let both = try await map.client.send(
      "POST", "/v2/session", body: JSON.object(["facebookAccessToken": "a", "email": "a@b", "password": "c"]))
    #expect(both.status == 422 && both["code"] == "two_credentials")
    #expect(try await map.client.send("POST", "/v2/session", body: "{}")["field"] == "email")
    #expect(
      try await map.client.send("POST", "/v2/session", body: #"{"facebookAccessToken":5}"#)["code"] == "wrong_type")
    for token in ["", 5, NSNull()] as [Any] {
      let answer = try await classic(map.client, token)
      #expect(answer.status == 400)
      let body = try answer.guarded()
      #expect(body["parameter"] as? String == "facebook_mobile.access_token")
      #expect(body["error"] as? String == "trails.Error 400: Missing parameter 'access_token'")
    }
  }

  @Test("Where it is not configured, nobody logs in so, and Facebook is not asked")
  func off() async throws {
    let client = try IngestFixture().client
    let answer = try await logIn(client, "token")
    #expect(answer.status == 403 && answer["code"] == "facebook_off")
    let old = try await classic(client, "token")
    #expect(old.status == 403)
    #expect(
      try old.guarded()["error"] as? String
        == "This server takes no login with Facebook; log in with your e-mail address and password.")
  }

  @Test("An account that has the address is not taken for his, and a closed sign-up is closed here too")
  func noAccount() async throws {
    graph.set("token", .init())
    let map = try up()
    #expect(try await map.client.signUp("grace@example.org").status == 201)
    let taken = try await logIn(map.client, "token")
    #expect(taken.status == 409 && taken["code"] == "email_taken" && taken["detail"]?.contains("then add") == true)
    var hidden = FacebookStub.Login()
    hidden.profile = ""
    graph.set("token", hidden)
    let answer = try await logIn(map.client, "token")
    let email = (answer.object["account"] as? [String: Any])?["email"] as? String
    #expect(email?.wholeMatch(of: #/[0-9a-f]{32}@login\.invalid/#) != nil)
    let closed = try map.restarted { $0.isSignUpOpen = false }
    #expect(try await logIn(closed.client, "token").status == 200, "Whoever has an account logs in.")
    hidden.user = "77"
    graph.set("new", hidden)
    #expect(try await logIn(closed.client, "new")["code"] == "sign_up_closed")
  }

  @Test("When Facebook cannot be asked, only this login fails, and it says when to come again")
  func down() async throws {
    graph.set("token", .init())
    let map = try up()
    for reply in [StubServer.Reply.answer(status: 500, body: ""), .reset, .drip] {
      graph.server.setResponse { _ in reply }
      let answer = try await logIn(map.client, "token")
      #expect(answer.status == 503 && answer["code"] == "provider_unavailable" && answer.headers["retry-after"] == "10")
    }
    #expect(try await classic(map.client, "token").status == 503)
    #expect(try await map.client.signUp("ada@example.org").status == 201)
  }
}
