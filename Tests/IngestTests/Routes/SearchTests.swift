import Foundation
import Testing

@Suite("Post search", .bothFronts)
struct SearchTests {
  private func places(_ query: String, _ client: Client) async throws -> [String] {
    let response = try await client.get("/v2/posts?scope=all&\(query)")
    #expect(response.status == 200)
    return try #require(response.object["posts"] as? [[String: Any]]).compactMap { $0["place"] as? String }
  }

  @Test("Everybody searches published posts by text, country, box and time, newest first")
  func filters() async throws {
    let map = try IngestFixture()
    let ada = try await map.client.signedUp()
    let bob = try await map.client.signedUp(as: "bob@example.org")
    for place in ["Oslo", "München"] { #expect(try await ada.post(place, wait: 30).status == 200) }
    #expect(try await bob.post("Costa Rica", link: "https://example.org/bob", wait: 30).status == 200)
    #expect(try await bob.post("Xyzzyxqwv", wait: 30).status == 200)
    let anybody = map.client
    let times = try #require(try await anybody.get("/v2/posts?scope=all").object["posts"] as? [[String: Any]])
      .compactMap { $0["updatedAt"] as? String }
    let cases: [(String, [String])] = [
      ("", ["Costa Rica", "München", "Oslo"]), ("q=MÜNCH".encoded, ["München"]), ("q=bavaria", ["München"]),
      ("q=org%2Fbob", ["Costa Rica"]), ("q=lovelace&country=no", ["Oslo"]),
      ("country=DE,CR", ["Costa Rica", "München"]),
      ("bbox=5,45,15,65", ["München", "Oslo"]), ("since=\(times[1])", ["Costa Rica", "München"]),
      ("until=\(times[1])", ["Oslo"]), ("since=\(times[1])&until=\(times[0])", ["München"]), ("q=nothing", []),
    ]
    for (query, found) in cases { #expect(try await places(query, anybody) == found, "\(query)") }
  }

  @Test("An account's own posts can be searched, including unpublished ones")
  func own() async throws {
    let map = try IngestFixture()
    let (ada, bob) = (try await map.client.signedUp(), try await map.client.signedUp(as: "bob@example.org"))
    _ = try await bob.post("Oslo", wait: 30)
    for place in ["Oslo", "Lima", "Qwxzzzk Oslovic"] { _ = try await ada.post(place, wait: 30) }
    func places(_ query: String) async throws -> [String] {
      let posts = try await ada.get("/v2/posts?\(query)").object["posts"] as? [[String: Any]]
      return try #require(posts).compactMap { $0["place"] as? String }
    }
    #expect(try await places("q=oslo") == ["Oslo", "Qwxzzzk Oslovic"])
    #expect(try await places("q=oslo&country=NO") == ["Oslo"])
    #expect(try await places("bbox=-80,-20,-70,0") == ["Lima"])
    #expect(try await places("since=2100-01-01T00:00:00Z").isEmpty)
    #expect(try await ada.get("/v2/posts?country=Norway")["code"] == "invalid_country")
  }

  @Test("Paging with `next` is stable while posts arrive")
  func pages() async throws {
    let client = try await IngestFixture().client.signedUp()
    for number in 1...5 { #expect(try await client.post("Oslo \(number)", wait: 30).status == 200) }
    var found: [String] = []
    var after: String? = ""
    while let cursor = after {
      let response = try await client.get("/v2/posts?scope=all&limit=2" + (cursor.isEmpty ? "" : "&after=\(cursor)"))
      found += try #require(response.object["posts"] as? [[String: Any]]).compactMap { $0["place"] as? String }
      #expect(try await client.post("Later", wait: 30).status == 200)
      after = response["next"]
    }
    #expect(found == (1...5).reversed().map { "Oslo \($0)" })
  }

  @Test(
    "The error names an invalid parameter",
    arguments: [
      ("scope=some", "scope"), ("limit=0", "limit"), ("limit=1001", "limit"), ("after=x", "after"),
      ("country=x", "country"),
      ("bbox=1,2", "bbox"), ("since=today", "since"), ("until=2026", "until"), ("q=%00", "q"),
    ])
  func refused(query: String, field: String) async throws {
    let client = try IngestFixture().client
    let response = try await client.get("/v2/posts?" + (query.hasPrefix("scope") ? "" : "scope=all&") + query)
    #expect(response.status == 400 && response["field"] == field && response["code"] == "invalid_\(field)")
    let own = try await client.signedUp().get("/v2/posts?" + query)
    #expect(own.status == 400 && own["code"] == "invalid_\(field)", "The own list must name it too.")
  }
}

extension String {
  fileprivate var encoded: String { addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed) ?? self }
}
