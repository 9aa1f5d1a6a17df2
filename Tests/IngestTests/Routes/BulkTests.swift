import Foundation
import Testing

@Suite("Bulk posts", .bothFronts)
struct BulkTests {
  private func line(_ place: String, _ more: [String: Any] = [:]) -> String {
    JSON.object(["place": place, "link": "example.org"].merging(more) { $1 })
  }

  private func send(_ lines: [String], _ client: Client, headers: [String: String] = [:]) async throws -> APIResponse {
    let type = ["Content-Type": "application/x-ndjson"]
    return try await client.send(
      "POST", "/v2/posts/bulk", body: lines.joined(separator: "\n"), headers: headers.merging(type) { $1 })
  }

  private func objects(_ response: APIResponse) throws -> [[String: Any]] {
    #expect(response.status == 200 && response.headers["content-type"] == "application/x-ndjson")
    return try response.body.split(separator: UInt8(ascii: "\n")).map { line in
      try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
    }
  }

  @Test("Each line gets its result in order, and an invalid line does not affect valid lines")
  func mixed() async throws {
    let client = try await IngestFixture().client.signedUp()
    let lines = [
      line("Oslo"), "{", "", line(""), "\r", line("Rome", ["latitude": 41.9, "longitude": 12.5]),
      line("Bonn", ["link": "ftp://a.b"]),
      "{\"place\":\"Lima\"}", line("Lima") + "\r",
    ]
    let results = try objects(try await send(lines, client))
    #expect(results.map { $0["status"] as? Int } == [202, 400, 422, 202, 422, 422, 202])
    #expect(
      results.map { $0["code"] as? String ?? "" }
        == ["", "invalid_json", "invalid_place", "", "invalid_link", "missing_field", ""])
    let ids = results.compactMap { $0["id"] as? String }
    try await eventually("all posts are on the map") { try await client.list().entries.count == 3 }
    #expect(try await client.posts().map(\.id) == ids)
  }

  @Test("A repeated bulk request with the same key creates no post twice")
  func retried() async throws {
    let client = try await IngestFixture().client.signedUp()
    let lines = [line("Oslo"), line("Oslo"), line("Rome", ["idempotencyKey": "mine"])]
    let key = ["Idempotency-Key": String(repeating: "k", count: 255)]
    let first = try objects(try await send(lines, client, headers: key))
    #expect(first.map { $0["status"] as? Int } == [202, 202, 202])
    let second = try objects(try await send(lines, client, headers: key))
    #expect(second.map { $0["status"] as? Int } == [200, 200, 200])
    #expect(second.map { $0["id"] as? String } == first.map { $0["id"] as? String })
    let other = try objects(try await send([line("Lima"), lines[2]], client, headers: key))
    #expect(other.map { $0["code"] as? String } == ["idempotency_key_reused", nil])
    #expect(try objects(try await send(lines, client)).map { $0["status"] as? Int } == [202, 202, 200])
    #expect(try await client.posts().count == 5)
  }

  @Test("A bulk request has 1 to 1,000 lines and a limited size")
  func limits() async throws {
    let client = try await IngestFixture().client.signedUp()
    let lines = Array(repeating: line("Oslo"), count: 1_000)
    let spaced = lines.flatMap { ["\r", $0, ""] }
    #expect(try objects(try await send(spaced, client)).count == 1_000)
    let tooMany = try await send(lines + [line("Oslo")], client)
    #expect(tooMany.status == 413 && tooMany["code"] == "too_many_lines")
    for lines in [[], ["", " "]] {
      let none = try await send(lines, client)
      #expect(none.status == 400 && none["code"] == "empty_body")
    }
    let long = try await send([String(repeating: " ", count: 1_048_577)], client)
    #expect(long.status == 413 && long["code"] == "body_too_large")
    #expect(try await client.posts().count == 1_000)
  }

  @Test("Bulk posts need a session")
  func stranger() async throws {
    let client = try IngestFixture().client
    #expect(try await send([line("Oslo")], client).status == 401)
  }
}
