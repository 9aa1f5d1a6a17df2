import Foundation
import Testing

@Suite("Idempotent posts", .bothFronts)
struct IdempotencyTests {
  @Test("A repeated post with the same key is replayed, also after a restart")
  func replayed() async throws {
    var map = try IngestFixture()
    var client = try await map.client.signedUp()
    let first = try await client.post("Oslo", key: "k-1", wait: 30)
    #expect(first.status == 200 && first.headers["idempotency-replayed"] == nil)
    let token = client.token
    for round in 0..<3 {
      if round == 2 {
        map = try map.restarted()
        client = map.client.with(token: token)
      }
      let second = try await client.post("Oslo", key: "k-1")
      #expect(second.status == 200 && second.headers["idempotency-replayed"] == "true")
      #expect(second["id"] == first["id"] && second["state"] == "published")
    }
    #expect(try await client.posts().count == 1)
    #expect(try await client.list().entries.count == 1)
  }

  @Test("Fifty concurrent requests with one key create one post")
  func concurrent() async throws {
    let client = try await IngestFixture().client.signedUp()
    let responses = try await withThrowingTaskGroup(of: APIResponse.self) { group in
      for index in 0..<50 { group.addTask { try await client.post("Oslo", key: "k", wait: index % 2 == 0 ? 30 : nil) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(responses.allSatisfy { $0.status == 200 || $0.status == 202 })
    #expect(Set(responses.map { $0["id"] }).count == 1)
    #expect(responses.filter { $0.headers["idempotency-replayed"] == nil }.count == 1)
    #expect(try await client.posts().count == 1)
  }

  @Test("A key with another post is refused, and other accounts have their own keys")
  func reused() async throws {
    let map = try IngestFixture()
    let (ada, bob) = (try await map.client.signedUp(), try await map.client.signedUp(as: "bob@example.org"))
    let first = try await ada.post("Oslo", key: "k", wait: 30)
    for (place, link) in [("Lima", "https://example.org/ada"), ("Oslo", "https://example.org/other")] {
      let other = try await ada.post(place, link: link, key: "k")
      #expect(other.status == 409 && other["code"] == "idempotency_key_reused")
    }
    let bobs = try await bob.post("Lima", key: "k", wait: 30)
    #expect(bobs.status == 200 && bobs["id"] != first["id"])
    #expect(try await ada.posts().map(\.place) == ["Oslo"])
  }

  @Test("Each request without a key creates a post")
  func withoutKey() async throws {
    let client = try await IngestFixture().client.signedUp()
    for _ in 0..<3 { #expect(try await client.post("Oslo", wait: 30).status == 200) }
    #expect(Set(try await client.posts().map(\.id)).count == 3)
  }
}
