import Foundation
import Testing

@Suite("Bytes that are no good HTTP", .stage)
struct RawHTTPTests {
  private static let posts = "POST /v2/posts HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"

  private static let garbage = [
    "GARBAGE\r\n\r\n", "GET\r\n\r\n", "GET /v2/feed HTTP/9.9\r\n\r\n", "\0\u{1}\u{2}\u{3}\0\0\0\0\r\n\r\n",
    "GET /v2/feed HTTP/1.1\r\nBad Header\r\n\r\n", "GET /v2/feed HTTP/1.1\r\nA: \0\r\n\r\n",
    "GET /v2/feed HTTP/1.1\r\nX: " + String(repeating: "a", count: 200_000) + "\r\n\r\n",
    "GET /" + String(repeating: "a", count: 200_000) + " HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\n" + String(repeating: "A: b\r\n", count: 20_000) + "\r\n",
    posts + "Content-Length: abc\r\n\r\n{}", posts + "Content-Length: -1\r\n\r\n{}",
    posts + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
    posts + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    posts + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n",
    posts + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
    "\u{16}\u{3}\u{1}\0\u{5}\u{1}\0\0\u{1}\u{3}\u{3}", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  ]

  @Test("Garbage is answered 4xx or hung up on, at ingest and at the feed, and both go on")
  func garbage() async throws {
    let map = try await Stage.current.up()
    let client = try await map.client.signedUp()
    for port in [try client.port, try map.feedClient.port] {
      for bytes in Self.garbage {
        let connection = try Connection(port: port)
        try await connection.send(Array(bytes.utf8))
        let answer = try await connection.receive(within: .seconds(1))
        #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4"), "\(bytes.prefix(60)): \(answer.prefix(200))")
      }
    }
    try await client.expectService()
    #expect(try await map.feedClient.get("/v2/feed").status == 200)
  }

  @Test("A body over the limit is refused, in chunks or with its length told, without waiting for its end")
  func tooLarge() async throws {
    let map = try await Stage.current.up()
    let client = try await map.client.signedUp()
    let port = try client.port
    let head = Self.posts + "Authorization: Bearer \(client.token ?? "")\r\n"
    let chunk = "1000\r\n" + String(repeating: "a", count: 4_096) + "\r\n"
    for bytes in [
      head + "Transfer-Encoding: chunked\r\n\r\n" + String(repeating: chunk, count: 5),
      head + "Content-Length: 99999999\r\n\r\n" + String(repeating: "a", count: 20_000),
    ] {
      let connection = try Connection(port: port)
      try await connection.send(Array(bytes.utf8))
      let answer = try await connection.receive(within: .seconds(2))
      #expect(answer.hasPrefix("HTTP/1.1 413") && answer.contains("body_too_large"), "\(answer.prefix(200))")
    }
    try await client.expectService()
  }

  @Test("Clients that hang up in the middle are no error of the server's")
  func hangUps() async throws {
    let map = try await Stage.current.up()
    let client = try await map.client.signedUp()
    let port = try client.port
    let head = Self.posts + "Authorization: Bearer \(client.token ?? "")\r\nContent-Length: 100\r\n"
    for bytes in ["", "POST /v2/po", head, head + "\r\n", head + "\r\n{\"place\":"] {
      let connection = try Connection(port: port)
      try await connection.send(Array(bytes.utf8))
    }
    try await client.expectService()
    #expect(try await client.posts().count == 1)
    #expect(!map.ingest.logged.contains(" error "))
  }
}
