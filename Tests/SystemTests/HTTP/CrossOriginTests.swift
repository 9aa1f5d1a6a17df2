import Foundation
import Testing

@Suite("Cross-origin settings", .fixture)
struct CrossOriginTests {
  @Test("An invalid --cors-origins value is refused at start")
  func setting() async throws {
    for text in ["app.example.org", "https://app.example.org/", "*", "https://a b"] {
      let ran = try await SystemFixture.current.run(
        "ingest", "--cors-origins", text, "--data", SystemFixture.current.path("x"))
      #expect(
        ran.status != 0
          && ran.log.contains("(ONTHEMAP_CORS_ORIGINS) must be origins without a path"), "\(ran.log)")
    }
  }

  @Test("Behind TLS, cookies are Secure and host-bound, and responses have HSTS")
  func secure() async throws {
    let map = try await SystemFixture.current.up("--public-url", "https://map.example.org")
    let response = try await map.client.signUp("ada@example.org")
    let cookie = try #require(response.headers["set-cookie"])
    for part in ["__Host-otm=", "Path=/", "Secure", "HttpOnly", "SameSite=Lax"] { #expect(cookie.contains(part)) }
    #expect(!cookie.contains("Domain"))
    #expect(response.headers["strict-transport-security"] == "max-age=63072000")
    #expect(map.ingest.standardError.contains("set ONTHEMAP_TRUSTED_PROXIES"))
    #expect(try await map.feedClient.get("/v2/feed").headers["strict-transport-security"] == nil)
  }
}
