import Ingest
import StubServers
import Testing
import Web

@Suite("Ingest's list", .bothFronts)
struct LatestListTests {
  @Test("A client that sends the list's tag gets 304 until the list changes, in both encodings")
  func tags() async throws {
    let client = try await IngestFixture().client.signedUp()
    #expect(try await client.post("Oslo", wait: 30)["state"] == "published")
    let plain = try await client.get("/v2/feed")
    let compressed = try await client.get("/v2/feed", headers: ["Accept-Encoding": "gzip"])
    let tag = try #require(plain.headers["etag"])
    #expect(plain.headers["cache-control"] == "no-cache" && plain.headers["vary"] == "Accept-Encoding")
    #expect(compressed.headers["content-encoding"] == "gzip")
    #expect(gunzip(Array(compressed.body), sizeMax: 65_536) == Array(plain.body))
    for tag in [tag, try #require(compressed.headers["etag"])] {
      let known = try await client.get("/v2/feed", headers: ["If-None-Match": tag])
      #expect(known.status == 304 && known.body.isEmpty)
    }
    #expect(try await client.post("Lima", wait: 30)["state"] == "published")
    #expect(try await client.get("/v2/feed", headers: ["If-None-Match": tag]).status == 200)
  }

  @Test("The list has only the posts that the filter passes, and an invalid filter is refused")
  func filters() async throws {
    let client = try await IngestFixture().client.signedUp()
    for place in ["Oslo", "Costa Rica"] { #expect(try await client.post(place, wait: 30)["state"] == "published") }
    let all = try await client.get("/v2/feed").decoded(PublicList.self)
    let some = try await client.get("/v2/feed?country=CR").decoded(PublicList.self)
    #expect(all.entries.count == 2 && some.entries.map(\.place) == ["Costa Rica"])
    let refused = try await client.get("/v2/feed?bbox=1,2")
    #expect(refused.status == 400 && refused["code"] == "invalid_bbox" && refused["field"] == "bbox")
  }

  @Test("No cache may store the list of a members-only map")
  func members() async throws {
    let client = try IngestFixture { $0.page.mapAccess = .members(nil) }.client
    #expect(try await client.get("/v2/feed").status == 401)
    let list = try await client.signedUp().get("/v2/feed")
    #expect(list.status == 200 && list.headers["cache-control"] == "no-store")
  }
}
