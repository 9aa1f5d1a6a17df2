import Foundation
import Testing

/// Searches over HTTP that compare 100,000 posts with 49 values each: half a second of a core, or more.
@Suite("A flood of searches", .stage, .enabled(if: SQL.isAvailable, "python3 is missing"))
struct SearchFloodTests {
  private static let wide = "/v2/posts?scope=all&limit=1"
  private static let ended = #"onthemap_store_scans_total{outcome="ended"}"#

  /// Searches that wait for their answers, until `hangUp`.
  private final class Flood {
    private var connections: [Connection] = []

    /// - Parameter address: that a trusted proxy names; nil for this machine, which has no share.
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

  /// Everything in one process, with 100,000 copies of a post on the map.
  private func crowded() async throws -> Services {
    let stage = SystemFixture.current
    let map = try await stage.up(environment: ["ONTHEMAP_TRUSTED_PROXIES": "127.0.0.1"])
    let client = try await map.client.signedUp()
    #expect(try await client.post("Oslo", wait: 60)["state"] == "published")
    try await map.ingest.kill()
    let columns = "account, place, link, state, lat_e7, lon_e7, label, country, agreement, created_ms, updated_ms"
    try SQL(stage.path("data/onthemap.sqlite")).run(
      """
      WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 100000)
      INSERT INTO post (id, seq, \(columns)) SELECT n, n + 1, \(columns) FROM number, (SELECT * FROM post LIMIT 1)
      """)
    try await map.ingest.startAndWait()
    return map
  }

  @Test("One too many gets 503 with Retry-After; those whose clients hang up end, and the next one is served")
  func bounded() async throws {
    let map = try await crowded()
    let client = try map.client
    let flood = Flood()
    // Two run, 32 wait.
    try await eventually("a search is refused") {
      try await flood.add(40, to: try client.port)
      let answer = try await client.get(Self.wide)
      guard answer["code"] == "too_many_searches" else { return false }
      #expect(answer.status == 503 && answer.headers["retry-after"] == "2")
      return true
    }
    flood.hangUp()
    try await eventually("their searches end") { try await Scrape(map.operations[0])[Self.ended] > 0 }
    try await eventually("a search is served") { try await client.get(Self.wide).status == 200 }
  }

  @Test("One address has a share, and another one is served beside it")
  func share() async throws {
    let client = try await crowded().client
    let flood = Flood()
    // One runs, four wait.
    try await eventually("its search is refused") {
      try await flood.add(8, to: try client.port, from: "203.0.113.7")
      let answer = try await client.get(Self.wide, headers: ["X-Forwarded-For": "203.0.113.7"])
      return answer["code"] == "too_many_searches"
    }
    let other = try await client.get(Self.wide, headers: ["X-Forwarded-For": "198.51.100.1"])
    #expect(other.status == 200, "\(String(decoding: other.body, as: UTF8.self))")
    flood.hangUp()
  }
}
