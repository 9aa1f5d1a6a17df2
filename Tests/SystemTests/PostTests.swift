import Foundation
import Testing

@Suite("The path of a post", .stage)
struct PostTests {
  @Test("up prints one ready line, all that it names answers, and people are told where the map is")
  func up() async throws {
    let map = try await Stage.current.up()
    let lines = map.ingest.said.split(separator: "\n")
    let address = try map.client.base
    #expect(lines.count == 2 && lines.last?.hasPrefix("The map is at \(address)/ ") == true)
    #expect(
      Set(map.ingest.ready.keys)
        == ["http", "feed-http", "feed", "query", "jobs", "changes", "submit", "operations"])
    #expect(try await map.client.get("/livez").status == 204)
    #expect(try await map.feedClient.get("/livez").status == 204)
    #expect(try await map.client.get("/").status == 200)
    for (_, port) in try map.ports { _ = try Connection(port: port) }
  }

  @Test("A post that waits comes back published, with the place's name and point")
  func waits() async throws {
    let client = try await Stage.current.up().client.signedUp()
    let answer = try await client.post("Costa Rica", link: "example.org/ada", wait: 10)
    #expect(answer.status == 200)
    #expect(answer.headers["preference-applied"] == "wait=10")
    #expect(answer["state"] == "published")
    #expect(answer["label"] == "Costa Rica")
    #expect(answer["link"] == "https://example.org/ada")
    #expect(answer["agreement"] == "found" && answer["match"] == "exact")
    #expect(abs(try answer.number("latitude") - 10) < 1)
    #expect(abs(try answer.number("longitude") + 84) < 1)
    let again = try await client.get(try #require(answer.headers["location"]))
    #expect(again.body == answer.body)
  }

  @Test("A post that does not wait is accepted at once, and published soon")
  func doesNotWait() async throws {
    let client = try await Stage.current.up().client.signedUp()
    let answer = try await client.post("Seattle, WA")
    #expect(answer.status == 202)
    #expect(answer["state"] == "queued")
    let location = try #require(answer.headers["location"])
    #expect(location == "/v2/posts/\(answer["id"] ?? "")")
    try await eventually("the post is published") { try await client.get(location)["state"] == "published" }
  }

  @Test("A place that nobody knows is rejected, with the reason, and is on no list")
  func rejected() async throws {
    let client = try await Stage.current.up().client.signedUp()
    let answer = try await client.post("Qwxzzzk Vbbnkl", wait: 10)
    #expect(answer.status == 200)
    let post = try answer.decoded(Post.self)
    #expect(post.state == "rejected" && post.reason?.code == "place_not_found" && post.seq == nil)
    #expect(post.reason?.detail.contains("Qwxzzzk Vbbnkl") == true)
    #expect(try await client.list().entries.isEmpty)
  }

  @Test("A post is everybody's when it is on the map; before, and when it never gets there, only its owner sees it")
  func privacy() async throws {
    let map = try await Stage.current.roles(workers: 0)
    let (ada, bob) = (try await map.client.signedUp(), try await map.client.signedUp(as: "bob@example.org"))
    let nobody = try map.client
    var stranger = nobody
    stranger.token = String(repeating: "A", count: 43)
    let good = try #require(try await ada.post("Oslo").headers["location"])
    let bad = try #require(try await ada.post("Qwxzzzk Vbbnkl").headers["location"])
    let missing = try await bob.get("/v2/posts/zzzzzzzzzz")
    func expectHidden(_ path: String) async throws {
      for other in [bob, nobody, stranger] {
        let answer = try await other.get(path)
        #expect(answer.status == 404 && answer.body == missing.body, "Nothing tells it from one that is not there.")
      }
    }
    for path in [good, bad] {
      #expect(try await ada.get(path)["state"] == "queued")
      try await expectHidden(path)
    }
    _ = try await Stage.current.worker(of: map)
    try await eventually("both are settled") {
      let states = (try await ada.get(good)["state"], try await ada.get(bad)["state"])
      return states == ("published", "rejected")
    }
    try await expectHidden(bad)
    let answers = [try await ada.get(good), try await bob.get(good), try await nobody.get(good)]
    #expect(answers.allSatisfy { $0.status == 200 && $0.body == answers[0].body })
  }

  @Test(
    "A client's coordinates are kept, and compared with the place",
    arguments: [
      ("Seattle, WA", 47.6, -122.3, "verified", "Seattle, Washington, United States"),
      ("Seattle, WA", -33.9, 151.2, "mismatch", "Seattle, Washington, United States"),
      ("Qwxzzzk Vbbnkl", 47.6, -122.3, "unverified", "Qwxzzzk Vbbnkl"),
    ])
  func coordinates(
    _ example: (place: String, latitude: Double, longitude: Double, agreement: String, label: String)
  ) async throws {
    let client = try await Stage.current.up().client.signedUp()
    let body = JSON.object([
      "place": example.place, "link": "example.org", "latitude": example.latitude, "longitude": example.longitude,
    ])
    let answer = try await client.send("POST", "/v2/posts", body: body, headers: ["Prefer": "wait=10"])
    #expect(answer["state"] == "published")
    #expect(answer["agreement"] == example.agreement)
    #expect(answer["label"] == example.label)
    #expect(try answer.number("latitude") == example.latitude)
    #expect(try answer.number("longitude") == example.longitude)
  }

  @Test("Ingest and the feed tell the same list, byte for byte, and its hash is right")
  func lists() async throws {
    let map = try await Stage.current.up()
    let client = try await map.client.signedUp()
    for place in ["Costa Rica", "München", "Qwxzzzk Vbbnkl", "東京"] { _ = try await client.post(place, wait: 10) }
    let ours = try await client.get("/v2/feed")
    let list = try ours.decoded(FeedList.self)
    #expect(list.entries.map(\.place) == ["東京", "München", "Costa Rica"])
    #expect(list.entries.map(\.seq) == [3, 2, 1] && list.seq == 3)
    #expect(list.stateHash == list.computedHash)
    try await eventually("the feed has the same bytes") { try await map.feedClient.get("/v2/feed").body == ours.body }
  }

  @Test("The feed may be read by every site, and says when nothing has changed")
  func unchanged() async throws {
    let map = try await Stage.current.up()
    let client = try await map.client.signedUp()
    let empty = try await map.feedClient.get("/v2/feed")
    #expect(empty.headers["access-control-allow-origin"] == "*")
    // A restored database may have the same list under another epoch.
    #expect(try #require(empty.headers["etag"]).contains(try #require(empty["epoch"])))
    let tag = try #require(empty.headers["etag"])
    let same = try await map.feedClient.get("/v2/feed", headers: ["If-None-Match": tag])
    #expect(same.status == 304 && same.body.isEmpty && same.headers["etag"] == tag)
    _ = try await client.post("Costa Rica", wait: 10)
    try await eventually("the tag no longer fits") {
      try await map.feedClient.get("/v2/feed", headers: ["If-None-Match": tag]).status == 200
    }
  }

  @Test("An account lists its own posts only, oldest first, page by page")
  func pages() async throws {
    let map = try await Stage.current.up()
    let (ada, bob) = (try await map.client.signedUp(), try await map.client.signedUp(as: "bob@example.org"))
    var ids: [String?] = []
    for place in ["Oslo", "Lima", "Rome"] { ids.append(try await ada.post(place, wait: 10)["id"]) }
    _ = try await bob.post("Paris", wait: 10)
    #expect(try await ada.posts().map(\.id) == ids)
    #expect(try await bob.posts().map(\.place) == ["Paris"])
    let first = try await ada.get("/v2/posts?limit=2")
    #expect((first.object["posts"] as? [Any])?.count == 2 && first["next"] == ids[1])
    let second = try await ada.get("/v2/posts?limit=2&after=\(try #require(first["next"]))")
    #expect((second.object["posts"] as? [Any])?.count == 1 && second["next"] == nil)
  }
}
