import Domain
import Foundation
import Ingest
import Testing

@Suite("Accounts and sessions", .bothFronts)
struct AccountTests {
  @Test("A sign-up starts a session, and an email address has one account")
  func signUp() async throws {
    let client = try IngestFixture().client
    let response = try await client.signUp("ada@example.org")
    #expect(response.status == 201)
    let account = try #require(response.object["account"] as? [String: Any])
    #expect(account["email"] as? String == "ada@example.org" && account["firstName"] as? String == "Ada")
    for email in ["ada@example.org", " ADA@Example.ORG "] {
      let duplicate = try await client.signUp(email)
      #expect(duplicate.status == 409 && duplicate["code"] == "email_taken" && duplicate["field"] == "email")
    }
    #expect(try await client.logIn("ada@example.org").status == 200)
  }

  @Test("A wrong password and an unknown account get the same response")
  func credentials() async throws {
    let client = try IngestFixture().client
    #expect(try await client.signUp("ada@example.org").status == 201)
    let wrong = try await client.logIn("ada@example.org", password: "not the password")
    let unknown = try await client.logIn("eve@example.org", password: "not the password")
    #expect(wrong.status == 403 && wrong["code"] == "bad_credentials")
    #expect(unknown.status == wrong.status && unknown.body == wrong.body)
    #expect(wrong.headers.filter { $0.key != "date" } == unknown.headers.filter { $0.key != "date" })
  }

  @Test("A cookie and a bearer token identify one session, and a logout ends it for both")
  func logOut() async throws {
    let map = try IngestFixture()
    #expect(try await map.client.signUp("ada@example.org").status == 201)
    let session = try await map.client.logIn("ada@example.org")
    let cookie = try #require(session.headers["set-cookie"]?.split(separator: ";").first.map(String.init))
    var bearer = map.client
    let token = try #require(session["token"])
    bearer.token = token
    let byCookie = { try await map.client.get("/v2/session", headers: ["Cookie": cookie]) }
    #expect(try await bearer.get("/v2/session")["email"] == "ada@example.org")
    #expect(try await byCookie()["email"] == "ada@example.org")

    let end = try await bearer.send("DELETE", "/v2/session")
    #expect(end.status == 204 && end.headers["set-cookie"]?.contains("Max-Age=0") == true)
    for response in [try await bearer.get("/v2/session"), try await byCookie(), try await bearer.post("Oslo")] {
      #expect(response.status == 401 && response["code"] == "session_required")
    }
  }

  @Test(
    "Posting and listing posts need a session",
    arguments: [
      [:], ["Authorization": "Bearer abc"], ["Authorization": "Basic YWRhOnB3"], ["Cookie": "otm=abc"],
      ["Authorization": "Bearer " + String(repeating: "A", count: 43)], ["Authorization": "Bearer"],
      ["Authorization": "Bearer " + String(repeating: "A", count: 5_000)], ["Cookie": "otm"],
    ])
  func noSession(headers: [String: String]) async throws {
    let client = try IngestFixture().client
    let post = try await client.post("Oslo", headers: headers)
    let list = try await client.get("/v2/posts", headers: headers)
    for response in [post, list] {
      #expect(response.status == 401 && response["code"] == "session_required")
      // RFC 9110, section 15.5.2: a 401 names an acceptable scheme.
      #expect(response.headers["www-authenticate"]?.hasPrefix("Bearer") == true)
    }
    #expect(try await client.list().entries.isEmpty)
  }

  @Test("The session cookie is HttpOnly and SameSite, and over TLS also Secure")
  func cookie() async throws {
    let plain = try await IngestFixture().client.signUp("ada@example.org")
    let flags = try #require(plain.headers["set-cookie"]).components(separatedBy: "; ")
    #expect(flags.first?.hasPrefix("otm=") == true)
    #expect(Set(flags).isSuperset(of: ["HttpOnly", "SameSite=Lax", "Path=/"]) && !flags.contains("Secure"))

    let client = try IngestFixture { $0.origin = "https://map.example.org" }.client
    let secure = try await client.signUp("ada@example.org")
    let set = try #require(secure.headers["set-cookie"]).components(separatedBy: "; ")
    #expect(set.first?.hasPrefix("__Host-otm=") == true)
    #expect(Set(set).isSuperset(of: ["HttpOnly", "SameSite=Lax", "Path=/", "Secure"]))
    let name = try #require(set.first)
    #expect(try await client.get("/v2/session", headers: ["Cookie": name]).status == 200)
  }

  @Test("A cross-site write with the cookie is refused")
  func crossSite() async throws {
    let client = try IngestFixture().client
    let cookie = try #require(
      try await client.signUp("ada@example.org").headers["set-cookie"]?.split(separator: ";").first.map(String.init))
    let foreign = [
      ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"], ["Origin": "https://evil.example"],
      ["Origin": "null"], ["Origin": Client.base + ".evil.example"],
      ["Origin": Client.base, "Sec-Fetch-Site": "cross-site"],
    ]
    for headers in foreign {
      let response = try await client.post("Oslo", headers: headers.merging(["Cookie": cookie]) { $1 })
      #expect(response.status == 403 && response["code"] == "cross_site", "\(headers)")
      let end = try await client.send("DELETE", "/v2/session", headers: headers.merging(["Cookie": cookie]) { $1 })
      #expect(end.status == 403, "\(headers)")
    }
    let own = [[:], ["Sec-Fetch-Site": "same-origin"], ["Sec-Fetch-Site": "none"], ["Origin": Client.base]]
    for headers in own {
      let response = try await client.post("Oslo", wait: 30, headers: headers.merging(["Cookie": cookie]) { $1 })
      #expect(response.status == 200, "\(headers)")
    }
    #expect(try await client.list().entries.count == own.count)
  }

  @Test("A cross-site login or sign-up is refused, and a same-site one is accepted")
  func crossSiteLogIn() async throws {
    let client = try IngestFixture().client
    let account = ["email": "ada@example.org", "password": Client.password, "firstName": "Ada"]
    let foreign = [
      ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"], ["Origin": "https://evil.example"],
      ["Origin": "null"], ["Origin": Client.base, "Sec-Fetch-Site": "cross-site"],
    ]
    for (path, status) in [("/v2/accounts", 201), ("/v2/session", 200)] {
      for headers in foreign {
        let response = try await client.send("POST", path, body: JSON.object(account), headers: headers)
        #expect(response.status == 403 && response["code"] == "cross_site", "\(path) \(headers)")
        #expect(response.headers["set-cookie"] == nil)
        BadRequest.expectProblem(response, "\(path) \(headers)")
      }
      let own = try await client.send("POST", path, body: JSON.object(account), headers: ["Origin": Client.base])
      #expect(own.status == status && own.headers["set-cookie"] != nil, "\(path)")
    }
    let browser = ["Origin": Client.base, "Sec-Fetch-Site": "same-origin"]
    let typed = try await client.send("POST", "/v2/session", body: JSON.object(account), headers: browser)
    #expect(typed.status == 200)
    #expect(try await client.logIn("ada@example.org").status == 200)
  }

  @Test("New sessions remove expired ones")
  func expired() async throws {
    let map = try IngestFixture()
    let bob = try await map.client.signedUp(as: "bob@example.org")
    let bobs = "(SELECT id FROM account WHERE email = 'bob@example.org')"
    let again = try map.restarted(
      after: """
        INSERT INTO session (token_hash, account, expires_ms, created_ms)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
        SELECT randomblob(32), \(bobs), 1, 0 FROM n
        """)
    for _ in 0..<30 { _ = try await again.client.signedUp() }
    let session = try await again.client.with(token: bob.token).get("/v2/session")
    #expect(session["email"] == "bob@example.org", "Bob's session has not expired.")
    #expect(try await again.users().map(\.sessions) == [1, 30], "Only Bob's session and Ada's sessions must count.")
    // Each login checks 16 random sessions. At time 0 the expired ones count as Bob's sessions too.
    let left = try await again.users(unixMs: 0)[0].sessions - 1
    #expect(left < 100, "\(left) of 200 expired sessions are left.")
  }
}
