import Foundation
import Testing

@Suite("Page settings", .fixture)
struct PageTests {
  @Test("Behind TLS, the page gets no guessed feed URL")
  func feed() async throws {
    let map = try await SystemFixture.current.up(
      "--public-url", "https://map.example.org", "--trusted-proxies", "127.0.0.1")
    #expect(try await map.client.get("/v2/page").object["feed"] is NSNull)
  }

  @Test(
    "Invalid URLs of the feed and of tiles are refused at start",
    arguments: [
      ["--public-feed-url", "feed.example.org"], ["--public-feed-url", "https://feed.example.org/"],
      ["--tiles", "https://tile.example.org/{z}/{x}.png", "--tiles-attribution", "a"],
      ["--tiles", "https://tile.example.org/{z}/{x}/{y}/{y}.png", "--tiles-attribution", "a"],
      ["--tiles", "javascript:{z}{x}{y}", "--tiles-attribution", "a"],
      ["--tiles", "https://tile.example.org/{z}/{x}/{y}.png"],
    ])
  func settings(arguments: [String]) async throws {
    let ran = try await SystemFixture.current.run(["ingest"] + arguments + ["--data", SystemFixture.current.path("x")])
    #expect(ran.status != 0 && ran.log.contains("(ONTHEMAP_"), "\(ran.log)")
  }
}
