import Foundation
import Testing

@Suite("The feed's list over HTTP", .fixture)
struct FeedListTests {
  /// Returns the response's head and its body as received. The HTTP library would decompress the body.
  private func get(
    _ client: Client, _ method: String = "GET", _ headers: String = ""
  ) async throws -> (head: String, body: [UInt8]) {
    let connection = try Connection(port: client.port)
    let request = "\(method) /v2/feed HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(headers)\r\n"
    try await connection.send(Array(request.utf8))
    let bytes = try await connection.bytes(nil)
    let end = try #require(bytes.firstRange(of: Array("\r\n\r\n".utf8)))
    return (String(decoding: bytes[..<end.lowerBound], as: UTF8.self), Array(bytes[end.upperBound...]))
  }

  private func field(_ name: String, of head: String) -> String? {
    head.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix(name + ": ") }.map {
      String($0.dropFirst(name.count + 2))
    }
  }

  private func gunzip(_ bytes: [UInt8]) async throws -> String {
    let fixture = SystemFixture.current
    try Data(bytes).write(to: URL(fileURLWithPath: fixture.path("packed.gz")))
    let program = try fixture.program(
      ["gzip", "-dc", fixture.path("packed.gz")], executable: URL(fileURLWithPath: "/usr/bin/env"))
    try program.start()
    #expect(try await program.exit() == 0)
    return program.standardOutput
  }

  @Test("The feed serves a new post plain and gzipped, and no body for HEAD, 304 and preflight")
  func served() async throws {
    let map = try await SystemFixture.current.up()
    let feed = try map.feedClient
    #expect(try await map.client.signedUp().post("東京", wait: 30)["state"] == "published")
    try await eventually("the feed has the post") { try await feed.list().seq == 1 }
    let plain = try await get(feed)
    let packed = try await get(feed, "GET", "Accept-Encoding: br, gzip;q=0.8\r\n")
    for response in [plain, packed] {
      #expect(response.head.hasPrefix("HTTP/1.1 200"))
      #expect(field("content-length", of: response.head) == "\(response.body.count)")
    }
    #expect(field("content-encoding", of: packed.head) == "gzip")
    #expect(try await gunzip(packed.body) == String(decoding: plain.body, as: UTF8.self))
    let tag = try #require(field("etag", of: plain.head))
    let known = try await get(feed, "GET", "If-None-Match: \(tag)\r\n")
    #expect(known.head.hasPrefix("HTTP/1.1 304") && known.body.isEmpty)
    let head = try await get(feed, "HEAD")
    #expect(head.head.hasPrefix("HTTP/1.1 200") && head.body.isEmpty)
    let preflight = try await get(feed, "OPTIONS")
    #expect(preflight.head.hasPrefix("HTTP/1.1 204") && preflight.body.isEmpty)
    #expect(try await map.client.signedUp(as: "bob@example.org").post("Oslo", wait: 30)["state"] == "published")
    try await eventually("the entity tag has changed") {
      try await get(feed, "GET", "If-None-Match: \(tag)\r\n").head.hasPrefix("HTTP/1.1 200")
    }
  }
}
