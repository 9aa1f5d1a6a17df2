import Foundation
import Ingest
import Testing

@Suite("Pages of other sites")
struct CrossOriginTests {
  private let app = "https://app.example.org"

  private func cors(_ answer: APIResponse) -> [String] { answer.headers.keys.filter { $0.hasPrefix("access-control") } }

  @Test("By default no page of another origin may read an answer, and nobody is told what it might send")
  func closed() async throws {
    let client = try IngestFixture().client
    for origin in [app, "null", Client.base] {
      let asked = ["Origin": origin, "Access-Control-Request-Method": "POST"]
      for answer in [
        try await client.get("/v2/feed", headers: asked), try await client.get("/v2/posts", headers: asked),
        try await client.send("OPTIONS", "/v2/posts", headers: asked),
      ] { #expect(cors(answer).isEmpty && answer.headers["vary"] == nil) }
      #expect(try await client.send("OPTIONS", "/v2/posts", headers: asked).status == 405)
    }
  }

  @Test(
    "An origin that is named may use the API, and none that only looks like it",
    arguments: [
      ("https://app.example.org", true), ("http://localhost:3000", true), ("http://app.example.org", false),
      ("https://app.example.org:8443", false), ("https://app.example.org.example.com", false),
      ("https://xapp.example.org", false), ("https://APP.example.org", false), ("null", false), ("*", false),
      ("https://app.example.org/", false),
    ])
  func named(origin: String, isNamed: Bool) async throws {
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
    for answer in [preflight, signUp, refused] {
      #expect(answer.headers["access-control-allow-origin"] == (isNamed ? origin : nil))
      #expect(answer.headers["access-control-allow-credentials"] == nil, "Cookies stay at home.")
      #expect(answer.headers["vary"] == "Origin")
    }
    #expect(preflight.status == (isNamed ? 204 : 405) && signUp.status == (isNamed ? 201 : 403))
    if isNamed {
      #expect(preflight.headers["access-control-allow-methods"]?.contains("DELETE") == true)
      #expect(preflight.headers["access-control-allow-headers"]?.contains("Authorization") == true)
      #expect(refused.headers["access-control-expose-headers"]?.contains("Retry-After") == true)
    }
  }

  @Test(
    "A browser that another site has sent is refused where it comes with the cookie, whatever it says of itself",
    arguments: [
      (["Sec-Fetch-Site": "cross-site"], false), (["Sec-Fetch-Site": "same-site"], false),
      (["Sec-Fetch-Site": "none"], true), (["Sec-Fetch-Site": "same-origin"], true),
      (["Origin": "https://evil.example.org"], false), (["Origin": "null"], false), (["Origin": "http://HOST"], true),
      (["Sec-Fetch-Site": "cross-site", "Origin": "http://HOST"], false),
      (["Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "cross-site"], false),
      (["Content-Type": "text/plain", "Origin": "https://evil.example.org"], false), ([:], true),
    ])
  func forged(headers: [String: String], isTaken: Bool) async throws {
    let client = try IngestFixture().client
    let bearer = try await client.signedUp()
    let cookie = "otm=\(try #require(bearer.token))"
    let host = Client.base.dropFirst("http://".count)
    let own = headers.mapValues { $0.replacing("HOST", with: host) }
    let posted = try await client.post("Oslo", headers: own.merging(["Cookie": cookie]) { $1 })
    #expect(posted.status == (isTaken ? 202 : 403) && posted["code"] == (isTaken ? nil : "cross_site"))
    // With a token nobody else can have sent it.
    #expect(try await bearer.post("Oslo", headers: own).status == 202)
  }

  @Test(
    "An origin counts with its scheme where the operator has named one",
    arguments: [
      ("https://map.example.org", "https://map.example.org", true), ("https://map.example.org", "https://HOST", true),
      ("https://map.example.org", "http://map.example.org", false), ("https://map.example.org", "http://HOST", false),
      ("https://map.example.org", "null", false), ("https://map.example.org", "HOST", false),
      ("http://map.example.org", "http://HOST", true), ("http://map.example.org", "https://HOST", false),
      ("", "http://HOST", true), ("", "https://HOST", true), ("", "ftp://HOST", false), ("", "HOST", false),
      ("", "http://x/HOST", false), ("", "null", false),
    ])
  func scheme(named: String, origin: String, isTaken: Bool) async throws {
    let client = try IngestFixture { $0.origin = named }.client
    let name = named.hasPrefix("https://") ? "__Host-otm" : "otm"
    let cookie = "\(name)=\(try #require(try await client.signedUp().token))"
    let headers = ["Origin": origin.replacing("HOST", with: Client.base.dropFirst("http://".count)), "Cookie": cookie]
    #expect(try await client.post("Oslo", headers: headers).status == (isTaken ? 202 : 403))
  }
}
