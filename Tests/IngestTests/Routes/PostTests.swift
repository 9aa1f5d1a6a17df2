import Foundation
import Testing

@Suite("Posting", .bothFronts)
struct PostTests {
  @Test("A waiting request returns the published post with its place")
  func waits() async throws {
    let client = try await IngestFixture().client.signedUp()
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
    let owner: [String: Any] = ["firstName": "Ada", "lastName": "Lovelace", "own": true]
    #expect(again.object as NSDictionary == response.object.merging(owner) { $1 } as NSDictionary)
  }

  @Test("A request that does not wait gets 202, and its post is published later")
  func doesNotWait() async throws {
    let client = try await IngestFixture().client.signedUp()
    let response = try await client.post("Seattle, WA")
    #expect(response.status == 202)
    #expect(response["state"] == "queued")
    let location = try #require(response.headers["location"])
    #expect(location == "/v2/posts/\(response["id"] ?? "")")
    try await eventually("the post is published") { try await client.get(location)["state"] == "published" }
  }

  @Test("A post with an unknown place is rejected with a reason and not listed")
  func rejected() async throws {
    let client = try await IngestFixture().client.signedUp()
    let response = try await client.post("Qwxzzzk Vbbnkl", wait: 30)
    #expect(response.status == 200)
    let post = try response.decoded(OwnPost.self)
    #expect(post.state == "rejected" && post.reason?.code == "place_not_found" && post.seq == nil)
    #expect(post.reason?.detail.contains("Qwxzzzk Vbbnkl") == true)
    #expect(try await client.list().entries.isEmpty)
  }

  @Test("Everybody sees a published post, and only the owner sees a post in another state")
  func privacy() async throws {
    let map = try IngestFixture(workers: 0)
    let (ada, bob) = (try await map.client.signedUp(), try await map.client.signedUp(as: "bob@example.org"))
    let nobody = map.client
    var stranger = nobody
    stranger.token = String(repeating: "A", count: 43)
    let good = try #require(try await ada.post("Oslo").headers["location"])
    let bad = try #require(try await ada.post("Qwxzzzk Vbbnkl").headers["location"])
    let missing = try await bob.get("/v2/posts/zzzzzzzzzz")
    func expectHidden(_ path: String) async throws {
      for other in [bob, nobody, stranger] {
        let response = try await other.get(path)
        #expect(response.status == 404 && response.body == missing.body, "A hidden post must look like a missing one.")
      }
    }
    for path in [good, bad] {
      #expect(try await ada.get(path)["state"] == "queued")
      try await expectHidden(path)
    }
    try map.addWorker()
    try await eventually("both posts are settled") {
      let states = (try await ada.get(good)["state"], try await ada.get(bad)["state"])
      return states == ("published", "rejected")
    }
    try await expectHidden(bad)
    let responses = [try await bob.get(good), try await nobody.get(good), try await stranger.get(good)]
    #expect(responses.allSatisfy { $0.status == 200 && $0.body == responses[0].body })
  }

  @Test("Only the owner's requests, by token or cookie, see a post marked as their own, and no cache keeps it")
  func own() async throws {
    let map = try IngestFixture()
    let (ada, bob) = (try await map.client.signedUp(), try await map.client.signedUp(as: "bob@example.org"))
    let path = try #require(try await ada.post("Oslo", wait: 30).headers["location"])
    let rejected = try #require(try await ada.post("Qwxzzzk Vbbnkl", wait: 30).headers["location"])
    let cookie = ["Cookie": "otm=\(ada.token ?? "")"]
    // The owner asks first and last, so a shared cache would show in every other response.
    let marks = [
      try await ada.get(path), try await map.client.get(path), try await bob.get(path),
      try await map.client.get(path, headers: cookie), try await ada.get(path), try await ada.get(rejected),
    ]
    #expect(marks.map { $0.object["own"] as? Bool } == [true, nil, nil, true, true, true])
    #expect(marks.allSatisfy { $0.headers["cache-control"] == "no-store" })
  }

  @Test(
    "A client's coordinates are kept and compared with the place",
    arguments: [
      ("Seattle, WA", 47.6, -122.3, "verified", "Seattle, Washington, United States"),
      ("Seattle, WA", -33.9, 151.2, "mismatch", "Seattle, WA"),
      ("Qwxzzzk Vbbnkl", 47.6, -122.3, "unverified", "Qwxzzzk Vbbnkl"),
    ])
  func coordinates(
    _ example: (place: String, latitude: Double, longitude: Double, agreement: String, label: String)
  ) async throws {
    let client = try await IngestFixture().client.signedUp()
    let body = JSON.object([
      "place": example.place, "link": "example.org", "latitude": example.latitude, "longitude": example.longitude,
    ])
    let response = try await client.send("POST", "/v2/posts", body: body, headers: ["Prefer": "wait=30"])
    #expect(response["state"] == "published")
    #expect(response["agreement"] == example.agreement)
    #expect(response["label"] == example.label)
    #expect(try response.number("latitude") == example.latitude)
    #expect(try response.number("longitude") == example.longitude)
  }

  @Test("An account lists only its own posts, oldest first, by page")
  func pages() async throws {
    let map = try IngestFixture()
    let (ada, bob) = (try await map.client.signedUp(), try await map.client.signedUp(as: "bob@example.org"))
    var ids: [String?] = []
    for place in ["Oslo", "Lima", "Rome"] { ids.append(try await ada.post(place, wait: 30)["id"]) }
    _ = try await bob.post("Paris", wait: 30)
    #expect(try await ada.posts().map(\.id) == ids)
    #expect(try await bob.posts().map(\.place) == ["Paris"])
    let first = try await ada.get("/v2/posts?limit=2")
    #expect((first.object["posts"] as? [Any])?.count == 2 && first["next"] == ids[1])
    let second = try await ada.get("/v2/posts?limit=2&after=\(try #require(first["next"]))")
    #expect((second.object["posts"] as? [Any])?.count == 1 && second["next"] == nil)
  }
}
