import Foundation
import Testing

@Suite("Ingest's API document over HTTP")
struct ServedDocumentTests {
  @Test("The document is served unchanged, and as a page that uses only its own style sheet")
  func served() async throws {
    let client = try IngestFixture().client
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/Ingest/openapi.json")
    let document = try await client.get("/openapi.json")
    #expect(document.status == 200 && document.headers["content-type"] == "application/json")
    #expect(document.body == (try Data(contentsOf: file)))
    let page = try await client.get("/openapi")
    #expect(page.status == 200 && page.headers["content-type"] == "text/html; charset=utf-8")
    let policy = try #require(page.headers["content-security-policy"])
    #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-") && !policy.contains("unsafe"))
    #expect(String(decoding: page.body, as: UTF8.self).contains("<h1>On The Map"))
    #expect(document.headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'")
    for path in ["/openapi.json", "/openapi"] {
      let refused = try await client.send("POST", path, body: "{}")
      #expect(refused.status == 405 && refused.headers["allow"] == "GET")
    }
    #expect(String(decoding: try await client.get("/").body, as: UTF8.self).contains("/openapi"))
  }
}
