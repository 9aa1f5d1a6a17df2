import Foundation
import Ingest
import Testing

@Suite("Cross-origin requests", .bothFronts)
struct CrossOriginTests {
  private let app = "https://app.example.org"

  private func cors(_ response: APIResponse) -> [String] {
    response.headers.keys.filter { $0.hasPrefix("access-control") }
  }

  @Test("Responses have no CORS headers by default, and preflight requests give 405")
  func closed() async throws {
    let client = try IngestFixture().client
    for origin in [app, "null", Client.base] {
      let preflight = ["Origin": origin, "Access-Control-Request-Method": "POST"]
      for response in [
        try await client.get("/v2/feed", headers: preflight), try await client.get("/v2/posts", headers: preflight),
        try await client.send("OPTIONS", "/v2/posts", headers: preflight),
      ] { #expect(cors(response).isEmpty && response.headers["vary"]?.contains("Origin") != true) }
      #expect(try await client.send("OPTIONS", "/v2/posts", headers: preflight).status == 405)
    }
  }

  @Test(
    "An allowed origin may use the API, and a similar one may not",
    arguments: [
      ("https://app.example.org", true), ("http://localhost:3000", true), ("http://app.example.org", false),
      ("https://app.example.org:8443", false), ("https://app.example.org.example.com", false),
      ("https://xapp.example.org", false), ("https://APP.example.org", false), ("null", false), ("*", false),
      ("https://app.example.org/", false),
    ])
  func allowed(origin: String, isAllowed: Bool) async throws {
    let client = try IngestFixture { $0.allowedOrigins = [app, "http://localhost:3000"] }.client
    let preflight = try await client.send(
      "OPTIONS", "/v2/posts",
      headers: [
        "Origin": origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization",
      ])
    let signUp = try await client.send(
      "POST", "/v2/accounts",
      body: JSON.object(["email": "a@example.org", "password": Client.password, "firstName": "Ada"]),
      headers: ["Origin": origin, "Sec-Fetch-Site": "cross-site"])
    let refused = try await client.get("/v2/posts", headers: ["Origin": origin])
    for response in [preflight, signUp, refused] {
      #expect(response.headers["access-control-allow-origin"] == (isAllowed ? origin : nil))
      #expect(response.headers["access-control-allow-credentials"] == nil, "CORS must not allow cookies.")
      #expect(response.headers["vary"] == "Origin")
    }
    #expect(preflight.status == (isAllowed ? 204 : 405) && signUp.status == (isAllowed ? 201 : 403))
    if isAllowed {
      #expect(preflight.headers["access-control-allow-methods"]?.contains("DELETE") == true)
      #expect(preflight.headers["access-control-allow-headers"]?.contains("Authorization") == true)
      #expect(refused.headers["access-control-expose-headers"]?.contains("Retry-After") == true)
    }
  }

  @Test(
    "A cookie request from another site is refused, and a bearer request is accepted",
    arguments: [
      (["Sec-Fetch-Site": "cross-site"], false), (["Sec-Fetch-Site": "same-site"], false),
      (["Sec-Fetch-Site": "none"], true), (["Sec-Fetch-Site": "same-origin"], true),
      (["Origin": "https://evil.example.org"], false), (["Origin": "null"], false), (["Origin": "http://HOST"], true),
      (["Sec-Fetch-Site": "cross-site", "Origin": "http://HOST"], false),
      (["Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "cross-site"], false),
      (["Content-Type": "text/plain", "Origin": "https://evil.example.org"], false), ([:], true),
    ])
  func forged(headers: [String: String], isAccepted: Bool) async throws {
    let client = try IngestFixture().client
    let bearer = try await client.signedUp()
    let cookie = "otm=\(try #require(bearer.token))"
    let host = Client.base.dropFirst("http://".count)
    let own = headers.mapValues { $0.replacing("HOST", with: host) }
    let posted = try await client.post("Oslo", headers: own.merging(["Cookie": cookie]) { $1 })
    #expect(posted.status == (isAccepted ? 202 : 403) && posted["code"] == (isAccepted ? nil : "cross_site"))
    // No other site can send the token.
    #expect(try await bearer.post("Oslo", headers: own).status == 202)
  }

  @Test(
    "The configured public URL's scheme decides which origins are same-site",
    arguments: [
      ("https://map.example.org", "https://map.example.org", true), ("https://map.example.org", "https://HOST", true),
      ("https://map.example.org", "http://map.example.org", false), ("https://map.example.org", "http://HOST", false),
      ("https://map.example.org", "null", false), ("https://map.example.org", "HOST", false),
      ("http://map.example.org", "http://HOST", true), ("http://map.example.org", "https://HOST", false),
      ("", "http://HOST", true), ("", "https://HOST", true), ("", "ftp://HOST", false), ("", "HOST", false),
      ("", "http://x/HOST", false), ("", "null", false),
    ])
  func scheme(publicURL: String, origin: String, isAccepted: Bool) async throws {
    let client = try IngestFixture { $0.origin = publicURL }.client
    let name = publicURL.hasPrefix("https://") ? "__Host-otm" : "otm"
    let cookie = "\(name)=\(try #require(try await client.signedUp().token))"
    let headers = ["Origin": origin.replacing("HOST", with: Client.base.dropFirst("http://".count)), "Cookie": cookie]
    #expect(try await client.post("Oslo", headers: headers).status == (isAccepted ? 202 : 403))
  }
}
