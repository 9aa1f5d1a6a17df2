import Foundation
import Testing

@Suite("Feed readiness", .fixture)
struct FeedReadinessTests {
  /// Returns the responses of both addresses of the feed to `/readyz`: a status, and "ready" or a code.
  private func readiness(_ map: Services) async throws -> [String] {
    var responses: [String] = []
    for client in [try map.feedClient, try map.operations[1]] {
      #expect(try await client.get("/livez").status == 204, "The feed must be live with any list.")
      let response = try await client.get("/readyz")
      #expect((response.headers["retry-after"] == nil) == (response.status == 200))
      let isReady = response.status == 200
      let word = isReady ? String(decoding: response.body, as: UTF8.self) : try #require(response["code"])
      responses.append("\(response.status) \(word)")
    }
    return responses
  }

  @Test("A feed is ready while ingest replies, and not ready while the feed's list is stale")
  func stale() async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    let (ready, stale) = (Array(repeating: "200 ready\n", count: 2), Array(repeating: "503 feed_stale", count: 2))
    try await eventually("the feed is ready") { try await readiness(map) == ready }
    map.ingest.signal(SIGSTOP)
    try await eventually("the feed's list is stale") { try await readiness(map) == stale }
    #expect(try await map.feedClient.get("/v2/feed").status == 200, "The feed must still serve the list.")
    // The feed serves the list from its snapshot file, but is not ready with it.
    try await map.feed?.restart()
    #expect(try await readiness(map) == stale)
    map.ingest.signal(SIGCONT)
    try await eventually("the feed is ready again") { try await readiness(map) == ready }
  }

  @Test("A feed that has no list is live but not ready, at both addresses, and reports ingest's silence")
  func empty() async throws {
    let fixture = SystemFixture.current
    let (port, operationsPort) = (try Port.free(), try Port.free())
    let feed = try fixture.program([
      "feed", "--ingest", "tcp://127.0.0.1:\(try Port.free())", "--publish", "tcp://127.0.0.1:*", "--query",
      "tcp://127.0.0.1:*", "--http", "127.0.0.1:\(port)", "--operations", "127.0.0.1:\(operationsPort)", "--data",
      "none",
    ])
    try feed.start()
    for client in [Client("http://127.0.0.1:\(port)"), Client("http://127.0.0.1:\(operationsPort)")] {
      try await eventually("the feed listens, and has no list") {
        (try? await client.get("/readyz"))?["code"] == "feed_unavailable"
      }
      let response = try await client.get("/readyz")
      #expect(response.status == 503 && response.headers["retry-after"] == "2")
      #expect(try await client.get("/livez").status == 204)
    }
    let operations = Client("http://127.0.0.1:\(operationsPort)")
    try await eventually("the age of ingest's last reply rises without any reply") {
      try await Scrape(operations)["onthemap_feed_ingest_reply_age_seconds"] > 1
    }
    #expect(feed.ready.isEmpty)
  }
}
