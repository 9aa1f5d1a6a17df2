import Foundation
import Testing

@Suite("The page, as it is served", .stage)
struct PageTests {
  private let html = ["Accept": "text/html,application/xhtml+xml"]

  @Test("Browsers get the page at /, other clients a few lines; caches know the difference")
  func index() async throws {
    let client = try await Stage.current.up().client
    let page = try await client.get("/", headers: html)
    #expect(page.status == 200 && page.headers["content-type"] == "text/html; charset=utf-8")
    #expect(page.headers["cache-control"] == "no-store" && page.headers["vary"]?.contains("Accept") == true)
    let lines = try await client.get("/", headers: ["Accept": "*/*"])
    #expect(lines.headers["content-type"] == "text/plain; charset=utf-8")
    #expect(lines.headers["vary"]?.contains("Accept") == true)
    #expect(try await client.get("/admin").headers["content-type"] == "text/html; charset=utf-8")
  }

  @Test("Its files are kept for good under the digest of them all, packed or plain, and unknown under another")
  func files() async throws {
    let client = try await Stage.current.up().client
    let text = String(decoding: try await client.get("/", headers: html).body, as: UTF8.self)
    let paths = text.matches(of: #/(?:src|href)="(\/page\/[0-9a-f]{16}\/[^"]+)"/#).map { String($0.1) }
    #expect(paths.contains { $0.hasSuffix("/main.js") } && paths.contains { $0.hasSuffix("/leaflet/leaflet.css") })
    #expect(paths.contains { $0.hasSuffix("/latest/hash.js") }, "Modules that modules lead to come at once.")
    for path in Set(paths) {
      let file = try await client.get(path)
      #expect(file.status == 200 && !file.body.isEmpty, "\(path)")
      #expect(file.headers["cache-control"] == "public, max-age=31536000, immutable", "\(path)")
    }
    let old = try #require(paths.first).replacing(#/[0-9a-f]{16}/#, with: "0123456789abcdef")
    for path in [old, "/page", "/page/", "\(paths[0])x"] {
      #expect(try await client.get(path).status == 404, "\(path)")
    }
  }

  @Test("Its policy lets nothing in but what is configured")
  func policy() async throws {
    let stage = Stage.current
    let map = try await stage.up(
      "--tiles", "https://tile.example.org/{z}/{x}/{y}.png", "--tiles-attribution", "© Example https://example.org")
    let client = try map.client
    let feed = try map.feedClient.base
    let policy = try #require(try await client.get("/", headers: html).headers["content-security-policy"])
    #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'; "))
    #expect(policy.contains("img-src 'self' https://tile.example.org; connect-src 'self' \(feed);"))
    #expect(policy.hasSuffix("frame-ancestors 'none'") && !policy.contains("unsafe") && !policy.contains("data:"))
    let start = try await client.get("/v2/page").object
    #expect(start["account"] is NSNull && start["feed"] as? String == feed)
    #expect((start["tiles"] as? [String: Any])?["attribution"] as? String == "© Example https://example.org")
    // Who names another host gets no header of his making.
    let strange = try await client.get("/", headers: html.merging(["Host": "a b; script-src *"]) { $1 })
    #expect(strange.headers["content-security-policy"]?.contains("script-src *") != true)
  }

  @Test("With TLS in front nobody guesses where the feed is")
  func feed() async throws {
    let map = try await Stage.current.up("--origin", "https://map.example.org", "--trusted-proxies", "127.0.0.1")
    #expect(try await map.client.get("/v2/page").object["feed"] is NSNull)
  }

  @Test("With TLS in front the operator says where the feed is")
  func feedURL() async throws {
    let map = try await Stage.current.up(
      "--origin", "https://map.example.org", "--trusted-proxies", "127.0.0.1", "--feed-url", "https://feed.example.org")
    #expect(try await map.client.get("/v2/page").object["feed"] as? String == "https://feed.example.org")
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
    let ran = try await Stage.current.run(["ingest"] + arguments + ["--data", Stage.current.path("x")])
    #expect(ran.status != 0 && ran.logged.contains("(ONTHEMAP_"), "\(ran.logged)")
  }
}
