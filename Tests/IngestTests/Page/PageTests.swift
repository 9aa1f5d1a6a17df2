import Foundation
import Ingest
import Testing
import Web

@Suite("Page files over HTTP")
struct PageTests {
  private let html = ["Accept": "text/html,application/xhtml+xml"]

  @Test("GET / returns the page to browsers and plain text to other clients, with Vary")
  func index() async throws {
    let client = try IngestFixture().client
    let page = try await client.get("/", headers: html)
    #expect(page.status == 200 && page.headers["content-type"] == "text/html; charset=utf-8")
    #expect(page.headers["cache-control"] == "no-cache" && page.headers["vary"]?.contains("Accept") == true)
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
    #expect(paths.contains { $0.hasSuffix("/index.en.js") } && paths.contains { $0.hasSuffix("/style/index.css") })
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

  @Test("A document has one script with all its modules, and one style sheet")
  func joined() async throws {
    let client = try IngestFixture().client
    for (path, script) in [("/", "index.en.js"), ("/admin", "admin.en.js")] {
      let text = String(decoding: try await client.get(path, headers: html).body, as: UTF8.self)
      #expect(text.matches(of: /<script/).count == 1 && text.matches(of: /rel="stylesheet"/).count == 1)
      let root = try #require(text.firstMatch(of: /\/page\/[0-9a-f]{16}/)).output
      let joined = String(decoding: try await client.get("\(root)/\(script)").body, as: UTF8.self)
      #expect(joined.contains("class Session ") && joined.contains("function request("))
      #expect(joined.matches(of: #/(?m)^(?:import|export) /#).isEmpty)
      #expect(try await client.get("\(root)/account/session.js").status == 404, "It is a part of the script.")
      let style = try #require(text.firstMatch(of: /href="([^"]+\.css)"/)).1
      let rules = String(decoding: try await client.get(String(style)).body, as: UTF8.self)
      #expect(rules.contains("--paper:") && !rules.contains("@import"))
    }
  }

  @Test(
    "A document has the language of the cookie, then of the browser, then English",
    arguments: [
      (nil, nil, "en"), (nil, "de-CH,de;q=0.9,en;q=0.8", "de"), (nil, "en-GB,de;q=0.5", "en"),
      (nil, "xx, de;q=0.2, en;q=0.4", "en"), (nil, "de;q=0, en", "en"), ("de", "en", "de"), ("xx", "de", "de"),
    ] as [(String?, String?, String)])
  func language(cookie: String?, browser: String?, expected: String) async throws {
    var headers = html
    headers["Cookie"] = cookie.map { "language=\($0)" }
    headers["Accept-Language"] = browser
    let page = try await IngestFixture().client.get("/table", headers: headers)
    let text = String(decoding: page.body, as: UTF8.self)
    #expect(text.contains("<html lang=\"\(expected)\">") && text.contains("/index.\(expected).js\""))
    #expect(text.contains(expected == "de" ? ">Karte</" : ">Map</") && !text.contains("data-text"))
    #expect(page.headers["content-language"] == expected)
    #expect(page.headers["vary"]?.contains("Accept-Language, Cookie") == true)
  }

  @Test("A document preloads the list of a public map only")
  func preload() async throws {
    let list = "<link rel=\"preload\" href=\"/v2/feed\""
    let open = try await IngestFixture().client.get("/", headers: html)
    #expect(String(decoding: open.body, as: UTF8.self).contains(list))
    let closed = try await IngestFixture { $0.page.mapAccess = .members(nil) }.client.get("/", headers: html)
    #expect(!String(decoding: closed.body, as: UTF8.self).contains(list))
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
    #expect(policy.contains("manifest-src 'self'; worker-src 'self'; "))
    #expect(policy.hasSuffix("frame-ancestors 'none'") && !policy.contains("unsafe") && !policy.contains("data:"))
    let start = try await client.get("/v2/page").object
    #expect(start["account"] is NSNull && start["feed"] as? String == feed)
    #expect((start["tiles"] as? [String: Any])?["attribution"] as? String == "© Example https://example.org")
    // A hostile Host header does not reach the policy.
    let strange = try await client.get("/", headers: html.merging(["Host": "a b; script-src *"]) { $1 })
    #expect(strange.headers["content-security-policy"]?.contains("script-src *") != true)
  }

  @Test("The manifest and the service worker have fixed addresses and name files of their own version")
  func installation() async throws {
    let client = try IngestFixture().client
    let page = String(decoding: try await client.get("/", headers: html).body, as: UTF8.self)
    let root = try #require(page.firstMatch(of: /\/page\/[0-9a-f]{16}/)).output
    let manifest = try await client.get("/manifest.webmanifest")
    #expect(manifest.headers["content-type"] == "application/manifest+json")
    let icons = try #require(manifest.object["icons"] as? [[String: String]])
    #expect(Set(icons.map { $0["sizes"] }) == ["192x192", "512x512", "any"])
    for icon in icons {
      let source = try #require(icon["src"])
      let file = try await client.get(source)
      #expect(source.hasPrefix(root) && file.status == 200 && file.headers["content-type"] == icon["type"], "\(source)")
    }
    let worker = try await client.get("/sw.js")
    #expect(worker.headers["content-type"] == "text/javascript; charset=utf-8")
    #expect(String(decoding: worker.body, as: UTF8.self).contains("\"\(root)/\""))
    #expect(worker.headers["content-security-policy"]?.contains("connect-src 'self';") == true)
    for answer in [manifest, worker] { #expect(answer.headers["cache-control"] == "no-cache") }
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
