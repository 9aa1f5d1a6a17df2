import Foundation
import Testing

/// Tests of searches over HTTP. Each search compares 100,000 posts with 49 values, which takes half a second of CPU
/// time or more.
@Suite("Search limits", .fixture, .enabled(if: SQL.isAvailable, "python3 is missing"))
struct SearchFloodTests {
  private static let wide = "/v2/posts?scope=all&limit=1"
  private static let ended = #"onthemap_store_scans_total{outcome="ended"}"#

  /// Searches that wait for their responses until `hangUp`.
  private final class Flood {
    private var connections: [Connection] = []

    /// - Parameter address: The client's address from a trusted proxy. Nil for this host, whose share has no limit.
    func add(_ count: Int, to port: UInt16, from address: String? = nil) async throws {
      let forwarded = address.map { "X-Forwarded-For: \($0)\r\n" } ?? ""
      let search = "GET /v1/StudentLocation?where=\(try Self.heavy()) HTTP/1.1\r\nHost: localhost\r\n\(forwarded)\r\n"
      for _ in 0..<count {
        let connection = try Connection(port: port)
        try await connection.send(Array(search.utf8))
        connections.append(connection)
      }
    }

    /// Closes all connections.
    func hangUp() { connections = [] }

    private static func heavy() throws -> String {
      let parts = (0..<49).map { #"{"mediaURL":{"$gt":"https://example.org/y\#($0)"}}"# }.joined(separator: ",")
      return try #require("{\"$or\":[\(parts)]}".addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    }
  }

  /// Starts all roles in one process, with 100,000 copies of a published post.
  private func crowded() async throws -> Services {
    let fixture = SystemFixture.current
    let map = try await fixture.up(environment: ["ONTHEMAP_TRUSTED_PROXIES": "127.0.0.1"])
    let client = try await map.client.signedUp()
    #expect(try await client.post("Oslo", wait: 60)["state"] == "published")
    try await map.ingest.kill()
    let columns = "account, place, link, state, lat_e7, lon_e7, label, country, agreement, created_ms, updated_ms"
    try SQL(fixture.path("data/onthemap.sqlite")).run(
      """
      WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 100000)
      INSERT INTO post (id, seq, \(columns)) SELECT n, n + 1, \(columns) FROM number, (SELECT * FROM post LIMIT 1)
      """)
    try await map.ingest.startAndWait()
    return map
  }

  @Test("A surplus search gets 503 with Retry-After until other clients disconnect")
  func bounded() async throws {
    let map = try await crowded()
    let client = try map.client
    let flood = Flood()
    // Two searches run, and 32 wait.
    try await eventually("a search is refused") {
      try await flood.add(40, to: try client.port)
      let response = try await client.get(Self.wide)
      guard response["code"] == "too_many_searches" else { return false }
      #expect(response.status == 503 && response.headers["retry-after"] == "2")
      return true
    }
    flood.hangUp()
    try await eventually("the abandoned searches end") { try await Scrape(map.operations[0])[Self.ended] > 0 }
    try await eventually("a search is served") { try await client.get(Self.wide).status == 200 }
  }

  @Test("A network has a limited share of searches, and other networks are served")
  func share() async throws {
    let client = try await crowded().client
    let flood = Flood()
    // One search runs, and four wait.
    try await eventually("the network's search is refused") {
      try await flood.add(8, to: try client.port, from: "203.0.113.7")
      let response = try await client.get(Self.wide, headers: ["X-Forwarded-For": "203.0.113.7"])
      return response["code"] == "too_many_searches"
    }
    let other = try await client.get(Self.wide, headers: ["X-Forwarded-For": "198.51.100.1"])
    #expect(other.status == 200, "\(String(decoding: other.body, as: UTF8.self))")
    flood.hangUp()
  }
}
