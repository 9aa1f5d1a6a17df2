import Foundation
import Synchronization
import Testing

@testable import Ingest

extension Client {
  /// Returns a post as its owner sees it after an edit: without `own` and the owner's name, which only `GET` adds.
  fileprivate func post(id: String) async throws -> NSDictionary {
    let post = try await get("/v2/posts/\(id)").object
    return post.filter { !["firstName", "lastName", "own"].contains($0.key) } as NSDictionary
  }
}

@Suite("Edits and deletions", .bothFronts)
struct EditTests {
  @Test("An edit returns the changed post, and an invalid edit changes nothing")
  func edit() async throws {
    let map = try IngestFixture()
    let (ada, bob) = (try await map.client.signedUp(), try await map.client.signedUp(as: "bob@example.org"))
    let id = try #require(try await ada.post("Oslo", wait: 30)["id"])
    let moved = try await ada.edit(id, "Paris, TX", link: "example.org/new")
    #expect(moved.status == 200 && moved["id"] == id && moved["label"] == "Paris, Texas, United States")
    #expect(moved["link"] == "https://example.org/new" && moved["agreement"] == "not_given")
    #expect(try moved.number("seq") == 2 && moved["createdAt"] != moved["updatedAt"])
    #expect(try await ada.post(id: id) == moved.object as NSDictionary)
    #expect(try await ada.list().entries.map(\.place) == ["Paris, TX"])

    let body = JSON.object(["place": "Paris, TX", "link": "example.org", "latitude": 33.6, "longitude": -95.5])
    let pinned = try await ada.send("PUT", "/v2/posts/\(id)", body: body)
    #expect(pinned.status == 200 && pinned["agreement"] == "verified")
    #expect(try pinned.number("latitude") == 33.6 && pinned.number("seq") == 3)

    let missing = try await ada.get("/v2/posts/zzzzzzzzzz")
    var stranger = map.client
    stranger.token = nil
    let refusals = [
      (try await ada.edit(id, "Qwxzzzk Vbbnkl"), 422, "place_not_found"),
      (try await ada.edit(id, "Oslo", link: "ftp://example.org"), 422, "invalid_link"),
      (try await ada.edit(id, ""), 422, "invalid_place"),
      (try await ada.send("PUT", "/v2/posts/\(id)", body: #"{"place": "Oslo"}"#), 422, "missing_field"),
      (try await ada.send("PUT", "/v2/posts/\(id)", body: "{"), 400, "invalid_json"),
      (try await bob.edit(id, "Oslo"), 404, "post_not_found"),
      (try await ada.edit("zzzzzzzzzz", "Oslo"), 404, "post_not_found"),
      (try await ada.edit("x", "Oslo"), 404, "post_not_found"),
      (try await stranger.edit(id, "Oslo"), 401, "session_required"),
      (try await bob.delete(id), 404, "post_not_found"), (try await ada.delete("x"), 404, "post_not_found"),
      (try await stranger.delete(id), 401, "session_required"),
      (try await ada.send("PATCH", "/v2/posts/\(id)", body: "{}"), 405, "method_not_allowed"),
    ]
    for (response, status, code) in refusals {
      #expect(response.status == status && response["code"] == code, "\(response.object)")
      if status == 404 { #expect(response.body == missing.body) }
    }
    #expect(try await ada.post(id: id) == pinned.object as NSDictionary)
    #expect(try await ada.list().seq == 3)
  }

  @Test("A cross-site request can neither edit nor delete")
  func crossSite() async throws {
    let client = try await IngestFixture().client.signedUp()
    let id = try #require(try await client.post("Oslo", wait: 30)["id"])
    var browser = client
    browser.token = nil
    var headers = ["Cookie": "otm=\(try #require(client.token))", "Sec-Fetch-Site": "cross-site"]
    for response in [
      try await browser.edit(id, "Lima", headers: headers), try await browser.delete(id, headers: headers),
    ] {
      #expect(response.status == 403 && response["code"] == "cross_site")
    }
    headers["Sec-Fetch-Site"] = "same-origin"
    #expect(try await browser.edit(id, "Lima", headers: headers).status == 200)
    #expect(try await browser.delete(id, headers: headers).status == 204)
    #expect(try await client.list().entries.isEmpty)
  }

  @Test("An edit publishes a rejected post, and only a new place needs a worker")
  func lookup() async throws {
    let map = try IngestFixture()
    let client = try await map.client.signedUp()
    let id = try #require(try await client.post("Qwxzzzk Vbbnkl", wait: 30)["id"])
    let found = try await client.edit(id, "Oslo")
    #expect(found.status == 200 && found["state"] == "published" && found.object["reason"] == nil)
    map.endWorkers()
    let linked = try await client.edit(id, "Oslo", link: "https://example.org/other")
    #expect(linked.status == 200 && linked["link"] == "https://example.org/other")
    #expect(try linked.number("seq") == 2 && linked["label"] == found["label"] && linked["match"] == found["match"])
    let unserved = try await client.edit(id, "Lima")
    #expect(unserved.status == 503 && unserved["code"] == "geocoder_unavailable")
    #expect(unserved.headers["retry-after"] != nil)
    #expect(try await client.post(id: id) == linked.object as NSDictionary)
  }

  @Test("A post deleted in the queue never reaches the map")
  func queued() async throws {
    let map = try IngestFixture()
    let client = try await map.client.signedUp()
    let boss = try await map.operatorClient()
    #expect(try await boss.send("POST", "/v2/admin/pause").status == 200)
    async let waiting = client.post("Oslo", key: "k", wait: 30)
    let id = try await eventually("the post is queued") { try await client.posts().first?.id }
    let edit = try await client.edit(id, "Lima")
    #expect(edit.status == 409 && edit["code"] == "post_queued")
    #expect(try await client.delete(id).status == 204)
    let response = try await waiting
    #expect(response.status == 410 && response["code"] == "post_deleted", "The waiting request must end.")
    #expect(try await client.delete(id).status == 404)
    #expect(try await client.get("/v2/posts/\(id)").status == 404)
    #expect(try await client.posts().isEmpty)
    let again = try await client.post("Oslo", key: "k")
    #expect(again.status == 410, "A late retry must create no second post.")
    #expect(try await !boss.get("/v2/admin/posts?state=ready").text.contains(id))
    #expect(try await boss.get("/v2/admin/posts/\(id)").status == 404)

    #expect(try await client.post("Lima").status == 202)
    #expect(try await boss.send("POST", "/v2/admin/resume").status == 200)
    try await eventually("the other post is published") { try await client.posts().map(\.state) == ["published"] }
    try await eventually("both jobs have left the queue") { map.components.queue.depth.load(ordering: .relaxed) == 0 }
    let list = try await client.list()
    #expect(list.seq == 1 && list.entries.map(\.place) == ["Lima"])
    try await client.expectService()
  }
}
