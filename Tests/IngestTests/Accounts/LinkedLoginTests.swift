import Domain
import Foundation
import StubServers
import Testing

@testable import Ingest

@Suite("Linked identities")
struct LinkedLoginTests {
  /// Creates the browser's own account, with a password. Returns its cookie.
  private func signUp(_ scene: OpenIDFixture, _ email: String) async throws -> String {
    "otm=\(try #require(try await scene.map.client.signedUp(as: email).token))"
  }

  private static let identities = "/v2/account/identities"

  /// Begins to add an identity in the browser. Returns the response.
  private func begin(
    _ scene: OpenIDFixture, _ cookie: String, _ members: [String: Any] = ["currentPassword": Client.password],
    headers: [String: String] = [:]
  ) async throws -> APIResponse {
    try await scene.map.client.send(
      "POST", Self.identities, body: JSON.object(members), headers: headers.merging(["Cookie": cookie]) { $1 })
  }

  /// Begins to add an identity with one session, and returns from the provider with another session or none.
  private func link(_ scene: OpenIDFixture, begun: String, ended: String?) async throws -> APIResponse {
    let answer = try await begin(scene, begun)
    #expect(answer.status == 200, "\(answer)")
    let key = try #require(answer.headers["set-cookie"]).prefix { $0 != ";" }
    let sent = try await scene.browser.get(try #require(answer["location"]))
    let cookies = [String(key), ended].compactMap(\.self).joined(separator: "; ")
    return try await Browser(scene.map).get(try #require(sent.headers["location"]), headers: ["Cookie": cookies])
  }

  @Test("An account with the same address is not taken over until its owner links the identity")
  func linked() async throws {
    let scene = try OpenIDFixture()
    let cookie = try await signUp(scene, "ada@example.org")
    let taken = try await scene.logIn()
    #expect(taken.status == 409 && taken["code"] == "email_taken")

    let done = try await link(scene, begun: cookie, ended: cookie)
    #expect(done.status == 303 && done.headers["location"] == "/", "\(done)")
    #expect(try await scene.logIn().status == 303)
    let account = try await scene.client.get("/v2/account")
    #expect(account["email"] == "ada@example.org" && account.object["hasPassword"] as? Bool == true)
    #expect(scene.map.logged.contains("event=identity_linked"))
    let all = try await scene.client.get(Self.identities)
    let identities = try #require(all.object["identities"] as? [[String: Any]])
    #expect(identities.count == 1 && identities[0]["subject"] as? String == "user-1")
    #expect(identities[0]["issuer"] as? String == scene.provider.issuer)

    // Remove the identity again.
    let path = "\(Self.identities)/\(try #require(identities[0]["id"] as? String))"
    let confirmed = JSON.object(["currentPassword": Client.password])
    for (body, status, code) in [("{}", 422, "missing_field"), (#"{"currentPassword":"x"}"#, 403, "wrong_password")] {
      let refused = try await scene.client.send("DELETE", path, body: body)
      #expect(refused.status == status && refused["code"] == code)
    }
    let nobodys = try await scene.client.send("DELETE", Self.identities + "/0", body: confirmed)
    #expect(nobodys.status == 404 && nobodys["code"] == "identity_not_found")
    #expect(try await scene.client.send("DELETE", path, body: confirmed).status == 204)
    #expect(try await scene.client.get("/v2/session").status == 200, "Sessions must stay.")
    #expect(try await scene.logIn()["code"] == "email_taken")
    #expect(scene.map.logged.contains("event=identity_unlinked"))
  }

  @Test("Linking an identity needs the password and a same-site request")
  func confirmed() async throws {
    let scene = try OpenIDFixture()
    let cookie = try await signUp(scene, "ada@example.org")
    #expect(try await begin(scene, "otm=none").status == 401)
    #expect(try await begin(scene, cookie, [:])["code"] == "missing_field")
    #expect(try await begin(scene, cookie, ["currentPassword": "guessed"])["code"] == "wrong_password")
    #expect(
      try await begin(scene, cookie, ["currentPassword": Client.password, "return": "//a"])["code"] == "invalid_return")
    let facebook = try await begin(scene, cookie, ["currentPassword": Client.password, "facebookAccessToken": "a"])
    #expect(facebook.status == 403 && facebook["code"] == "facebook_disabled")
    // A cross-site request begins nothing: another person's identity could be linked.
    let crossSite = try await begin(scene, cookie, headers: ["Sec-Fetch-Site": "cross-site"])
    #expect(crossSite.status == 403 && crossSite["code"] == "cross_site")
    // The session has ended meanwhile, so there is no account to link to.
    let answer = try await begin(scene, cookie)
    let key = try #require(answer.headers["set-cookie"]).prefix { $0 != ";" }
    let sent = try await scene.browser.get(try #require(answer["location"]))
    #expect(try await scene.map.client.send("DELETE", "/v2/sessions", headers: ["Cookie": cookie]).status == 204)
    let back = try await Browser(scene.map).get(
      try #require(sent.headers["location"]), headers: ["Cookie": "\(key); \(cookie)"])
    #expect(back.status == 401 && back["code"] == "session_required")
    #expect(try await scene.logIn()["code"] == "email_taken", "No identity must be linked.")
  }

  @Test("An identity belongs to one account, and links only to the session that began it")
  func others() async throws {
    let scene = try OpenIDFixture()
    let (ada, bob) = (try await signUp(scene, "a@example.org"), try await signUp(scene, "b@example.org"))
    #expect(try await scene.logIn().status == 303)
    let id = try await scene.client.get("/v2/account")["id"]
    scene.browser.forget("otm")
    let taken = try await link(scene, begun: ada, ended: ada)
    #expect(taken.status == 409 && taken["code"] == "identity_taken")
    scene.provider.set { $0.subject = "user-2" }
    #expect(try await link(scene, begun: ada, ended: bob)["code"] == "login_not_in_progress")
    #expect(try await link(scene, begun: ada, ended: nil)["code"] == "session_required")
    scene.provider.set { $0.subject = "user-1" }
    #expect(try await scene.logIn().status == 303)
    #expect(try await scene.client.get("/v2/account")["id"] == id, "The identity's account must not change.")
  }

  @Test("Accounts without a password need a recent login for changes and keep their last identity")
  func passwordless() async throws {
    var scene = try OpenIDFixture()
    #expect(try await scene.logIn().status == 303)
    var client = scene.client
    let all = try await client.get(Self.identities).object["identities"] as? [[String: Any]]
    let path = "\(Self.identities)/\(try #require(all?.first?["id"] as? String))"
    let last = try await client.send("DELETE", path, body: "{}")
    #expect(last.status == 409 && last["code"] == "last_login_method")
    #expect(try await client.send("POST", Self.identities, body: "{}").status == 200)

    // Makes the sessions eleven minutes older.
    scene = try scene.restarted(after: "UPDATE session SET created_ms = created_ms - 660000")
    client = scene.client
    for (method, path, body) in [
      ("POST", Self.identities, "{}"), ("DELETE", path, "{}"), ("DELETE", "/v2/account", "{}"),
      ("PUT", "/v2/account/password", JSON.object(["password": Client.password])),
      ("PATCH", "/v2/account", #"{"email":"x@example.org"}"#),
    ] {
      let answer = try await client.send(method, path, body: body)
      #expect(answer.status == 403 && answer["code"] == "login_not_recent", "\(method) \(path): \(answer)")
    }
    #expect(try await scene.logIn().status == 303)
    let again = scene.client
    let set = try await again.send("PUT", "/v2/account/password", body: JSON.object(["password": Client.password]))
    #expect(set.status == 200)
  }

  @Test("A password reset by the operator removes linked identities")
  func reset() async throws {
    let scene = try OpenIDFixture()
    let cookie = try await signUp(scene, "ada@example.org")
    #expect(try await link(scene, begun: cookie, ended: cookie).status == 303)
    let reset = AdminRequest.setUser(email: "ada@example.org", .password(nil))
    _ = try await scene.map.components.admin.answer(reset, to: AccountID(rawValue: 1))
    #expect(try await scene.logIn()["code"] == "email_taken")
  }

  @Test("A deleted account's identity gets a new account, but not if sign-up is closed")
  func deleted() async throws {
    let scene = try OpenIDFixture()
    #expect(try await scene.logIn().status == 303)
    let before = try await scene.client.get("/v2/account")
    let id = try #require(before["id"])
    #expect(try await scene.client.send("DELETE", "/v2/account", body: "{}").status == 204)
    #expect(try await scene.logIn().status == 303)
    #expect(try await scene.client.get("/v2/account")["id"] != id)

    let closed = try scene.restarted { $0.isSignUpOpen = false }
    #expect(try await closed.logIn().status == 303, "A known account must still log in.")
    closed.provider.set { $0.subject = "user-2" }
    let answer = try await closed.logIn()
    #expect(answer.status == 403 && answer["code"] == "sign_up_closed")
  }

  @Test("Over TLS the login cookie is Secure and bound to its host")
  func secure() async throws {
    let scene = try OpenIDFixture(origin: "https://map.example.org")
    let browser = scene.browser
    let begun = try await browser.get("\(Client.base)/v2/login/oidc")
    #expect(browser.setCookies.first?.hasPrefix("__Host-otm-login=") == true)
    #expect(browser.setCookies.first?.contains("Secure") == true)
    #expect(
      begun.headers["location"]?.contains("redirect_uri=https%3A%2F%2Fmap.example.org%2Fv2%2Flogin%2Foidc%2Fcallback")
        == true)
  }
}
