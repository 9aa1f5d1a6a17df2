import Foundation
import Testing

@Suite("Compatibility API: an app with another base address", .bothFronts)
struct CompatAppTests {
  @Test(
    "B1: an app logs in, reads, posts, edits, finds its post and logs out",
    arguments: CompatApp.Family.all)
  func session(family: CompatApp.Family) async throws {
    let map = try IngestFixture()
    #expect(try await map.client.signUp("ada@example.org").status == 201)
    #expect(try await map.client.signedUp(as: "bob@example.org").post("Oslo", wait: 30).status == 200)

    let app = CompatApp(map.client, family)
    #expect(try await app.logIn(password: "wrong").status == 403)
    let login = try await app.logIn().guarded()
    let key = try #require((login["account"] as? [String: Any])?["key"] as? String)
    let session = try #require((login["session"] as? [String: Any])?["id"] as? String)

    let user = try await app.user(key).guarded()
    #expect(user["first_name"] as? String == "Ada" && user["last_name"] as? String == "Lovelace")
    #expect(try await app.list().count == 1)
    #expect(try await app.list("where=\(CompatApp.encoded("{\"uniqueKey\":\"\(key)\"}"))").isEmpty)

    let posted = try await app.post(["uniqueKey": key])
    let id = try #require(posted["objectId"])
    let first = try #require(try await app.list().first)
    #expect(first["objectId"] as? String == id && first["uniqueKey"] as? String == key)
    #expect(first["mapString"] as? String == "Mountain View, CA" && first["latitude"] as? Double == 37.386052)
    for query in ["where=\(CompatApp.encoded("{\"uniqueKey\":\"\(key)\"}"))", "uniqueKey=\(key)&limit=1"] {
      #expect(try await app.list(query).compactMap { $0["objectId"] as? String } == [id])
    }

    let edited = try await app.put(id, ["mapString": "Cupertino, CA", "latitude": 37.322998, "longitude": -122.032182])
    #expect(edited.status == 200 && edited["updatedAt"] != nil)
    let rows = try await app.list()
    #expect(rows.count == 2 && rows[0]["objectId"] as? String == id)
    #expect(
      rows[0]["mapString"] as? String == "Cupertino, CA" && rows[0]["updatedAt"] as? String == edited["updatedAt"])

    let goodbye = try await app.logOut().guarded()
    #expect((goodbye["session"] as? [String: Any])?["id"] as? String == session)
    #expect(try await app.post().isParseError(401, 209))
  }

  @Test("B1: a session works on the paths of every API family")
  func mixed() async throws {
    let app = try await IngestFixture().app()
    for family in CompatApp.Family.all {
      let response = try await app.send("POST", family.list, CompatApp.location([:]))
      #expect(response.status == 200)
    }
    #expect(try await app.list().count == 3)
  }

  @Test("B2, B3: Parse's keys are accepted and ignored, in any case of their names")
  func parseKeys() async throws {
    let app = try await IngestFixture().app()
    for headers in [
      ["X-Parse-Application-Id": "any", "X-Parse-REST-API-Key": "any"],
      ["x-parse-application-id": "", "X-PARSE-Rest-Api-Key": "other"],
    ] {
      #expect(try await app.send("POST", app.family.list, CompatApp.location([:]), headers: headers).status == 200)
      #expect(try await app.send("GET", app.family.list, headers: headers).status == 200)
    }
  }

  @Test("B4, B5: a body is read as JSON with any type, line breaks and escaped slashes")
  func bodies() async throws {
    let map = try IngestFixture()
    #expect(try await map.client.signUp("ada@example.org").status == 201)
    let app = CompatApp(map.client)
    let body = """
      {
        "udacity" : {
          "username" : "ada@example.org",\r
      \t  "password" : "\(Client.password)"
        }
      }
      """
    let type = ["Content-Type": "application/x-www-form-urlencoded"]
    #expect(try await app.send("POST", "/v1/session", body, headers: type).status == 200)
    let location = CompatApp.location([:]).replacingOccurrences(of: "https:", with: "https:\\/\\/")
      .replacingOccurrences(
        of: "\\/\\/\\/\\/", with: "\\/\\/")
    #expect(try await app.send("POST", app.family.list, location, headers: type).status == 200)
    #expect(try await app.list()[0]["mediaURL"] as? String == "https://udacity.com")
  }

  @Test("B6: a bare question mark and unknown or reordered parameters are accepted")
  func queries() async throws {
    let app = try await IngestFixture().app()
    try await app.post()
    for query in [
      "", "nonsense", "&&a=b&limit=5&=&", "order=-updatedAt&limit=100", "limit=100&order=-updatedAt&skip=0",
    ] {
      #expect(try await app.list(query).count == 1, "\(query)")
    }
    #expect(
      try await app.send("POST", "\(app.family.session)?", CompatApp.credentials("ada@example.org")).status == 200)
  }

  @Test("B7: a body on GET is ignored")
  func bodyOnGet() async throws {
    let app = try await IngestFixture().app()
    let response = try await app.send("GET", app.family.list, "{\"a\":1}")
    #expect(response.status == 200 && response.text == "{\"results\":[]}")
  }

  @Test("B8: malformed JSON gives 400 in the form of its path", arguments: CompatApp.Family.all)
  func malformed(family: CompatApp.Family) async throws {
    let app = try await IngestFixture().app(family)
    let id = try #require(try await app.post()["objectId"])
    for body in [
      "", "{", "{\"udacity\":{\"username\":\"ada\",\"password\":\"a\"b\"}}", "{\"mapString\":\"a\\b\u{1}\"}",
      "{\"mapString\":\"Oslo\",}", "{\"mapString\":\"Oslo\",\"mapString\":\"Rome\"}",
    ] {
      let login = try await app.send("POST", family.session, body)
      let error = try login.guarded()
      #expect(login.status == 400 && error["status"] as? Int == 400)
      #expect(error["error"] as? String == "Failed to parse JSON body." && error["code"] as? Int == 107)
      let text = "The app sent something that is not valid JSON."
      #expect(try await app.send("POST", family.list, body).isParseError(400, 107, text))
      #expect(try await app.send("PUT", "\(family.list)/\(id)", body).isParseError(400, 107, text))
    }
  }

  @Test("B9: a write needs only the login's cookies, and gives 401 without them")
  func cookies() async throws {
    let app = try await IngestFixture().app()
    let text = "You are not logged in, or your session has ended: log in first."
    #expect(try await app.post().status == 200)
    for (method, path) in [("POST", app.family.list), ("PUT", "\(app.family.list)/0000000000")] {
      let response = try await app.send(method, path, CompatApp.location([:]), cookie: false)
      #expect(response.isParseError(401, 209, text))
    }
    let deletion = try await app.send("DELETE", "\(app.family.list)/0000000000", cookie: false)
    #expect(deletion.isParseError(401, 209, text))
    #expect(try await app.send("GET", app.family.list, cookie: false).status == 200)
  }

  @Test("P1, P2, P4: session and user routes send five bytes and one JSON object")
  func prefix() async throws {
    let app = try await IngestFixture().app()
    for path in [
      "/v1/session", "/api/session", "/v1/users/1", "/api/users/404", "/v1/users", "/api/users/1/2", "/v1/session/x",
    ] {
      for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
        let response = try await app.send(method, path, method == "GET" ? nil : "{}", cookie: false)
        let object = try response.guarded()
        #expect(response.body.count > 5)
        #expect(
          response.status == 200
            || object["status"] as? Int == response.status && object["code"] is Int && object["error"] is String)
      }
    }
    let long = try await app.send("POST", "/v1/session", "\"" + String(repeating: "x", count: 20_000) + "\"")
    #expect(try long.status == 413 && long.guarded()["status"] as? Int == 413)
  }

  @Test("Every error is a distinct sentence that apps can show")
  func sentences() async throws {
    let app = try await IngestFixture().app()
    var errors: [String] = []
    for (method, path, body) in [
      ("POST", app.family.list, "{}"), ("POST", app.family.list, "{"), ("GET", "\(app.family.list)?limit=x", nil),
      ("GET", "\(app.family.list)?where=x", nil), ("PUT", "\(app.family.list)/0000000000", "{}"),
      ("POST", app.family.list, CompatApp.location(["mapString": "a\u{202E}"])),
      ("POST", app.family.list, CompatApp.location(["latitude": 91])),
      ("GET", "\(app.family.list)/1/2", nil), ("PATCH", "/parse/classes/Other", "{}"), ("PATCH", app.family.list, "{}"),
    ] as [(String, String, String?)] {
      let response = try await app.send(method, path, body)
      #expect(response.object["status"] as? Int == response.status && response.object["code"] is Int)
      errors.append(try #require(response["error"], "\(method) \(path)"))
    }
    for path in ["/v1/users/404", "/api/session"] {
      errors.append(try #require(try await app.send("GET", path).guarded()["error"] as? String))
    }
    let stranger = try await app.send("POST", app.family.list, CompatApp.location([:]), cookie: false)
    errors.append(try #require(stranger["error"]))
    for error in errors {
      #expect(error.first?.isUppercase == true && error.hasSuffix(".") && error.contains(" "), "\(error)")
    }
    #expect(Set(errors).count == errors.count, "Every error must have its own text.")
  }

  @Test(
    "P3: list routes send no five bytes before the JSON, also on errors", arguments: CompatApp.Family.all)
  func noPrefix(family: CompatApp.Family) async throws {
    let app = try await IngestFixture().app(family)
    for path in [family.list, "\(family.list)/0000000000", "\(family.list)/1/2", "\(family.list)?where=x"] {
      for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
        let response = try await app.send(method, path, method == "GET" ? nil : "[]")
        #expect(response.body.first == UInt8(ascii: "{"))
        #expect(
          response.status == 200
            || response.object["code"] is Int && response.object["status"] as? Int == response.status
              && response.object["error"] is String,
          "\(method) \(path)")
      }
    }
  }
}
