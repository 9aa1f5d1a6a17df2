import Foundation
import Testing

@Suite("Compatibility API: list", .bothFronts)
struct CompatListTests {
  private func id(_ row: [String: Any]) -> String { row["objectId"] as? String ?? "" }

  /// Creates one post per place, one after the other.
  ///
  /// - Returns: The ids of the posts.
  private func post(_ places: [String], _ app: CompatApp) async throws -> [String] {
    var ids: [String] = []
    for place in places { ids.append(try #require(try await app.post(["mapString": place])["objectId"])) }
    return ids
  }

  @Test("G1: every row has every field with its type, whatever the client sent")
  func rows() async throws {
    let app = try await IngestFixture().app()
    try await app.post()
    try await app.post(["mediaURL": ""])
    try await app.post(["mediaURL": NSNull(), "firstName": NSNull(), "lastName": ""])
    try await app.post(["latitude": 10, "longitude": -20])
    #expect(try await app.client.signedUp(as: "bob@example.org").post("Oslo", wait: 30).status == 200)
    let rows = try await app.list()
    #expect(rows.count == 5)
    for row in rows {
      #expect(row.count == 10)
      for name in ["uniqueKey", "firstName", "lastName", "mapString", "mediaURL"] { #expect(row[name] is String) }
      #expect(id(row).wholeMatch(of: #/[A-Za-z0-9]{10}/#) != nil)
      #expect(row["latitude"] is NSNumber && row["longitude"] is NSNumber)
      for name in ["createdAt", "updatedAt"] {
        let time = try #require(row[name] as? String)
        #expect(time.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/#) != nil)
      }
    }
  }

  @Test("G3: the newest post comes first, also among many in one second")
  func ownFirst() async throws {
    let app = try await IngestFixture().app()
    var ids: [String] = []
    for _ in 1...12 {
      ids.append(try #require(try await app.post()["objectId"]))
      #expect(id(try await app.list("limit=1&order=-updatedAt")[0]) == ids.last)
    }
    #expect(try await app.list().map(id) == ids.reversed())
    #expect(try await app.put(ids[3]).status == 200)
    #expect(id(try await app.list()[0]) == ids[3])
  }

  @Test("G4: a text that is not a link comes back unchanged, and the feed has no link for it")
  func links() async throws {
    let map = try IngestFixture()
    let app = try await map.app()
    let texts = ["", "no link at all", "javascript:alert(1)", "https://ada:secret@example.org", "ftp://example.org"]
    for text in texts { #expect(try await app.post(["mediaURL": text]).status == 200) }
    #expect(try await app.list("order=updatedAt").compactMap { $0["mediaURL"] as? String } == texts)
    let entries = try #require(try await map.client.get("/v2/feed").object["entries"] as? [[String: Any]])
    #expect(entries.count == texts.count && entries.allSatisfy { $0["link"] as? String == "" })
    #expect(try await app.post(["mediaURL": "example.org/ada"]).status == 200)
    #expect(try await app.list()[0]["mediaURL"] as? String == "https://example.org/ada")
  }

  @Test("G4: places and links keep their spelling, with a missing scheme added")
  func spelling() async throws {
    let map = try IngestFixture()
    let app = try await map.app()
    for (place, given, listed, feedLink) in [
      ("sAN  fRANCISCO,ca", "HTTPS://Example.ORG/A?Q#F", "HTTPS://Example.ORG/A?Q#F", "https://example.org/A?Q#F"),
      ("مه\u{200C}سا", "Example.ORG/Ada", "https://Example.ORG/Ada", "https://example.org/Ada"),
      ("Oslo", "https://example.org/", "https://example.org/", "https://example.org/"),
    ] {
      let id = try #require(try await app.post(["mapString": place, "mediaURL": given])["objectId"])
      for _ in 1...2 {
        let row = try #require(try await app.list().first)
        #expect(row["mapString"] as? String == place && row["mediaURL"] as? String == listed)
        let entries = try #require(try await map.client.get("/v2/feed").object["entries"] as? [[String: Any]])
        #expect(entries.first?["link"] as? String == feedLink)
        // An empty edit changes neither the place nor the link.
        #expect(try await app.send("PUT", "\(app.family.list)/\(id)", "{}").status == 200)
      }
    }
  }

  @Test(
    "An unknown class gives an empty list, also with a query escaped into the path",
    arguments: [
      "/parse/classes/GameScore", "/1/classes/GameScore", "/parse/classes/StudentLocation%3Flimit=100",
      "/1/classes/StudentLocation%3Forder=-updatedAt%26limit=100", "/1/classes/studentlocation",
      "/parse/classes/StudentLocation%3Fwhere=%7B%22uniqueKey%22%3A%221%22%7D",
    ])
  func unknownClass(path: String) async throws {
    let app = try await IngestFixture().app()
    #expect(try await app.post().status == 200)
    let response = try await app.send("GET", path, cookie: false)
    #expect(response.status == 200 && String(decoding: response.body, as: UTF8.self) == "{\"results\":[]}")
    #expect(try await app.send("POST", path, CompatApp.location([:])).isParseError(405, 119))
    #expect(try await app.send("GET", path + "/aB3dE5gH7j").isParseError(404, 101))
  }

  @Test("The parameters limit and skip page through all rows")
  func pages() async throws {
    let app = try await IngestFixture().app()
    let ids = Array(try await post((1...7).map { "Oslo \($0)" }, app).reversed())
    #expect(try await app.list("limit=3&order=-updatedAt").map(id) == Array(ids[..<3]))
    #expect(try await app.list("limit=3&skip=3").map(id) == Array(ids[3..<6]))
    #expect(try await app.list("limit=3&skip=6").map(id) == [ids[6]])
    for query in ["skip=7", "skip=8386", "skip=1000000", "limit=0"] { #expect(try await app.list(query).isEmpty) }
    #expect(try await app.list("limit=200").count == 7)
    for query in ["limit=-1", "limit=x", "skip=-1", "skip=1.5", "skip=1000001"] {
      #expect(try await app.send("GET", "\(app.family.list)?\(query)").isParseError(400, 102), "\(query)")
    }
  }

  @Test("The default limit is 100, and the maximum 1,000")
  func limits() async throws {
    let map = try IngestFixture()
    let client = try await map.client.signedUp()
    try await withThrowingTaskGroup { group in
      for _ in 1...101 { group.addTask { _ = try await client.post("Oslo", wait: 30) } }
      try await group.waitForAll()
    }
    let app = CompatApp(map.client)
    #expect(try await app.list("").count == 100)
    for limit in ["101", "1000", "1001", "9999999"] { #expect(try await app.list("limit=\(limit)").count == 101) }
  }

  @Test("The parameter order sorts by two keys in both directions, and ignores other keys")
  func order() async throws {
    let app = try await IngestFixture().app()
    let ids = try await post(["Oslo", "Rome", "Bonn"], app)
    #expect(try await app.put(ids[0], ["mapString": "Paris"]).status == 200)
    let byUpdate = [ids[0], ids[2], ids[1]]
    for order in ["-updatedAt", "", "-updateAt", "-nonsense,-updatedAt", "-updatedAt,createdAt", "firstName"] {
      #expect(try await app.list("order=\(order)").map(id) == byUpdate, "\(order)")
    }
    #expect(try await app.list("order=updatedAt").map(id) == byUpdate.reversed())
    #expect(try await app.list("order=-createdAt").map(id) == ids.reversed())
    #expect(try await app.list("order=createdAt").map(id) == ids)
  }

  @Test("The parameter where filters by key, time and alternatives")
  func conditions() async throws {
    let map = try IngestFixture()
    let (ada, bob) = (try await map.app(), try await map.app(CompatApp.Family.all[0], "bob@example.org"))
    let ids = try await post(["Oslo", "Rome", "Bonn"], ada) + post(["Lima"], bob)
    let rows = try await ada.list("order=createdAt")
    let (key, other) = (rows[0]["uniqueKey"] as? String ?? "", rows[3]["uniqueKey"] as? String ?? "")
    let time = rows[1]["updatedAt"] as? String ?? ""
    let cases: [(String, [String])] = [
      ("{\"uniqueKey\":\"\(key)\"}", Array(ids[..<3])), ("{ \"uniqueKey\" : \"\(other)\" }", [ids[3]]),
      ("{\"uniqueKey\":\"u\(key)\"}", []), ("{}", ids), ("{\"updatedAt\":{\"$lt\":\"\(time)\"}}", [ids[0]]),
      ("{\"updatedAt\":{\"$gt\":\"\(time)\"}}", [ids[2], ids[3]]),
      (
        "{\"updatedAt\":{\"$gte\":{\"__type\":\"Date\",\"iso\":\"\(time)\"}},\"uniqueKey\":\"\(key)\"}",
        [ids[1], ids[2]]
      ),
      ("{\"$or\":[{\"mapString\":\"Rome\"},{\"uniqueKey\":\"\(other)\"}]}", [ids[1], ids[3]]),
      ("{\"objectId\":{\"$in\":[\"\(ids[2])\",\"\(ids[0])\",\"x\"]}}", [ids[0], ids[2]]),
      ("{\"objectId\":{\"$nin\":[\"\(ids[2])\"]}}", [ids[0], ids[1], ids[3]]),
      ("{\"latitude\":{\"$lt\":0}}", []), ("{\"color\":\"red\"}", []), ("{\"color\":{\"$exists\":false}}", ids),
    ]
    for (condition, expected) in cases {
      let found = try await ada.list("order=createdAt&where=\(CompatApp.encoded(condition))").map(id)
      #expect(found == expected, "\(condition)")
    }
    #expect(try await ada.list("uniqueKey=\(other)").map(id) == [ids[3]])
    #expect(
      try await ada.list("where=%7B%22uniqueKey%22:%22\(other)%22%7D").map(id) == [ids[3]],
      "A raw colon must be accepted.")
  }

  @Test(
    "An invalid where gives 400 in Parse's form",
    arguments: [
      "x", "[]", "\"a\"", "{\"uniqueKey\":", "{\"uniqueKey\":5}", "{\"updatedAt\":\"yesterday\"}", "{\"$or\":{}}",
      "{\"latitude\":\"1\"}", "{\"$where\":\"1\"}", "{\"mapString\":{\"$regex\":\".*\"}}", "{\"objectId\":{\"$in\":1}}",
    ])
  func unreadable(condition: String) async throws {
    let app = CompatApp(try IngestFixture().client)
    let response = try await app.send("GET", "\(app.family.list)?where=\(CompatApp.encoded(condition))")
    #expect(response.isParseError(400, 102) || response.isParseError(400, 107))
  }
}
