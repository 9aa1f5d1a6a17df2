import Foundation
import Ingest
import Testing

@Suite("Page files over HTTP")
struct PageTests {
  private let html = ["Accept": "text/html,application/xhtml+xml"]

  @Test("GET / returns the page to browsers and plain text to other clients, with Vary")
  func index() async throws {
    let client = try IngestFixture().client
    let page = try await client.get("/", headers: html)
    #expect(page.status == 200 && page.headers["content-type"] == "text/html; charset=utf-8")
    #expect(page.headers["cache-control"] == "no-store" && page.headers["vary"]?.contains("Accept") == true)
    let lines = try await client.get("/", headers: ["Accept": "*/*"])
    #expect(lines.headers["content-type"] == "text/plain; charset=utf-8")
    #expect(lines.headers["vary"]?.contains("Accept") == true)
    #expect(try await client.get("/admin").headers["content-type"] == "text/html; charset=utf-8")
  }

  @Test("Page files are immutable under the digest of all files, and missing under another digest")
  func files() async throws {
    let client = try IngestFixture().client
    let text = String(decoding: try await client.get("/", headers: html).body, as: UTF8.self)
    let paths = text.matches(of: #/(?:src|href)="(\/page\/[0-9a-f]{16}\/[^"]+)"/#).map { String($0.1) }
    #expect(paths.contains { $0.hasSuffix("/main.js") } && paths.contains { $0.hasSuffix("/leaflet/leaflet.css") })
    #expect(
      paths.contains { $0.hasSuffix("/latest/hash.js") }, "The page must preload the modules that its modules import.")
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

  @Test("The page's content security policy allows only configured sources")
  func policy() async throws {
    let client = try IngestFixture {
      $0.page.feed = .port { 7_701 }
      $0.page.tiles = PageConfiguration.Tiles(
        url: "https://tile.example.org/{z}/{x}/{y}.png", attribution: "© Example https://example.org")
    }.client
    let feed = "http://localhost:7701"
    let policy = try #require(try await client.get("/", headers: html).headers["content-security-policy"])
    #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'; "))
    #expect(policy.contains("img-src 'self' https://tile.example.org; connect-src 'self' \(feed);"))
    #expect(policy.hasSuffix("frame-ancestors 'none'") && !policy.contains("unsafe") && !policy.contains("data:"))
    let start = try await client.get("/v2/page").object
    #expect(start["account"] is NSNull && start["feed"] as? String == feed)
    #expect((start["tiles"] as? [String: Any])?["attribution"] as? String == "© Example https://example.org")
    // A hostile Host header does not reach the policy.
    let strange = try await client.get("/", headers: html.merging(["Host": "a b; script-src *"]) { $1 })
    #expect(strange.headers["content-security-policy"]?.contains("script-src *") != true)
  }

  @Test("The operator's feed URL is passed to the page")
  func feedURL() async throws {
    let map = try IngestFixture {
      $0.origin = "https://map.example.org"
      $0.page.feed = .origin("https://feed.example.org")
    }
    #expect(try await map.client.get("/v2/page").object["feed"] as? String == "https://feed.example.org")
  }
}
