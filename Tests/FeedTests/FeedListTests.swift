import HTTPTypes
import HummingbirdTesting
import NIOCore
import StubServers
import Testing
import Web

@testable import Feed

@Suite("List of the feed over HTTP")
struct FeedListTests {
  /// Headers of requests for the plain and for the compressed list.
  private static let requestHeaders: [HTTPFields] = [[:], [.acceptEncoding: "gzip"]]

  private let fixture: FeedFixture

  init() throws {
    fixture = try FeedFixture()
    try fixture.latest.post("JP", place: "東京")
  }

  private func list(_ headers: HTTPFields = [:], method: HTTPRequest.Method = .get) async throws -> TestResponse {
    try await fixture.send(method, "/v2/feed", headers)
  }

  /// Returns the tags of the plain and the compressed list.
  private func readTags() async throws -> [String] {
    var tags: [String] = []
    for accepted in Self.requestHeaders { tags.append(try #require(try await list(accepted).headers[.eTag])) }
    return tags
  }

  @Test("A client that accepts gzip gets the same list in fewer bytes")
  func compressed() async throws {
    let plain = try await list()
    let compressed = try await list([.acceptEncoding: "br, gzip;q=0.8"])
    #expect(plain.status == .ok && plain.headers[.contentEncoding] == nil)
    #expect(compressed.status == .ok && compressed.headers[.contentEncoding] == "gzip")
    #expect(gunzip(Array(compressed.body.readableBytesView), sizeMax: 65_536) == Array(plain.body.readableBytesView))
    #expect(String(buffer: plain.body).contains("東京"))
    #expect(compressed.body.readableBytes < plain.body.readableBytes)
    let refusing = try await list([.acceptEncoding: "gzip;q=0"])
    #expect(refusing.body == plain.body)
  }

  @Test("Each encoding of the list has its own ETag, and caching and CORS headers")
  func headers() async throws {
    let responses = [try await list(), try await list([.acceptEncoding: "br, gzip;q=0.8"])]
    let tags = try responses.map { try #require($0.headers[.eTag]) }
    #expect(tags[1] == tags[0].dropLast() + "-gzip\"")
    for response in responses {
      #expect(response.headers[.vary] == "Accept-Encoding" && response.headers[.cacheControl] == "no-cache")
      #expect(response.headers[.accessControlAllowOrigin] == "*")
      #expect(response.headers[.accessControlExposeHeaders]?.contains("ETag") == true)
      #expect(response.headers[.contentLength] == "\(response.body.readableBytes)")
    }
  }

  @Test("A client that sends a current tag gets 304 without a body")
  func known() async throws {
    let tags = try await readTags()
    for (index, accepted) in Self.requestHeaders.enumerated() {
      for tag in tags + ["W/" + tags[0], "\"x\", " + tags[1], "*"] {
        var headers = accepted
        headers[.ifNoneMatch] = tag
        let known = try await list(headers)
        #expect(known.status == .notModified && known.body.readableBytes == 0, "\(tag)")
        #expect(known.headers[.contentType] == nil && known.headers[.contentEncoding] == nil)
        #expect(known.headers[.eTag] == tags[index] && known.headers[.vary] == "Accept-Encoding")
      }
    }
  }

  @Test("A client that sends an unknown or old tag gets the list")
  func unknown() async throws {
    for accepted in Self.requestHeaders {
      var headers = accepted
      headers[.ifNoneMatch] = "\"x\""
      let other = try await list(headers)
      #expect(other.status == .ok)
    }
    let tags = try await readTags()
    try fixture.latest.post()
    let changed = try await list([.ifNoneMatch: tags[0]])
    #expect(changed.status == .ok)
  }

  @Test("A HEAD request gets the tag of the accepted encoding and no body")
  func head() async throws {
    let tags = try await readTags()
    for (index, accepted) in Self.requestHeaders.enumerated() {
      let head = try await list(accepted, method: .head)
      #expect(head.status == .ok && head.body.readableBytes == 0 && head.headers[.eTag] == tags[index])
    }
  }
}
