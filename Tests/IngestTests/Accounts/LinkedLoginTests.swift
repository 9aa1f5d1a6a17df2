import Domain
import Foundation
import StubServers
import Testing

@testable import Ingest

@Suite("Linked identities", .bothFronts)
struct LinkedLoginTests {
  /// Creates an account with a password. Returns the cookie of its session.
  private func signUp(_ fixture: OpenIDFixture, _ email: String) async throws -> String {
    "otm=\(try #require(try await fixture.map.client.signedUp(as: email).token))"
  }

  private static let identities = "/v2/account/identities"

  /// Begins to add an identity in the browser. Returns the response.
  private func begin(
    _ fixture: OpenIDFixture, _ cookie: String, _ members: [String: Any] = ["currentPassword": Client.password],
    headers: [String: String] = [:]
  ) async throws -> APIResponse {
    try await fixture.map.client.send(
      "POST", Self.identities, body: JSON.object(members), headers: headers.merging(["Cookie": cookie]) { $1 })
  }

  /// Begins to add an identity with one session, and returns from the provider with another session or none.
  private func link(
    _ fixture: OpenIDFixture, startedBy starter: String, finishedBy finisher: String?
  ) async throws -> APIResponse {
    let response = try await begin(fixture, starter)
    #expect(response.status == 200, "\(response)")
    let key = try #require(response.headers["set-cookie"]).prefix { $0 != ";" }
    let redirect = try await fixture.browser.get(try #require(response["location"]))
    let cookies = [String(key), finisher].compactMap(\.self).joined(separator: "; ")
    return try await Browser(fixture.map).get(try #require(redirect.headers["location"]), headers: ["Cookie": cookies])
  }

  @Test("An account with the same address is not taken over until its owner links the identity")
  func linked() async throws {
    let fixture = try OpenIDFixture()
    let cookie = try await signUp(fixture, "ada@example.org")
    let conflict = try await fixture.logIn()
    #expect(conflict.status == 409 && conflict["code"] == "email_taken")

    let linked = try await link(fixture, startedBy: cookie, finishedBy: cookie)
    #expect(linked.status == 303 && linked.headers["location"] == "/", "\(linked)")
    #expect(try await fixture.logIn().status == 303)
    let account = try await fixture.client.get("/v2/account")
    #expect(account["email"] == "ada@example.org" && account.object["hasPassword"] as? Bool == true)
    #expect(fixture.map.logged.contains("event=identity_linked"))
    let all = try await fixture.client.get(Self.identities)
    let identities = try #require(all.object["identities"] as? [[String: Any]])
    #expect(identities.count == 1 && identities[0]["subject"] as? String == "user-1")
    #expect(identities[0]["issuer"] as? String == fixture.provider.issuer)

    // Remove the identity again.
    let path = "\(Self.identities)/\(try #require(identities[0]["id"] as? String))"
    let confirmed = JSON.object(["currentPassword": Client.password])
    for (body, status, code) in [("{}", 422, "missing_field"), (#"{"currentPassword":"x"}"#, 403, "wrong_password")] {
      let refused = try await fixture.client.send("DELETE", path, body: body)
      #expect(refused.status == status && refused["code"] == code)
    }
    let unknown = try await fixture.client.send("DELETE", Self.identities + "/0", body: confirmed)
    #expect(unknown.status == 404 && unknown["code"] == "identity_not_found")
    #expect(try await fixture.client.send("DELETE", path, body: confirmed).status == 204)
    #expect(try await fixture.client.get("/v2/session").status == 200, "Sessions must stay.")
    #expect(try await fixture.logIn()["code"] == "email_taken")
    #expect(fixture.map.logged.contains("event=identity_unlinked"))
  }

  @Test("Linking an identity needs the password and a same-site request")
  func confirmed() async throws {
    let fixture = try OpenIDFixture()
    let cookie = try await signUp(fixture, "ada@example.org")
    #expect(try await begin(fixture, "otm=none").status == 401)
    #expect(try await begin(fixture, cookie, [:])["code"] == "missing_field")
    #expect(try await begin(fixture, cookie, ["currentPassword": "guessed"])["code"] == "wrong_password")
    let foreignReturn = try await begin(fixture, cookie, ["currentPassword": Client.password, "return": "//a"])
    #expect(foreignReturn["code"] == "invalid_return")
    let facebook = try await begin(fixture, cookie, ["currentPassword": Client.password, "facebookAccessToken": "a"])
    #expect(facebook.status == 403 && facebook["code"] == "facebook_disabled")
    // A cross-site request must begin nothing, because it could link another person's identity.
    let crossSite = try await begin(fixture, cookie, headers: ["Sec-Fetch-Site": "cross-site"])
    #expect(crossSite.status == 403 && crossSite["code"] == "cross_site")
    // The session has ended meanwhile, so there is no account to link to.
    let response = try await begin(fixture, cookie)
    let key = try #require(response.headers["set-cookie"]).prefix { $0 != ";" }
    let redirect = try await fixture.browser.get(try #require(response["location"]))
    #expect(try await fixture.map.client.send("DELETE", "/v2/sessions", headers: ["Cookie": cookie]).status == 204)
    let callback = try await Browser(fixture.map).get(
      try #require(redirect.headers["location"]), headers: ["Cookie": "\(key); \(cookie)"])
    #expect(callback.status == 401 && callback["code"] == "session_required")
    #expect(try await fixture.logIn()["code"] == "email_taken", "No identity must be linked.")
  }

  @Test("An identity belongs to one account, and links only in the session that began the linking")
  func others() async throws {
    let fixture = try OpenIDFixture()
    let (ada, bob) = (try await signUp(fixture, "a@example.org"), try await signUp(fixture, "b@example.org"))
    #expect(try await fixture.logIn().status == 303)
    let id = try await fixture.client.get("/v2/account")["id"]
    fixture.browser.forget("otm")
    let conflict = try await link(fixture, startedBy: ada, finishedBy: ada)
    #expect(conflict.status == 409 && conflict["code"] == "identity_taken")
    fixture.provider.set { $0.subject = "user-2" }
    #expect(try await link(fixture, startedBy: ada, finishedBy: bob)["code"] == "login_not_in_progress")
    #expect(try await link(fixture, startedBy: ada, finishedBy: nil)["code"] == "session_required")
    fixture.provider.set { $0.subject = "user-1" }
    #expect(try await fixture.logIn().status == 303)
    #expect(try await fixture.client.get("/v2/account")["id"] == id, "The identity's account must not change.")
  }

  @Test("An account without a password needs a recent login for changes and keeps its last identity")
  func passwordless() async throws {
    var fixture = try OpenIDFixture()
    #expect(try await fixture.logIn().status == 303)
    var client = fixture.client
    let all = try await client.get(Self.identities).object["identities"] as? [[String: Any]]
    let path = "\(Self.identities)/\(try #require(all?.first?["id"] as? String))"
    let last = try await client.send("DELETE", path, body: "{}")
    #expect(last.status == 409 && last["code"] == "last_login_method")
    #expect(try await client.send("POST", Self.identities, body: "{}").status == 200)

    // Make the sessions eleven minutes older.
    fixture = try fixture.restarted(after: "UPDATE session SET created_ms = created_ms - 660000")
    client = fixture.client
    for (method, path, body) in [
      ("POST", Self.identities, "{}"), ("DELETE", path, "{}"), ("DELETE", "/v2/account", "{}"),
      ("PUT", "/v2/account/password", JSON.object(["password": Client.password])),
      ("PATCH", "/v2/account", #"{"email":"x@example.org"}"#),
    ] {
      let response = try await client.send(method, path, body: body)
      #expect(response.status == 403 && response["code"] == "login_not_recent", "\(method) \(path): \(response)")
    }
    #expect(try await fixture.logIn().status == 303)
    let again = fixture.client
    let set = try await again.send("PUT", "/v2/account/password", body: JSON.object(["password": Client.password]))
    #expect(set.status == 200)
  }

  @Test("A password reset by the operator removes linked identities")
  func reset() async throws {
    let fixture = try OpenIDFixture()
    let cookie = try await signUp(fixture, "ada@example.org")
    #expect(try await link(fixture, startedBy: cookie, finishedBy: cookie).status == 303)
    let reset = AdminRequest.setUser(email: "ada@example.org", .password(nil))
    _ = try await fixture.map.components.admin.reply(to: reset, from: AccountID(rawValue: 1))
    #expect(try await fixture.logIn()["code"] == "email_taken")
  }

  @Test("A deleted account's identity gets a new account, but not if sign-up is closed")
  func deleted() async throws {
    let fixture = try OpenIDFixture()
    #expect(try await fixture.logIn().status == 303)
    let before = try await fixture.client.get("/v2/account")
    let id = try #require(before["id"])
    #expect(try await fixture.client.send("DELETE", "/v2/account", body: "{}").status == 204)
    #expect(try await fixture.logIn().status == 303)
    #expect(try await fixture.client.get("/v2/account")["id"] != id)

    let closed = try fixture.restarted { $0.isSignUpOpen = false }
    #expect(try await closed.logIn().status == 303, "A known account must still log in.")
    closed.provider.set { $0.subject = "user-2" }
    let response = try await closed.logIn()
    #expect(response.status == 403 && response["code"] == "sign_up_closed")
  }

  @Test("Over TLS the login cookie is Secure and bound to its host")
  func secure() async throws {
    let fixture = try OpenIDFixture(origin: "https://map.example.org")
    let browser = fixture.browser
    let redirect = try await browser.get("\(Client.base)/v2/login/oidc")
    #expect(browser.setCookies.first?.hasPrefix("__Host-otm-login=") == true)
    #expect(browser.setCookies.first?.contains("Secure") == true)
    let location = redirect.headers["location"]
    #expect(
      location?.contains("redirect_uri=https%3A%2F%2Fmap.example.org%2Fv2%2Flogin%2Foidc%2Fcallback") == true)
  }
}
