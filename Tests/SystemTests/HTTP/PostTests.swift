import Foundation
import Testing

@Suite("Posting", .fixture)
struct PostTests {
  @Test("The command up prints one ready line, serves every address in it, and names the map's URL")
  func up() async throws {
    let map = try await SystemFixture.current.up()
    let lines = map.ingest.standardOutput.split(separator: "\n")
    let address = try map.client.base
    #expect(lines.count == 2 && lines.last?.hasPrefix("Open \(address)/ in a browser.") == true)
    #expect(
      Set(map.ingest.ready.keys)
        == ["http", "feed-http", "feed", "query", "jobs", "changes", "submit", "operations"])
    #expect(try await map.client.get("/livez").status == 204)
    #expect(try await map.feedClient.get("/livez").status == 204)
    #expect(try await map.client.get("/").status == 200)
    for (_, port) in try map.ports { _ = try Connection(port: port) }
  }

  @Test("A waiting request returns the published post with its place")
  func waits() async throws {
    let client = try await SystemFixture.current.up().client.signedUp()
    let response = try await client.post("Costa Rica", link: "example.org/ada", wait: 30)
    #expect(response.status == 200)
    #expect(response.headers["preference-applied"] == "wait=30")
    #expect(response["state"] == "published")
    #expect(response["label"] == "Costa Rica")
    #expect(response["link"] == "https://example.org/ada")
    #expect(response["agreement"] == "not_given" && response["match"] == "exact")
    #expect(abs(try response.number("latitude") - 10) < 1)
    #expect(abs(try response.number("longitude") + 84) < 1)
    let again = try await client.get(try #require(response.headers["location"]))
    // `GET` adds the name of the owner and `own`. Nothing else differs.
    var shown = again.object
    #expect(shown.removeValue(forKey: "own") as? Bool == true)
    #expect(shown.removeValue(forKey: "firstName") is String && shown.removeValue(forKey: "lastName") is String)
    #expect(shown as NSDictionary == response.object as NSDictionary)
  }

  @Test("Ingest and the feed serve the same list byte for byte, with a correct hash")
  func lists() async throws {
    let map = try await SystemFixture.current.up()
    let client = try await map.client.signedUp()
    for place in ["Costa Rica", "München", "Qwxzzzk Vbbnkl", "東京"] { _ = try await client.post(place, wait: 30) }
    let ours = try await client.get("/v2/feed")
    let list = try ours.decoded(FeedList.self)
    #expect(list.entries.map(\.place) == ["東京", "München", "Costa Rica"])
    #expect(list.entries.map(\.seq) == [3, 2, 1] && list.seq == 3)
    #expect(list.stateHash == list.computedHash)
    try await eventually("the feed has the same bytes") { try await map.feedClient.get("/v2/feed").body == ours.body }
  }

  @Test("The feed allows every origin, and responds with 304 for an unchanged list")
  func unchanged() async throws {
    let map = try await SystemFixture.current.up()
    let client = try await map.client.signedUp()
    let empty = try await map.feedClient.get("/v2/feed")
    #expect(empty.headers["access-control-allow-origin"] == "*")
    // A restored database may have the same list under another epoch.
    #expect(try #require(empty.headers["etag"]).contains(try #require(empty["epoch"])))
    let tag = try #require(empty.headers["etag"])
    let same = try await map.feedClient.get("/v2/feed", headers: ["If-None-Match": tag])
    #expect(same.status == 304 && same.body.isEmpty && same.headers["etag"] == tag)
    _ = try await client.post("Costa Rica", wait: 30)
    try await eventually("the entity tag has changed") {
      try await map.feedClient.get("/v2/feed", headers: ["If-None-Match": tag]).status == 200
    }
  }
}
