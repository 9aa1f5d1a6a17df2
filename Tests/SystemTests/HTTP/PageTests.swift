import Foundation
import Testing

@Suite("The page, as it is served", .stage)
struct PageTests {
  @Test("With TLS in front nobody guesses where the feed is")
  func feed() async throws {
    let map = try await SystemFixture.current.up("--origin", "https://map.example.org", "--trusted-proxies", "127.0.0.1")
    #expect(try await map.client.get("/v2/page").object["feed"] is NSNull)
  }

  @Test(
    "What is no address of a feed or of tiles is no setting",
    arguments: [
      ["--feed-url", "feed.example.org"], ["--feed-url", "https://feed.example.org/"],
      ["--tiles", "https://tile.example.org/{z}/{x}.png", "--tiles-attribution", "a"],
      ["--tiles", "https://tile.example.org/{z}/{x}/{y}/{y}.png", "--tiles-attribution", "a"],
      ["--tiles", "javascript:{z}{x}{y}", "--tiles-attribution", "a"],
      ["--tiles", "https://tile.example.org/{z}/{x}/{y}.png"],
    ])
  func settings(arguments: [String]) async throws {
    let ran = try await SystemFixture.current.run(["ingest"] + arguments + ["--data", SystemFixture.current.path("x")])
    #expect(ran.status != 0 && ran.logged.contains("(ONTHEMAP_"), "\(ran.logged)")
  }
}
