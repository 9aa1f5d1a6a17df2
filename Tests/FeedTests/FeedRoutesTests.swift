import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import Web

@Suite("Routes of the feed")
struct FeedRoutesTests {
  private static let paths = ["/v2/feed", "/v2/feed/stream"]

  @Test("A page of any origin may read the list and the stream, also with custom headers", arguments: paths)
  func preflight(path: String) async throws {
    let response = try await FeedFixture().send(
      .options, path,
      [
        .origin: "https://example.org", .accessControlRequestMethod: "GET",
        .accessControlRequestHeaders: "last-event-id",
      ])
    #expect(response.status == .noContent)
    #expect(response.headers[.accessControlAllowOrigin] == "*")
    #expect(response.headers[.accessControlAllowHeaders]?.contains("Last-Event-ID") == true)
    #expect(response.headers[.accessControlAllowMethods] == "GET, HEAD")
  }

  @Test("The feed refuses other methods of the list and the stream, and names the allowed ones", arguments: paths)
  func methods(path: String) async throws {
    let response = try await FeedFixture().send(.delete, path)
    #expect(response.status == .methodNotAllowed && response.headers[.allow] == "GET, OPTIONS")
  }

  @Test("The feed answers an unknown path with a complete problem and the headers that browsers need")
  func unknown() async throws {
    let response = try await FeedFixture().send(.get, "/v2/nothing")
    let json = try JSONSerialization.jsonObject(with: Data(response.body.readableBytesView))
    let problem = try #require(json as? [String: Any])
    func text(_ name: String) -> String? { problem[name] as? String }
    #expect(response.status == .notFound && text("code") == "not_found")
    #expect(response.headers[.contentType] == "application/problem+json")
    #expect(problem["status"] as? Int == response.status.code)
    #expect(text("title")?.isEmpty == false && text("detail")?.isEmpty == false)
    #expect(text("type")?.hasSuffix("not_found") == true)
    #expect(response.headers[.xContentTypeOptions] == "nosniff")
    #expect(response.headers[.referrerPolicy] == "no-referrer")
    #expect(response.headers[.cacheControl] == "no-store")
    #expect(response.headers[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
  }
}
