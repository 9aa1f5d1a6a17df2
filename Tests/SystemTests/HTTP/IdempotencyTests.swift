import Foundation
import Testing

@Suite("Idempotent posts", .fixture)
struct IdempotencyTests {
  @Test("A repeated key and post is replayed, also after a restart")
  func replayed() async throws {
    let map = try await SystemFixture.current.up()
    var client = try await map.client.signedUp()
    let first = try await client.post("Oslo", key: "k-1", wait: 30)
    #expect(first.status == 200 && first.headers["idempotency-replayed"] == nil)
    let token = client.token
    for round in 0..<3 {
      if round == 2 {
        try await map.ingest.restart()
        client = try map.client
        client.token = token
      }
      let second = try await client.post("Oslo", key: "k-1")
      #expect(second.status == 200 && second.headers["idempotency-replayed"] == "true")
      #expect(second["id"] == first["id"] && second["state"] == "published")
    }
    #expect(try await client.posts().count == 1)
    #expect(try await client.list().entries.count == 1)
  }
}
