import Foundation
import Ingest
import Testing

@Suite("Headers of a gateway")
struct GatewayHeaderTests {
  private static let app = "https://app.example.org"
  private static let headers = [
    "access-control-allow-origin", "access-control-expose-headers", "access-control-allow-methods",
    "access-control-allow-headers", "access-control-max-age", "vary", "strict-transport-security", "cache-control",
    "content-security-policy", "x-content-type-options",
  ]

  private func configure(_ configuration: inout IngestConfiguration) {
    configuration.origin = "https://map.example.org"
    configuration.allowedOrigins = [Self.app]
  }

  /// Expects equal headers of both responses.
  private func expectSame(_ actual: APIResponse, _ expected: APIResponse, _ comment: Comment) {
    #expect(actual.status == expected.status, comment)
    for name in Self.headers { #expect(actual.headers[name] == expected.headers[name], "\(comment): \(name)") }
  }

  @Test(
    "A gateway's own responses have ingest's CORS headers and HSTS",
    arguments: [app, "https://other.example.org", nil] as [String?])
  func own(origin: String?) async throws {
    let gateway = try await GatewayFixture(configure)
    let direct = try await gateway.ingest.client.signedUp()
    let client = gateway.client.with(gateway, token: direct.token)
    try await gateway.feedEmptyList(seq: 0)
    let headers = origin.map { ["Origin": $0] } ?? [:]
    let post = JSON.object(["place": "Oslo", "link": "https://example.org"])
    for (method, path, body) in [
      ("POST", "/v2/posts", post), ("GET", "/v2/feed", nil), ("GET", "/v2/feed?bbox=1", nil),
      ("POST", "/v2/posts", String(repeating: " ", count: 16_385)),
    ] as [(String, String, String?)] {
      let expected = try await direct.send(method, path, body: body, headers: headers)
      expectSame(try await client.send(method, path, body: body, headers: headers), expected, "\(method) \(path)")
      #expect(expected.headers["access-control-allow-origin"] == (origin == Self.app ? Self.app : nil))
      #expect(expected.headers["strict-transport-security"] != nil)
    }
  }

  @Test("A gateway answers a preflight request as ingest does, also while ingest is away")
  func preflight() async throws {
    let gateway = try await GatewayFixture(configure)
    for origin in [Self.app, "https://other.example.org"] {
      let headers = ["Origin": origin, "Access-Control-Request-Method": "POST"]
      let expected = try await gateway.ingest.client.send("OPTIONS", "/v2/posts", headers: headers)
      let actual = try await gateway.client.send("OPTIONS", "/v2/posts", headers: headers)
      expectSame(actual, expected, "\(origin)")
      #expect(expected.status == (origin == Self.app ? 204 : 405))
    }
    gateway.ingest.end()
    let headers = ["Origin": Self.app, "Access-Control-Request-Method": "POST"]
    #expect(try await gateway.client.send("OPTIONS", "/v2/posts", headers: headers).status == 204)
  }

  @Test(
    "The 503 of an unavailable ingest has the site's headers only if the gateway knows the site",
    arguments: [true, false])
  func unavailable(knowsSite: Bool) async throws {
    let gateway = try await GatewayFixture(isConnected: knowsSite, configure)
    gateway.ingest.end()
    let response = try await gateway.client.get("/v2/limits", headers: ["Origin": Self.app])
    #expect(response.status == 503 && response["code"] == "ingest_unavailable")
    #expect(response.headers["access-control-allow-origin"] == (knowsSite ? Self.app : nil))
    #expect((response.headers["strict-transport-security"] != nil) == knowsSite)
    #expect(response.headers["x-content-type-options"] == "nosniff")
  }
}

extension Client {
  /// Returns a client of the gateway with a session's token.
  fileprivate func with(_ gateway: GatewayFixture, token: String?) -> Client {
    var client = gateway.client
    client.token = token
    return client
  }
}
