import Foundation
import Ingest
import StubServers
import Testing

@Suite("OpenID Connect login", .bothFronts)
struct OpenIDTests {
  @Test("A browser logs in at the provider and gets the same account each time")
  func whole() async throws {
    let fixture = try OpenIDFixture()
    let redirect = try await fixture.browser.get("\(Client.base)/v2/login/oidc?return=/map%3Fa%3D1")
    #expect(redirect.status == 303)
    let set = try #require(fixture.browser.setCookies.first)
    #expect(set.hasPrefix("otm-login=") && set.contains("HttpOnly") && set.contains("SameSite=Lax"))
    #expect(set.contains("Max-Age=600") && set.contains("Path=/"))
    let providerRedirect = try await fixture.browser.get(try #require(redirect.headers["location"]))
    let callback = try await fixture.browser.get(try #require(providerRedirect.headers["location"]))
    #expect(callback.status == 303 && callback.headers["location"] == "/map?a=1", "\(callback)")
    #expect(callback.headers["cache-control"] == "no-store" && callback.headers["referrer-policy"] == "no-referrer")
    #expect(fixture.browser.cookie("otm-login", of: Client.base) == nil)
    let client = fixture.client
    let account = try await client.get("/v2/account")
    #expect(account["firstName"] == "Ada" && account["lastName"] == "Lovelace" && account["email"] == "ada@example.org")
    #expect(account.object["hasPassword"] as? Bool == false)
    try await client.expectService()
    let first = client.token
    #expect(try await fixture.logIn().headers["location"] == "/")
    #expect(fixture.client.token != first, "Each login must have a new token.")
    #expect(try await fixture.client.get("/v2/account")["id"] == account["id"])
    let discoveries = fixture.provider.server.requests.count { $0.path.hasSuffix("openid-configuration") }
    #expect(discoveries == 1)
    let log = fixture.map.logged
    for secret in ["s3cret", "access-1", "code/1", try #require(first)] { #expect(!log.contains(secret)) }
    #expect(log.contains("event=account_created") && log.contains("event=logged_in"))
  }

  @Test("A public client sends no secret, and a missing profile is fetched from user info")
  func publicClient() async throws {
    var behaviour = OpenIDStub.Behaviour()
    behaviour.clientSecret = nil
    behaviour.hasProfileOnlyInUserInfo = true
    behaviour.profile = #""name":"Ada Lovelace","email":"ada@example.org","email_verified":false"#
    let fixture = try OpenIDFixture(try OpenIDStub(behaviour), secret: "")
    #expect(try await fixture.logIn().status == 303)
    let account = try await fixture.client.get("/v2/account")
    #expect(account["firstName"] == "Ada" && account["lastName"] == "Lovelace")
    #expect(account["email"]?.hasSuffix("@login.invalid") == true, "An unverified address must not be used.")
  }

  @Test("GET /v2/login lists the login methods")
  func methods() async throws {
    let methods = try await OpenIDFixture().map.client.get("/v2/login")
    let text = String(decoding: methods.body, as: UTF8.self)
    #expect(
      text == #"{"methods":[{"kind":"password"},{"kind":"oidc","name":"Example","path":"/v2/login/oidc"}],"#
        + #""signUpOpen":true,"recovery":"operator","confirmedEmailRequired":false}"#)
  }

  @Test("OpenID Connect is off by default")
  func off() async throws {
    let client = try IngestFixture { $0.isSignUpOpen = false }.client
    let methods = try await client.get("/v2/login")
    #expect(
      String(decoding: methods.body, as: UTF8.self)
        == #"{"methods":[{"kind":"password"}],"signUpOpen":false,"#
        + #""recovery":"operator","confirmedEmailRequired":false}"#)
    let refused = try await client.get("/v2/login/oidc")
    #expect(refused.status == 403 && refused["code"] == "oidc_disabled")
    #expect(try await client.get("/v2/login/oidc/callback?code=a&state=b")["code"] == "login_not_in_progress")
    #expect(try await client.send("POST", "/v2/login", body: "{}").status == 405)
  }

  @Test(
    "An ID token for another login is refused",
    arguments: [
      ("nonce", #""another""#), ("aud", #""another""#), ("iss", #""https://b.example""#), ("exp", "1700000000"),
      ("iat", "1700000000"), ("azp", #""another""#), ("sub", "null"), ("nonce", "null"),
    ])
  func statement(claim: String, value: String) async throws {
    let fixture = try OpenIDFixture()
    fixture.provider.set { $0.claims = [claim: value] }
    let response = try await fixture.logIn()
    #expect(response.status == 403 && response["code"] == "identity_refused", "\(response)")
    #expect(fixture.browser.cookie("otm", of: Client.base) == nil)
    #expect(fixture.map.logged.contains("code=oidc_id_token_\(claim)"))
    #expect(fixture.map.logged.contains("event=identity_refused"))
  }

  @Test("Only the browser that began a login can complete it, and only once")
  func forged() async throws {
    let fixture = try OpenIDFixture()
    // An attacker's own login, in a victim's browser.
    let attackersCallback = try await fixture.callbackURL()
    let victim = Browser(fixture.map)
    let forged = try await victim.get(attackersCallback)
    #expect(forged.status == 400 && forged["code"] == "login_not_in_progress" && victim.cookies[Client.base] == nil)
    // The attacker's callback is refused even after the victim has begun a login.
    _ = try await victim.get("\(Client.base)/v2/login/oidc")
    #expect(try await victim.get(attackersCallback)["code"] == "login_not_in_progress")
    #expect(victim.cookie("otm", of: Client.base) == nil)
    // The browser that began the login completes it once. Then the code is spent too.
    let key = try #require(fixture.browser.cookie("otm-login", of: Client.base))
    #expect(try await fixture.browser.get(attackersCallback).status == 303)
    let replay = try await fixture.browser.get(attackersCallback, headers: ["Cookie": "otm-login=\(key)"])
    #expect(replay.status == 400 && replay["code"] == "login_not_in_progress")
    let query = try #require(URLComponents(string: attackersCallback)?.queryItems?.first { $0.name == "code" }?.value)
    let next = try await fixture.callbackURL()
    let spent = next.replacing(
      #/code=[^&]*/#, with: "code=" + query.replacing("/", with: "%2F").replacing("+", with: "%2B"))
    let response = try await fixture.browser.get(spent)
    #expect(response.status == 403 && response["code"] == "identity_refused")
    #expect(fixture.map.logged.contains("code=oidc_code"))
    for bad in ["", "?state=a", "?code=a", "?code=a&state="] {
      let ended = try await Browser(fixture.map).get("\(Client.base)/v2/login/oidc/callback\(bad)")
      #expect(ended["code"] == "login_not_in_progress")
    }
  }

  @Test("Provider errors are reported as a denied login or a temporary failure")
  func denied() async throws {
    let fixture = try OpenIDFixture()
    for (error, status, code) in [
      ("access_denied", 403, "login_denied"), ("login_required", 403, "login_denied"),
      ("temporarily_unavailable", 503, "provider_unavailable"), ("invalid_request", 503, "provider_unavailable"),
    ] {
      fixture.provider.set { $0.authorizationParameters = ["error": error, "error_description": "<b>x</b>"] }
      let response = try await fixture.logIn()
      #expect(response.status == status && response["code"] == code)
      #expect(!String(decoding: response.body, as: UTF8.self).contains("<b>"))
    }
    fixture.provider.set { $0.authorizationParameters = ["iss": "https://b.example"] }
    #expect(try await fixture.logIn()["code"] == "identity_refused")
    fixture.provider.set { $0.authorizationParameters = ["iss": fixture.provider.issuer] }
    #expect(try await fixture.logIn().status == 303)
  }

  @Test("A failing provider ends only the current login, after one token request")
  func down() async throws {
    let fixture = try OpenIDFixture()
    let discovery = "/realm/.well-known/openid-configuration"
    let big = StubServer.Reply.response(body: "\"" + String(repeating: "a", count: 300_000) + "\"")
    for reply in [.response(status: 500, body: ""), .silence, big, .reset, .response(body: "[]")] as [StubServer.Reply]
    {
      fixture.provider.set { $0.replies = [discovery: reply] }
      let response = try await fixture.browser.get("\(Client.base)/v2/login/oidc")
      #expect(response.status == 503 && response["code"] == "provider_unavailable")
      #expect(response.headers["retry-after"] == "10")
    }
    fixture.provider.set { $0.replies = [:] }
    let tokenRedirect = StubServer.Reply.response(status: 302, headers: ["Location": "/elsewhere"], body: "")
    let wrongClient = StubServer.Reply.response(
      status: 401, headers: ["WWW-Authenticate": "Basic realm=\"a\""], body: #"{"error":"invalid_client"}"#)
    for reply in [.response(status: 503, body: ""), .drip, big, tokenRedirect, wrongClient, .response(body: "{}")]
      as [StubServer.Reply]
    {
      let callback = try await fixture.callbackURL()
      fixture.provider.set { $0.replies = ["/token": reply] }
      let response = try await fixture.browser.get(callback)
      #expect(response.status == 503 && response["code"] == "provider_unavailable", "\(reply)")
    }
    #expect(
      fixture.provider.server.requests.count { $0.path == "/token" } == 6, "Each login must send one token request.")
    fixture.provider.set { $0.replies = [:] }
    #expect(try await fixture.map.client.signUp("eve@example.org").status == 201)
    #expect(try await fixture.logIn().status == 303)
    #expect(fixture.map.logged.contains("code=oidc_token_status_401"))
  }

  @Test("At most 32 logins wait for a provider, and further logins get `busy`")
  func busy() async throws {
    let fixture = try OpenIDFixture()
    fixture.provider.set { $0.replies = ["/realm/.well-known/openid-configuration": .silence] }
    let client = fixture.map.client
    let codes = try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<40 { group.addTask { try await client.get("/v2/login/oidc")["code"] } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(codes.count { $0 == "provider_unavailable" } == 32 && codes.count { $0 == "busy" } == 8, "\(codes)")
  }

  @Test("The return path stays within the site")
  func returnPath() async throws {
    let fixture = try OpenIDFixture()
    let longest = "/" + String(repeating: "a", count: 511)
    for bad in [
      "https://evil.example", "//evil.example", "/%5Cevil.example", "%2F%2Fevil.example", "/%0d%0aX:1", "", "a", "/%00",
      longest + "a",
    ] {
      let response = try await fixture.browser.get("\(Client.base)/v2/login/oidc?return=\(bad)")
      #expect(response.status == 400 && response["code"] == "invalid_return", "\(bad)")
    }
    #expect(try await fixture.logIn("?return=\(longest)").headers["location"] == longest)
  }
}
