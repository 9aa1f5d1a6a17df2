import Foundation
import Testing

@Suite("Security headers", .bothFronts)
struct HeaderTests {
  /// The headers that every response must have, from a route or from the service.
  private static let needed = [
    "x-content-type-options": "nosniff", "referrer-policy": "no-referrer", "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin", "cache-control": "no-store",
  ]

  @Test("Every route sends all security headers, on success and on errors")
  func everyRoute() async throws {
    let map = try IngestFixture()
    let ada = try await map.client.signedUp()
    let document = try await map.client.get("/openapi.json").object
    let paths = try #require(document["paths"] as? [String: Any]).keys.sorted()
    #expect(paths.count > 20)
    var responses = 0
    for path in paths + ["/nothing/here", "/v2/nothing"] {
      let path = path.replacing(#/\{[A-Za-z]+\}/#, with: "4D5ox566Xg")
      for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"] {
        // Skip the logout here: the clients need their session to the end.
        guard !(method == "DELETE" && path.hasPrefix("/v2/session")) else { continue }
        for client in [ada, map.client] {
          let response = try await client.send(method, path, body: method.hasPrefix("P") ? "{}" : nil)
          responses += 1
          // A client keeps the list with its tag.
          let hasTag = response.headers["etag"] != nil
          #expect(hasTag == (path == "/v2/feed" && ["GET", "HEAD"].contains(method)))
          // Browsers may keep the page's documents, and ask before they use them.
          let isPage = response.headers["content-type"]?.hasPrefix("text/html") == true && !path.hasPrefix("/openapi")
          let isKept = hasTag || isPage || ["/manifest.webmanifest", "/sw.js"].contains(path) && response.status == 200
          for (name, value) in Self.needed {
            let expected = isKept && name == "cache-control" ? "no-cache" : value
            #expect(response.headers[name] == expected, "\(method) \(path): \(response.status) \(name)")
          }
          let policy = response.headers["content-security-policy"] ?? ""
          #expect(policy.hasPrefix("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "\(path)")
          #expect(response.status < 500 && (method != "TRACE" || response.status >= 400), "\(method) \(path)")
          if response.status != 204, !response.body.isEmpty { #expect(response.headers["content-type"] != nil) }
        }
      }
    }
    #expect(responses > 300)
    let logout = try await ada.send("DELETE", "/v2/session")
    for (name, value) in Self.needed { #expect(logout.headers[name] == value) }
  }
}
