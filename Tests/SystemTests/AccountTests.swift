import Foundation
import Testing

@Suite("Accounts and sessions", .stage)
struct AccountTests {
  @Test("Who signs up has a session, and an e-mail address has one account")
  func signUp() async throws {
    let client = try await Stage.current.up().client
    let answer = try await client.signUp("ada@example.org")
    #expect(answer.status == 201)
    let account = try #require(answer.object["account"] as? [String: Any])
    #expect(account["email"] as? String == "ada@example.org" && account["firstName"] as? String == "Ada")
    for email in ["ada@example.org", " ADA@Example.ORG "] {
      let taken = try await client.signUp(email)
      #expect(taken.status == 409 && taken["code"] == "email_taken" && taken["field"] == "email")
    }
    #expect(try await client.logIn("ada@example.org").status == 200)
  }

  @Test("A wrong password and an unknown account are told apart by nothing in the answer")
  func credentials() async throws {
    let client = try await Stage.current.up().client
    #expect(try await client.signUp("ada@example.org").status == 201)
    let wrong = try await client.logIn("ada@example.org", password: "not the password")
    let unknown = try await client.logIn("eve@example.org", password: "not the password")
    #expect(wrong.status == 403 && wrong["code"] == "bad_credentials")
    #expect(unknown.status == wrong.status && unknown.body == wrong.body)
    #expect(wrong.headers.filter { $0.key != "date" } == unknown.headers.filter { $0.key != "date" })
  }

  @Test("Cookie and bearer token are one session, and logging out ends both")
  func logOut() async throws {
    let map = try await Stage.current.up()
    #expect(try await map.client.signUp("ada@example.org").status == 201)
    let session = try await map.client.logIn("ada@example.org")
    let cookie = try #require(session.headers["set-cookie"]?.split(separator: ";").first.map(String.init))
    var bearer = try map.client
    let token = try #require(session["token"])
    bearer.token = token
    let byCookie = { try await map.client.get("/v2/session", headers: ["Cookie": cookie]) }
    #expect(try await bearer.get("/v2/session")["email"] == "ada@example.org")
    #expect(try await byCookie()["email"] == "ada@example.org")

    let end = try await bearer.send("DELETE", "/v2/session")
    #expect(end.status == 204 && end.headers["set-cookie"]?.contains("Max-Age=0") == true)
    for answer in [try await bearer.get("/v2/session"), try await byCookie(), try await bearer.post("Oslo")] {
      #expect(answer.status == 401 && answer["code"] == "session_required")
    }
  }

  @Test(
    "Without a session nobody posts or lists posts",
    arguments: [
      [:], ["Authorization": "Bearer abc"], ["Authorization": "Basic YWRhOnB3"], ["Cookie": "otm=abc"],
      ["Authorization": "Bearer " + String(repeating: "A", count: 43)], ["Authorization": "Bearer"],
      ["Authorization": "Bearer " + String(repeating: "A", count: 5_000)], ["Cookie": "otm"],
    ])
  func noSession(headers: [String: String]) async throws {
    let client = try await Stage.current.up().client
    let post = try await client.post("Oslo", headers: headers)
    let list = try await client.get("/v2/posts", headers: headers)
    for answer in [post, list] {
      #expect(answer.status == 401 && answer["code"] == "session_required")
      // RFC 9110, section 15.5.2: a 401 names the scheme that would do.
      #expect(answer.headers["www-authenticate"]?.hasPrefix("Bearer") == true)
    }
    #expect(try await client.list().entries.isEmpty)
  }

  @Test("The cookie is out of reach for scripts and other sites, and where TLS is, bound to it")
  func cookie() async throws {
    let plain = try await Stage.current.up().client.signUp("ada@example.org")
    let flags = try #require(plain.headers["set-cookie"]).components(separatedBy: "; ")
    #expect(flags.first?.hasPrefix("otm=") == true)
    #expect(Set(flags).isSuperset(of: ["HttpOnly", "SameSite=Lax", "Path=/"]) && !flags.contains("Secure"))

    let origin = ["--data", Stage.current.path("secure"), "--origin", "https://map.example.org"]
    let client = try await Stage.current.up(origin[0], origin[1], origin[2], origin[3]).client
    let secure = try await client.signUp("ada@example.org")
    let set = try #require(secure.headers["set-cookie"]).components(separatedBy: "; ")
    #expect(set.first?.hasPrefix("__Host-otm=") == true)
    #expect(Set(set).isSuperset(of: ["HttpOnly", "SameSite=Lax", "Path=/", "Secure"]))
    let name = try #require(set.first)
    #expect(try await client.get("/v2/session", headers: ["Cookie": name]).status == 200)
  }

  @Test("Another site's write is refused, though the browser sends the cookie with it")
  func crossSite() async throws {
    let client = try await Stage.current.up().client
    let cookie = try #require(
      try await client.signUp("ada@example.org").headers["set-cookie"]?.split(separator: ";").first.map(String.init))
    let foreign = [
      ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"], ["Origin": "https://evil.example"],
      ["Origin": "null"], ["Origin": client.base + ".evil.example"],
      ["Origin": client.base, "Sec-Fetch-Site": "cross-site"],
    ]
    for headers in foreign {
      let answer = try await client.post("Oslo", headers: headers.merging(["Cookie": cookie]) { $1 })
      #expect(answer.status == 403 && answer["code"] == "cross_site", "\(headers)")
      let end = try await client.send("DELETE", "/v2/session", headers: headers.merging(["Cookie": cookie]) { $1 })
      #expect(end.status == 403, "\(headers)")
    }
    let own = [[:], ["Sec-Fetch-Site": "same-origin"], ["Sec-Fetch-Site": "none"], ["Origin": client.base]]
    for headers in own {
      let answer = try await client.post("Oslo", wait: 10, headers: headers.merging(["Cookie": cookie]) { $1 })
      #expect(answer.status == 200, "\(headers)")
    }
    #expect(try await client.list().entries.count == own.count)
  }

  @Test("Another site cannot log a browser in, or sign it up; other clients can")
  func crossSiteLogIn() async throws {
    let client = try await Stage.current.up().client
    let account = ["email": "ada@example.org", "password": Client.password, "firstName": "Ada"]
    let foreign = [
      ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"], ["Origin": "https://evil.example"],
      ["Origin": "null"], ["Origin": client.base, "Sec-Fetch-Site": "cross-site"],
    ]
    for (path, status) in [("/v2/accounts", 201), ("/v2/session", 200)] {
      for headers in foreign {
        let answer = try await client.send("POST", path, body: JSON.object(account), headers: headers)
        #expect(answer.status == 403 && answer["code"] == "cross_site", "\(path) \(headers)")
        #expect(answer.headers["set-cookie"] == nil)
        BadRequest.expectProblem(answer, "\(path) \(headers)")
      }
      let own = try await client.send("POST", path, body: JSON.object(account), headers: ["Origin": client.base])
      #expect(own.status == status && own.headers["set-cookie"] != nil, "\(path)")
    }
    let browser = ["Origin": client.base, "Sec-Fetch-Site": "same-origin"]
    let typed = try await client.send("POST", "/v2/session", body: JSON.object(account), headers: browser)
    #expect(typed.status == 200)
    #expect(try await client.logIn("ada@example.org").status == 200)
  }

  @Test("Sessions that have expired go while others are made", .enabled(if: SQL.isThere, "python3 is not installed"))
  func expired() async throws {
    let map = try await Stage.current.up()
    let bob = try await map.client.signedUp(as: "bob@example.org")
    #expect(try await map.client.signUp("ada@example.org").status == 201)
    map.ingest.signal(SIGTERM)
    _ = try await map.ingest.exit(within: .seconds(60))
    let database = SQL(Stage.current.path("data/onthemap.sqlite"))
    let bobs = "(SELECT id FROM account WHERE email = 'bob@example.org')"
    try database.run(
      """
      INSERT INTO session (token_hash, account, expires_ms, created_ms)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
      SELECT randomblob(32), \(bobs), 1, 0 FROM n
      """)
    try await map.ingest.startAndWait()
    for _ in 0..<30 { #expect(try await map.client.logIn("ada@example.org").status == 200) }
    var again = try map.client
    again.token = bob.token
    #expect(try await again.get("/v2/session")["email"] == "bob@example.org", "It has not expired.")
    map.ingest.signal(SIGTERM)
    _ = try await map.ingest.exit(within: .seconds(60))
    #expect(try database.run("SELECT count(*) FROM session WHERE expires_ms > 1") == "32")
    // Each login looks at 16 of them at random.
    let left = try #require(Int(try database.run("SELECT count(*) FROM session WHERE expires_ms = 1")))
    #expect(left < 100, "\(left) of 200 are left.")
  }

  @Test("A session survives kill -9, and neither its token nor the password is in a file")
  func restart() async throws {
    let map = try await Stage.current.up("--log-level", "trace")
    var client = try await map.client.signedUp()
    let token = try #require(client.token)
    #expect(try await client.post("Oslo", wait: 10).status == 200)
    try await map.ingest.restart()
    client = try map.client
    client.token = token
    #expect(try await client.get("/v2/session")["email"] == "ada@example.org")
    #expect(try await client.logIn("ada@example.org").status == 200)

    let data = URL(fileURLWithPath: Stage.current.path("data"))
    let files = try FileManager.default.contentsOfDirectory(at: data, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension != "sock" }
    let contents = try files.map { try Data(contentsOf: $0) } + [Data(map.ingest.logged.utf8)]
    #expect(contents.contains { $0.range(of: Data("ada@example.org".utf8)) != nil })
    for secret in [token, Client.password] {
      #expect(!contents.contains { $0.range(of: Data(secret.utf8)) != nil })
    }
  }
}
