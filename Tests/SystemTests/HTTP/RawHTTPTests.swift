import Foundation
import Testing

@Suite("Malformed HTTP", .fixture, .sharedServices)
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

  /// Sends requests over a new connection.
  ///
  /// - Returns: Everything received until the server closes the connection. Throws if the server closes it only after a
  /// timeout.
  private func responses(to requests: String, port: UInt16) async throws -> String {
    // A busy machine may exceed the timeout, so the third attempt counts.
    for _ in 0..<3 {
      // The server ends an incomplete request after 10 s, and an idle connection after a minute.
      let idle = try Connection(port: port)
      try await idle.send(Array("GET /livez HT".utf8))
      let connection = try Connection(port: port)
      try await connection.send(Array(requests.utf8))
      let raw = try await connection.receive()
      if idle.isOpen { return raw }
    }
    throw TimeoutError(description: "closed only after a timeout, three times: \(requests.prefix(60))")
  }

  @Test("Malformed requests get a problem and end the connection, at ingest and at the feed")
  func garbage() async throws {
    let map = SystemFixture.shared
    let client = try await map.client.signedUp(as: "raw-1@example.org")
    for port in [try client.port, try map.feedClient.port] {
      for bytes in Self.garbage {
        let connection = try Connection(port: port)
        try await connection.send(Array(bytes.utf8))
        let raw = try await connection.receive()
        let response = try #require(APIResponse(raw: raw), "\(bytes.prefix(60)): \(raw.prefix(400))")
        let status = response.status
        #expect((400..<500).contains(status) && status != 408, "\(bytes.prefix(60)): \(status)")
        BadRequest.expectProblem(response, "\(bytes.prefix(60))")
      }
    }
    try await client.expectService()
    #expect(try await map.feedClient.get("/v2/feed").status == 200)
  }

  private static let refusals = [
    ("GARBAGE\r\n\r\n", 400, "malformed_request"), ("GET / HTTP/9.9\r\n\r\n", 400, "malformed_request"),
    ("GET / HTTP/1.1\r\nA: " + String(repeating: "a", count: 16_384) + "\r\n\r\n", 431, "headers_too_large"),
    ("GET /" + String(repeating: "a", count: 16_384) + " HTTP/1.1\r\n\r\n", 431, "headers_too_large"),
    ("GET / HTTP/1.1\r\n" + String(repeating: "A: b\r\n", count: 101) + "\r\n", 431, "headers_too_large"),
  ]

  @Test("Malformed requests and too long headers have different errors and close the connection")
  func refused() async throws {
    let map = SystemFixture.shared
    for port in [try map.client.port, try map.feedClient.port] {
      for (bytes, status, code) in Self.refusals {
        // The preceding request on the same connection gets its response first.
        let raw = try await responses(to: "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n" + bytes, port: port)
        let first = try #require(raw.range(of: "\r\n\r\n"))
        #expect(raw.hasPrefix("HTTP/1.1 204"))
        let response = try #require(APIResponse(raw: String(raw[first.upperBound...])), "\(raw)")
        #expect(response.status == status && response["code"] == code && response.headers["connection"] == "close")
        BadRequest.expectProblem(response, "\(bytes.prefix(60))")
      }
    }
  }

  @Test("A malformed request after a compatibility path gets an error in that API's form")
  func compatForm() async throws {
    let port = try SystemFixture.shared.client.port
    func refusal(_ path: String) async throws -> APIResponse {
      let connection = try Connection(port: port)
      let first = "GET \(path)?a=b HTTP/1.1\r\nHost: x\r\n\r\n"
      try await connection.send(Array((first + "GET / HTTP/9.9\r\n\r\n").utf8))
      let raw = try await connection.receive()
      let second = try #require(raw.range(of: "HTTP/1.1 400 Bad Request\r\n", options: .backwards))
      return try #require(APIResponse(raw: String(raw[second.lowerBound...])), "\(raw)")
    }
    for path in ["/v1/users/1", "//v1//users/1", "/api/session"] {
      let guarded = try await refusal(path)
      #expect(try guarded.guarded()["status"] as? Int == 400, "\(path)")
      #expect(guarded.headers["content-type"] == "application/json" && guarded.headers["connection"] == "close")
    }
    #expect(try await refusal("/parse/classes/StudentLocation").isParseError(400, 142))
    BadRequest.expectProblem(try await refusal("/v2/session"), "another API")
  }

  @Test("Repeated slashes count as one, also for the form of an error")
  func slashes() async throws {
    let port = try SystemFixture.shared.client.port
    for path in ["//v1/session", "/v1//session", "/api/session/"] {
      let connection = try Connection(port: port)
      try await connection.send(
        Array("POST \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1\r\n\r\n{".utf8))
      let response = try #require(APIResponse(raw: try await connection.receive()))
      #expect(try response.guarded()["status"] as? Int == 400, "\(path)")
    }
  }

  @Test("A half-closed client that requests an upgrade gets its response")
  func halfClosed() async throws {
    let client = try SystemFixture.shared.client
    for _ in 0..<5 {
      let connection = try Connection(port: try client.port)
      try await connection.send(
        Array("GET /livez HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n".utf8))
      connection.finish()
      let response = try #require(APIResponse(raw: try await connection.receive()))
      #expect(response.status == 204 && response.headers["connection"] == "close")
    }
    try await client.signedUp(as: "raw-2@example.org").expectService()
  }

  @Test("A client that sends Expect: 100-continue gets 100 Continue before its body")
  func expectation() async throws {
    let connection = try Connection(port: try SystemFixture.shared.client.port)
    try await connection.send(
      Array("POST /v2/session HTTP/1.1\r\nHost: x\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n".utf8))
    let line = "HTTP/1.1 100 Continue\r\n\r\n"
    #expect(try await connection.receive(line.utf8.count) == line)
    try await connection.send(Array("{}".utf8))
    connection.finish()
    #expect(try await connection.receive().hasPrefix("HTTP/1.1 422"))
  }

  @Test("Connection: close is obeyed in upper and lower case")
  func closing() async throws {
    let port = try SystemFixture.shared.client.port
    for word in ["close", "Close", "CLOSE"] {
      let raw = try await responses(
        to: "GET /livez HTTP/1.1\r\nHost: x\r\nConnection: \(word)\r\n\r\n", port: port)
      #expect(raw.hasPrefix("HTTP/1.1 204"), "\(word): \(raw)")
    }
  }

  @Test("An HTTP/1.0 connection closes after the response, unless the client keeps it alive")
  func oldVersion() async throws {
    let map = SystemFixture.shared
    for port in [try map.client.port, try map.feedClient.port] {
      for head in ["GET /v2/feed HTTP/1.0\r\n", "GET /v2/feed HTTP/1.0\r\nHost: x\r\nConnection: other\r\n"] {
        let connection = try Connection(port: port)
        try await connection.send(Array((head + "\r\n").utf8))
        #expect(try await connection.receive(12) == "HTTP/1.1 200", "\(head)")
        // Read until the server closes the connection. `some` throws if the server waits for its idle timeout of 60 s.
        while try await !connection.some(within: .seconds(60)).isEmpty {}
      }
      let kept = try Connection(port: port)
      let request = "GET /livez HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /livez HTTP/1.0\r\n\r\n"
      try await kept.send(Array(request.utf8))
      #expect(try await kept.receive().components(separatedBy: "HTTP/1.1 204").count == 3)
    }
  }

  @Test(
    "An HTTP/1.1 request needs exactly one valid Host header",
    arguments: [
      ("GET /livez HTTP/1.1\r\n", 400), ("GET /livez HTTP/1.1\r\nHost: x\r\nhost: x\r\n", 400),
      ("GET /livez HTTP/1.1\r\nHost: x\r\nHost: y\r\n", 400), ("GET /livez HTTP/1.1\r\nHost: a b\r\n", 400),
      ("GET /livez HTTP/1.1\r\nHost: a/b\r\n", 400), ("GET /livez HTTP/1.1\r\nHost: u@x\r\n", 400),
      ("GET /livez HTTP/1.0\r\nHost: x\r\nHost: x\r\n", 400), ("GET /livez HTTP/1.1\r\nHost: x\r\n", 204),
      ("GET /livez HTTP/1.1\r\nHOST: [::1]:8080\r\n", 204), ("GET /livez HTTP/1.1\r\nHost: xn--a.example.\r\n", 204),
      ("GET /livez HTTP/1.1\r\nHost:\r\n", 204), ("GET /livez HTTP/1.0\r\n", 204),
    ])
  func host(head: String, status: Int) async throws {
    let map = SystemFixture.shared
    for port in [try map.client.port, try map.feedClient.port] {
      let connection = try Connection(port: port)
      // The preceding request's response is unchanged, and later requests are not read.
      let first = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"
      try await connection.send(Array((first + head + "Connection: close\r\n\r\n" + first).utf8))
      let raw = try await connection.receive()
      let end = try #require(raw.range(of: "\r\n\r\n"))
      #expect(raw.hasPrefix("HTTP/1.1 204"))
      let response = try #require(APIResponse(raw: String(raw[end.upperBound...])), "\(raw)")
      #expect(response.status == status)
      #expect(raw.components(separatedBy: "HTTP/1.1 ").count == 3, "\(raw)")
      if status == 400 {
        #expect(response["code"] == "malformed_request" && response["detail"]?.contains("Host") == true)
        #expect(response.headers["connection"] == "close")
        BadRequest.expectProblem(response, "\(head)")
      }
    }
    let connection = try Connection(port: try map.client.port)
    try await connection.send(Array("POST /v1/session HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}".utf8))
    let response = try #require(APIResponse(raw: try await connection.receive()))
    #expect(try response.guarded()["status"] as? Int == 400, "The error must have its path's form.")
  }

  @Test("Headers at the limits are read")
  func longHeaders() async throws {
    let port = try SystemFixture.shared.client.port
    for headers in ["A: " + String(repeating: "a", count: 16_200) + "\r\n", String(repeating: "A: b\r\n", count: 98)] {
      let connection = try Connection(port: port)
      try await connection.send(Array("GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(headers)\r\n".utf8))
      #expect(try await connection.receive().hasPrefix("HTTP/1.1 204"))
    }
  }

  @Test("An upgrade request gets a plain response, and later bytes use no memory")
  func upgrade() async throws {
    let map = try await SystemFixture.current.up()
    let client = try map.client
    let pid = try #require(map.ingest.pid)
    func pages() throws -> Int {
      let figures = try String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8).split(separator: " ")
      return try #require(Int(figures[1]))
    }
    let before = try pages()
    for head in [
      "GET /livez HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n",
      "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n",
    ] {
      let connection = try Connection(port: try client.port)
      try await connection.send(Array(head.utf8))
      let response = try #require(APIResponse(raw: try await connection.receive()))
      #expect([204, 404].contains(response.status) && response.headers["connection"] == "close")
      try await connection.send([UInt8](repeating: 97, count: 100_000_000), within: .seconds(5))
    }
    #expect(try await client.get("/livez").status == 204)
    #expect(try pages() - before < 10_000, "Memory must not grow with the bytes sent (in pages).")
  }

  @Test("A body above the limit is refused before its end, chunked or with a length")
  func tooLarge() async throws {
    let map = SystemFixture.shared
    let client = try await map.client.signedUp(as: "raw-3@example.org")
    let port = try client.port
    let head = Self.posts + "Authorization: Bearer \(client.token ?? "")\r\n"
    let chunk = "1000\r\n" + String(repeating: "a", count: 4_096) + "\r\n"
    for bytes in [
      head + "Transfer-Encoding: chunked\r\n\r\n" + String(repeating: chunk, count: 5),
      head + "Content-Length: 99999999\r\n\r\n" + String(repeating: "a", count: 20_000),
    ] {
      let connection = try Connection(port: port)
      try await connection.send(Array(bytes.utf8))
      var response = ""
      // Read to the end of the problem, because the connection may stay open until its request is over.
      while !response.contains("body_too_large") {
        let more = try await connection.some(within: .seconds(120))
        if more.isEmpty { break }
        response += String(decoding: more, as: UTF8.self)
      }
      #expect(response.hasPrefix("HTTP/1.1 413") && response.contains("body_too_large"), "\(response.prefix(200))")
    }
    try await client.expectService()
  }

  @Test("Disconnects inside a request are not logged as errors")
  func hangUps() async throws {
    let map = try await SystemFixture.current.up()
    let client = try await map.client.signedUp()
    let port = try client.port
    let head = Self.posts + "Authorization: Bearer \(client.token ?? "")\r\nContent-Length: 100\r\n"
    for bytes in ["", "POST /v2/po", head, head + "\r\n", head + "\r\n{\"place\":"] {
      let connection = try Connection(port: port)
      try await connection.send(Array(bytes.utf8))
    }
    try await client.expectService()
    #expect(try await client.posts().count == 1)
    #expect(!map.ingest.standardError.contains(" error "))
  }
}
