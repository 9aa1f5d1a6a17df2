import Foundation
import Testing

@Suite("The feed's list over HTTP", .stage)
struct FeedListTests {
  /// Byte for byte: the library would unpack what it gets.
  private func get(
    _ client: Client, _ method: String = "GET", path: String = "/v2/feed", _ headers: String = ""
  ) async throws -> (head: String, body: [UInt8]) {
    let connection = try Connection(port: client.port)
    let request = "\(method) \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(headers)\r\n"
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
    let stage = Stage.current
    try Data(bytes).write(to: URL(fileURLWithPath: stage.path("packed.gz")))
    let program = try stage.program(
      ["gzip", "-dc", stage.path("packed.gz")], executable: URL(fileURLWithPath: "/usr/bin/env"))
    try program.start()
    #expect(try await program.exit() == 0)
    return program.said
  }

  @Test("Packed it is the same list, with a tag of its own, and either tag says that it is known")
  func packed() async throws {
    let map = try await Stage.current.up()
    let feed = try map.feedClient
    #expect(try await map.client.signedUp().post("東京", wait: 10)["state"] == "published")
    try await eventually("the feed has it") { try await feed.list().seq == 1 }
    let plain = try await get(feed)
    let packed = try await get(feed, "GET", "Accept-Encoding: br, gzip;q=0.8\r\n")
    #expect(plain.head.hasPrefix("HTTP/1.1 200") && field("content-encoding", of: plain.head) == nil)
    #expect(packed.head.hasPrefix("HTTP/1.1 200") && field("content-encoding", of: packed.head) == "gzip")
    #expect(try await gunzip(packed.body) == String(decoding: plain.body, as: UTF8.self))
    #expect(packed.body.count < plain.body.count)
    #expect(try await get(feed, "GET", "Accept-Encoding: gzip;q=0\r\n").body == plain.body)
    let tags = try [plain, packed].map { try #require(field("etag", of: $0.head)) }
    #expect(tags[1] == tags[0].dropLast() + "-gzip\"")
    for answer in [plain, packed] {
      #expect(
        field("vary", of: answer.head) == "Accept-Encoding" && field("cache-control", of: answer.head) == "no-cache")
      #expect(field("access-control-allow-origin", of: answer.head) == "*")
      #expect(field("access-control-expose-headers", of: answer.head)?.contains("ETag") == true)
      #expect(field("content-length", of: answer.head) == "\(answer.body.count)")
    }
    for (index, accepted) in ["", "Accept-Encoding: gzip\r\n"].enumerated() {
      for tag in tags + ["W/" + tags[0], "\"x\", " + tags[1], "*"] {
        let known = try await get(feed, "GET", "If-None-Match: \(tag)\r\n" + accepted)
        #expect(known.head.hasPrefix("HTTP/1.1 304") && known.body.isEmpty, "\(tag)")
        #expect(["content-type", "content-encoding"].allSatisfy { field($0, of: known.head) == nil })
        #expect(field("etag", of: known.head) == tags[index] && field("vary", of: known.head) == "Accept-Encoding")
      }
      let other = try await get(feed, "GET", "If-None-Match: \"x\"\r\n" + accepted)
      #expect(other.head.hasPrefix("HTTP/1.1 200"))
      let head = try await get(feed, "HEAD", accepted)
      #expect(head.head.hasPrefix("HTTP/1.1 200") && head.body.isEmpty && field("etag", of: head.head) == tags[index])
    }
    #expect(try await map.client.signedUp(as: "bob@example.org").post("Oslo", wait: 10)["state"] == "published")
    try await eventually("the tag is another one") {
      try await get(feed, "GET", "If-None-Match: \(tags[0])\r\n").head.hasPrefix("HTTP/1.1 200")
    }
  }

  @Test("A browser may ask from any page, also with headers of its own")
  func preflight() async throws {
    let feed = try await Stage.current.up().feedClient
    for path in ["/v2/feed", "/v2/feed/stream"] {
      let answer = try await get(
        feed, "OPTIONS", path: path,
        "Origin: https://example.org\r\nAccess-Control-Request-Method: GET\r\n"
          + "Access-Control-Request-Headers: last-event-id\r\n")
      #expect(answer.head.hasPrefix("HTTP/1.1 204"))
      #expect(field("access-control-allow-origin", of: answer.head) == "*")
      #expect(field("access-control-allow-headers", of: answer.head)?.contains("Last-Event-ID") == true)
      #expect(field("access-control-allow-methods", of: answer.head) == "GET, HEAD")
      let refused = try await get(feed, "DELETE", path: path)
      #expect(refused.head.hasPrefix("HTTP/1.1 405") && field("allow", of: refused.head) == "GET, OPTIONS")
    }
  }
}
