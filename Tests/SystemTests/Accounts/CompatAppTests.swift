import Foundation
import Testing

/// Tests of an app from login to logout, with the built program. IngestTests cover the rules of each response.
@Suite("Compatibility API: an app with another base address", .fixture)
struct CompatAppTests {
  @Test("B1: an app logs in, reads, posts, edits, finds its post and logs out", arguments: Front.allCases)
  func session(front: Front) async throws {
    let client = try await SystemFixture.current.up(behind: front)
    #expect(try await client.signUp("ada@example.org").status == 201)
    #expect(try await client.signedUp(as: "bob@example.org").post("Oslo", wait: 30).status == 200)

    let app = CompatApp(client)
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
    // On a slow machine, ingest responds before the post is published.
    try await eventually("the post is listed") { try await app.list().first?["objectId"] as? String == id }
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

  @Test("B3: header names are read in upper and lower case")
  func spelling() async throws {
    let app = try await SystemFixture.current.up().app()
    let connection = try Connection(port: try app.client.port)
    let cookie = app.cookies.map { "\($0)=\($1)" }.joined(separator: "; ")
    let request =
      "DELETE /v1/session HTTP/1.1\r\nhOST: x\r\ncOOKIE: \(cookie)\r\nX-Xsrf-Token: y\r\nconnection: close\r\n\r\n"
    try await connection.send(Array(request.utf8))
    #expect(try await connection.receive().hasPrefix("HTTP/1.1 200"))
  }

  @Test("B7: a body on GET is ignored")
  func bodyOnGet() async throws {
    let app = try await SystemFixture.current.up().app()
    let connection = try Connection(port: try app.client.port)
    let request =
      "GET /v1/StudentLocation HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 7\r\n"
      + "Connection: close\r\n\r\n{\"a\":1}"
    try await connection.send(Array(request.utf8))
    let response = try await connection.receive()
    #expect(response.hasPrefix("HTTP/1.1 200") && response.hasSuffix("{\"results\":[]}"))
  }

  @Test("L4: a session survives a restart of ingest")
  func lasting() async throws {
    let map = try await SystemFixture.current.roles(workers: 1)
    let app = try await map.app()
    try await map.ingest.restart()
    #expect(try await app.post().status == 200)
  }

  @Test("L8, L9: credentials in the URL are ignored and never logged")
  func address() async throws {
    let map = try await SystemFixture.current.up("--log-level", "trace")
    let app = try await map.app()
    let query =
      "udacity=" + CompatApp.encoded("{\"username\":\"ada@example.org\",\"password\":\"\(Client.password)\"}")
    let response = try await app.send("POST", "/v1/session?\(query)", CompatApp.credentials("ada@example.org", "wrong"))
    #expect(response.status == 403)
    #expect(try await app.send("POST", "/v1/session?\(query)", "{").status == 400)
    #expect(try await app.send("POST", "/v1/session?\(query)", CompatApp.credentials("ada@example.org")).status == 200)
    let log = map.ingest.standardError
    for secret in [Client.password, CompatApp.encoded(Client.password), "udacity="] {
      #expect(!log.contains(secret), "\(secret)")
    }
  }
}
