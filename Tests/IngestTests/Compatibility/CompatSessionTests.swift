import Foundation
import Ingest
import Testing

@Suite("Compatibility API: sessions", .bothFronts)
struct CompatSessionTests {
  private var expiration: Regex<Substring> { #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/# }

  @Test("L1, L2, L3: key, session id and expiration have the original service's form")
  func form() async throws {
    let map = try IngestFixture()
    let response = try await map.app().logIn()
    let object = try response.guarded()
    #expect(Set(object.keys) == ["account", "session"] && response.status == 200)
    let account = try #require(object["account"] as? [String: Any])
    #expect(account["registered"] as? Bool == true)
    #expect(try #require(account["key"] as? String).allSatisfy(\.isNumber))
    let session = try #require(object["session"] as? [String: Any])
    #expect(try #require(session["id"] as? String).wholeMatch(of: #/\d{10}S[0-9a-f]{32}/#) != nil)
    let end = try #require(session["expiration"] as? String)
    #expect(end.wholeMatch(of: expiration) != nil)
    let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    let days = try format.parse(String(end.dropLast(4)) + "Z").timeIntervalSinceNow / 86_400
    #expect((59...60).contains(days), "The session must last as long as in the original service.")
  }

  @Test("L4: a session survives a restart of ingest")
  func lasting() async throws {
    let map = try IngestFixture()
    let app = try await map.app()
    let again = try map.restarted()
    #expect(try await app.moved(to: again.client).post().status == 200)
  }

  @Test("L5, L6: scripts can read XSRF-TOKEN, but not the session cookie")
  func cookies() async throws {
    let app = try await IngestFixture().app()
    try await app.logIn()
    let xsrf = try #require(app.setCookies.first { $0.hasPrefix("XSRF-TOKEN=") })
    #expect(xsrf.contains("Path=/") && !xsrf.lowercased().contains("httponly"))
    let session = try #require(app.setCookies.first { $0.hasPrefix("otm=") })
    #expect(session.contains("HttpOnly") && session.contains("Path=/") && session.contains("SameSite=Lax"))
  }

  @Test("L6: every cookie has Expires and Max-Age, also when it is removed")
  func expiry() async throws {
    let app = try await IngestFixture().app()
    func end(_ cookie: String) throws -> Date {
      let parts = cookie.components(separatedBy: "; ")
      let text = try #require(parts.first { $0.hasPrefix("Expires=") }?.dropFirst("Expires=".count), "\(cookie)")
      let format = DateFormatter()
      format.locale = Locale(identifier: "en_US_POSIX")
      format.timeZone = TimeZone(identifier: "GMT")
      format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
      return try #require(format.date(from: String(text)), "\(text)")
    }
    try await app.logIn()
    #expect(app.setCookies.count == 2)
    for cookie in app.setCookies {
      #expect((59...60).contains(try end(cookie).timeIntervalSinceNow / 86_400), "\(cookie)")
      #expect(cookie.contains("Max-Age=5184000"))
    }
    #expect(try await app.logOut().status == 200)
    #expect(app.setCookies.count == 2)
    for cookie in app.setCookies { #expect(try end(cookie).timeIntervalSince1970 == 0 && cookie.contains("Max-Age=0")) }
  }

  @Test("L5: over TLS both cookies are Secure")
  func secureCookies() async throws {
    let map = try IngestFixture { $0.origin = "https://map.example.org" }
    let app = try await map.app()
    try await app.logIn()
    #expect(app.setCookies.contains { $0.hasPrefix("__Host-otm=") && $0.contains("Secure") })
    #expect(app.setCookies.contains { $0.hasPrefix("XSRF-TOKEN=") && $0.contains("Secure") })
    #expect(try await app.post().status == 200)
  }

  @Test("L7: an unknown user and a wrong password give the same 403")
  func wrong() async throws {
    let map = try IngestFixture()
    #expect(try await map.client.signUp("ada@example.org").status == 201)
    let app = CompatApp(map.client)
    let wrong = try await app.logIn(password: "not the password")
    #expect(wrong.status == 403)
    let body = try wrong.guarded()
    #expect(body["status"] as? Int == 403 && body["error"] as? String == "Account not found or invalid credentials.")
    #expect(body.count == 3 && body["code"] as? Int == 101)
    let unknown = try await app.logIn("eve@example.org", password: "not the password")
    #expect(unknown.status == wrong.status && unknown.body == wrong.body)
  }

  @Test("L8, L9: credentials in the URL are ignored and never logged")
  func address() async throws {
    let map = try IngestFixture()
    let app = try await map.app()
    let query =
      "udacity=" + CompatApp.encoded("{\"username\":\"ada@example.org\",\"password\":\"\(Client.password)\"}")
    let response = try await app.send("POST", "/v1/session?\(query)", CompatApp.credentials("ada@example.org", "wrong"))
    #expect(response.status == 403)
    #expect(try await app.send("POST", "/v1/session?\(query)", "{").status == 400)
    #expect(try await app.send("POST", "/v1/session?\(query)", CompatApp.credentials("ada@example.org")).status == 200)
    let log = map.logged
    for secret in [Client.password, CompatApp.encoded(Client.password), "udacity="] {
      #expect(!log.contains(secret), "\(secret)")
    }
  }

  @Test("A missing or empty credential field is named in the error", arguments: ["username", "password"])
  func missing(field: String) async throws {
    let app = CompatApp(try IngestFixture().client)
    let whole: [String: Any] = ["username": "ada@example.org", "password": "x"]
    for value in [nil, "", 5, NSNull()] as [Any?] {
      var login = whole
      login[field] = value
      let response = try await app.send("POST", "/v1/session", JSON.object(["udacity": login]))
      let body = try response.guarded()
      #expect(response.status == 400 && body["status"] as? Int == 400)
      #expect(body["parameter"] as? String == "udacity.\(field)")
      #expect(body["error"] as? String == "trails.Error 400: Missing parameter '\(field)'")
    }
  }

  @Test("Two credentials or none are refused")
  func credentials() async throws {
    let app = CompatApp(try IngestFixture().client)
    for body in [
      "{}", "[]", "{\"udacity\":null}",
      "{\"udacity\":{\"username\":\"a\",\"password\":\"b\"},\"facebook_mobile\":{\"access_token\":\"c\"}}",
    ] {
      let response = try await app.send("POST", "/v1/session", body)
      let object = try response.guarded()
      #expect(response.status == 400 && object["status"] as? Int == 400)
      #expect(object["error"] as? String == "Did not specify exactly one credential.")
    }
  }

  @Test("O1, O2: a logout ends the session and returns its id")
  func logOut() async throws {
    let app = try await IngestFixture().app()
    let session = try #require(try await app.logIn().guarded()["session"] as? [String: Any])
    let before = app.cookies
    let response = try await app.logOut()
    let ended = try #require(try response.guarded()["session"] as? [String: Any])
    #expect(response.status == 200 && ended["id"] as? String == session["id"] as? String)
    #expect(try #require(ended["expiration"] as? String).wholeMatch(of: expiration) != nil)
    #expect(app.cookies.isEmpty)
    let cookie = before.map { "\($0)=\($1)" }.joined(separator: "; ")
    let replay = try await app.send("POST", app.family.list, CompatApp.location([:]), headers: ["Cookie": cookie])
    #expect(replay.isParseError(401, 209))
  }

  @Test("O3: a logout without a session gives 401")
  func nobody() async throws {
    let app = CompatApp(try IngestFixture().client)
    let response = try await app.logOut()
    let body = try response.guarded()
    #expect(response.status == 401 && body["status"] as? Int == 401 && body["error"] is String)
  }
}
