import Foundation
import Testing

@Suite("A feed's health checks", .stage)
struct FeedReadinessTests {
  /// Returns the answers of both addresses of the feed to `/readyz`: a status, and "ready" or a code.
  private func readiness(_ map: Services) async throws -> [String] {
    var said: [String] = []
    for client in [try map.feedClient, try map.operations[1]] {
      #expect(try await client.get("/livez").status == 204, "Whatever the list is, the process lives.")
      let answer = try await client.get("/readyz")
      #expect((answer.headers["retry-after"] == nil) == (answer.status == 200))
      let word = answer.status == 200 ? String(decoding: answer.body, as: UTF8.self) : try #require(answer["code"])
      said.append("\(answer.status) \(word)")
    }
    return said
  }

  @Test("It is ready while ingest answers, not when its list is stale, and again when ingest is back")
  func stale() async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    let (ready, stale) = (Array(repeating: "200 ready\n", count: 2), Array(repeating: "503 feed_stale", count: 2))
    try await eventually("it is ready") { try await readiness(map) == ready }
    map.ingest.signal(SIGSTOP)
    try await eventually("its list is stale") { try await readiness(map) == stale }
    #expect(try await map.feedClient.get("/v2/feed").status == 200, "It still serves the list.")
    // The feed serves a list that it has kept on disk, but is not ready with it.
    try await map.feed?.restart()
    #expect(try await readiness(map) == stale)
    map.ingest.signal(SIGCONT)
    try await eventually("it is ready again") { try await readiness(map) == ready }
  }

  @Test("Without any list it is not ready, and lives")
  func empty() async throws {
    let stage = SystemFixture.current
    let port = try Port.free()
    let feed = try stage.program([
      "feed", "--ingest", "tcp://127.0.0.1:\(try Port.free())", "--publish", "tcp://127.0.0.1:*", "--query",
      "tcp://127.0.0.1:*", "--http", "127.0.0.1:\(port)", "--operations", "none", "--data", "none",
    ])
    try feed.start()
    let client = Client("http://127.0.0.1:\(port)")
    try await eventually("it listens") { (try? await client.get("/livez").status) == 204 }
    let answer = try await client.get("/readyz")
    #expect(answer.status == 503 && answer["code"] == "feed_unavailable" && answer.headers["retry-after"] == "2")
  }
}
