import Foundation
import Testing

@Suite("Compatibility API: writes", .bothFronts)
struct CompatWriteTests {
  private var time: Regex<Substring> { #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/# }

  @Test(
    "POST returns an id and a time, PUT returns a time, and DELETE returns an empty object",
    arguments: CompatApp.Family.all
  )
  func responses(family: CompatApp.Family) async throws {
    let app = try await IngestFixture().app(family)
    let posted = try await app.post()
    #expect(posted.status == 200 && posted.object.count == 2)
    let id = try #require(posted["objectId"])
    #expect(id.wholeMatch(of: #/[A-Za-z0-9]{10}/#) != nil)
    #expect(try #require(posted["createdAt"]).wholeMatch(of: time) != nil)
    let edited = try await app.put(id, ["mapString": "Rome", "latitude": 41.9, "longitude": 12.5])
    #expect(edited.status == 200 && edited.object.count == 1)
    #expect(try #require(edited["updatedAt"]).wholeMatch(of: time) != nil)
    let row = try #require(try await app.list().first)
    #expect(row["objectId"] as? String == id && row["createdAt"] as? String == posted["createdAt"])
    #expect(row["updatedAt"] as? String == edited["updatedAt"] && row["mapString"] as? String == "Rome")
    let deleted = try await app.send("DELETE", "\(family.list)/\(id)")
    #expect(deleted.status == 200 && String(decoding: deleted.body, as: UTF8.self) == "{}")
    #expect(try await app.list().isEmpty)
    #expect(try await app.send("DELETE", "\(family.list)/\(id)").isParseError(404, 101, "Object not found."))
  }

  @Test("A post keeps its own coordinates, and without coordinates it gets those of its place")
  func coordinates() async throws {
    let app = try await IngestFixture().app()
    #expect(try await app.post(["mapString": "Oslo", "latitude": 1.5, "longitude": 2]).status == 200)
    #expect(try await app.post(["mapString": "Oslo", "latitude": NSNull(), "longitude": NSNull()]).status == 200)
    let rows = try await app.list()
    let found = try #require(rows[0]["latitude"] as? Double)
    #expect((59...61).contains(found))
    #expect(rows[1]["latitude"] as? Double == 1.5 && rows[1]["longitude"] as? Double == 2)
  }

  @Test("W1: a post belongs to its caller, whatever key its body has")
  func foreignKey() async throws {
    let map = try IngestFixture()
    let app = try await map.app()
    let key = try #require((try await app.logIn().guarded()["account"] as? [String: Any])?["key"] as? String)
    let keys: [Any] = [UUID().uuidString, "", NSNull(), "999", 5]
    for key in keys { #expect(try await app.post(["uniqueKey": key]).status == 200) }
    let rows = try await app.list()
    #expect(rows.count == keys.count && rows.allSatisfy { $0["uniqueKey"] as? String == key })
    #expect(rows.allSatisfy { $0["firstName"] as? String == "Ada" }, "The posts must have their caller's name.")
    let id = try #require(rows[0]["objectId"] as? String)
    #expect(try await app.put(id, ["uniqueKey": "1"]).status == 200)
    #expect(try await app.list()[0]["uniqueKey"] as? String == key)
  }

  @Test("W2: system fields in a body are ignored, even empty ones")
  func systemFields() async throws {
    let app = try await IngestFixture().app()
    let system = ["objectId": "", "createdAt": "", "updatedAt": "1970-01-01T00:00:00.000Z"]
    let posted = try await app.post(system)
    let id = try #require(posted["objectId"])
    #expect(posted.status == 200 && id.count == 10)
    #expect(try await app.put(id, system.merging(["objectId": "0000000000"]) { $1 }).status == 200)
    let rows = try await app.list()
    #expect(rows.count == 1 && rows[0]["createdAt"] as? String == posted["createdAt"])
  }

  @Test("W3: query parameters of POST and PUT are ignored")
  func parameters() async throws {
    let app = try await IngestFixture().app()
    let query = "limit=100&order=-updatedAt&where=x&skip=-1"
    let posted = try await app.send("POST", "\(app.family.list)?\(query)", CompatApp.location([:]))
    let id = try #require(posted["objectId"])
    let path = "\(app.family.list)/\(id)?mapString=Elsewhere&\(query)"
    #expect(try await app.send("PUT", path, CompatApp.location([:])).status == 200)
    #expect(try await app.list()[0]["mapString"] as? String == "Mountain View, CA")
  }

  @Test("W4: a string as body and a key as id are refused and change nothing")
  func oddities() async throws {
    let app = try await IngestFixture().app()
    let id = try #require(try await app.post()["objectId"])
    let before = try await app.list()
    #expect(try await app.send("PUT", "\(app.family.list)/\(id)", "\"{}\"").isParseError(400, 107))
    #expect(try await app.send("POST", app.family.list, "\"{}\"").isParseError(400, 107))
    #expect(try await app.put("4000000123").isParseError(404, 101))
    #expect(NSArray(array: try await app.list()) == NSArray(array: before))
  }

  @Test("W6: only the owner changes a post, and an edit of an unknown id creates none")
  func owners() async throws {
    let map = try IngestFixture()
    let (ada, bob) = (try await map.app(), try await map.app(CompatApp.Family.all[0], "bob@example.org"))
    let id = try #require(try await ada.post()["objectId"])
    #expect(try await bob.put(id, ["mapString": "Elsewhere"]).isParseError(404, 101, "Object not found."))
    #expect(try await bob.send("DELETE", "\(bob.family.list)/\(id)").isParseError(404, 101, "Object not found."))
    #expect(try await ada.put("aB3dE5gH7j").isParseError(404, 101, "Object not found."))
    let rows = try await ada.list()
    #expect(rows.count == 1 && rows[0]["mapString"] as? String == "Mountain View, CA")
  }

  @Test("A field of a wrong type is named with its expected and its actual type")
  func mismatch() async throws {
    let app = try await IngestFixture().app()
    let id = try #require(try await app.post()["objectId"])
    let cases: [(String, Any, String, String)] = [
      ("longitude", "12", "Number", "String"), ("latitude", true, "Number", "Boolean"),
      ("mapString", 5, "String", "Number"), ("mediaURL", ["a"], "String", "Array"),
      ("firstName", ["a": 1], "String", "Object"), ("lastName", false, "String", "Boolean"),
    ]
    for (name, value, expected, got) in cases {
      let text = "schema mismatch for StudentLocation.\(name); expected \(expected) but got \(got)"
      #expect(try await app.post([name: value]).isParseError(400, 111, text), "\(text)")
      #expect(try await app.put(id, [name: value]).isParseError(400, 111, text), "\(text)")
    }
    #expect(try await app.list().count == 1)
  }

  @Test("An invalid post is refused with its reason")
  func refusals() async throws {
    let app = try await IngestFixture().app()
    let nowhere: [String: Any] = ["latitude": NSNull(), "longitude": NSNull()]
    for changes: [String: Any] in [
      ["mapString": ""], ["mapString": NSNull()], ["mapString": String(repeating: "x", count: 257)],
      ["latitude": 91], ["longitude": NSNull()],
      ["mediaURL": "https://example.org/" + String(repeating: "x", count: 2_048)],
      nowhere.merging(["mapString": "Xyzzyxqwv"]) { $1 },
    ] {
      #expect(try await app.post(changes).isParseError(400, 142), "\(changes)")
    }
    #expect(try await app.list().isEmpty)
  }

  @Test("PUT changes only the fields in its body")
  func partial() async throws {
    let app = try await IngestFixture().app()
    let id = try #require(try await app.post(["mediaURL": "just text"])["objectId"])
    #expect(try await app.send("PUT", "\(app.family.list)/\(id)", "{}").status == 200)
    var row = try #require(try await app.list().first)
    #expect(row["mediaURL"] as? String == "just text" && row["latitude"] as? Double == 37.386052)
    #expect(try await app.send("PUT", "\(app.family.list)/\(id)", "{\"mediaURL\":\"example.org/new\"}").status == 200)
    row = try #require(try await app.list().first)
    #expect(
      row["mediaURL"] as? String == "https://example.org/new" && row["mapString"] as? String == "Mountain View, CA")
    #expect(try await app.send("PUT", "\(app.family.list)/\(id)", "{\"mapString\":\"Oslo\"}").status == 200)
    row = try #require(try await app.list().first)
    #expect((59...61).contains(try #require(row["latitude"] as? Double)), "A new place must have its own point.")
  }

  @Test("A cross-site request cannot post or log in")
  func crossSite() async throws {
    let app = try await IngestFixture().app()
    for headers in [["Sec-Fetch-Site": "cross-site"], ["Origin": "https://evil.example"], ["Origin": "null"]] {
      let response = try await app.send("POST", app.family.list, CompatApp.location([:]), headers: headers)
      #expect(response.isParseError(403, 119))
      let login = try await app.send(
        "POST", "/v1/session", CompatApp.credentials("ada@example.org"), headers: headers)
      #expect(try login.status == 403 && login.guarded()["status"] as? Int == 403)
    }
    #expect(try await app.list().isEmpty)
  }
}
