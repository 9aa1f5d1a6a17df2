import Foundation
import Testing

@Suite("The feed's API document", .fixture)
struct FeedDocumentTests {
  private let api = DocumentedAPI.feed
  private static let key = "0123456789abcdef0123456789abcdef"

  /// Changes to the document, each with a part of the expected error, which is empty for a valid document.
  private static let rules: [(old: String, new: String, error: String)] = [
    ("", "", ""), (##""#/components/schemas/Delta""##, ##""#/components/schemas/Nobody""##, "Nobody"),
    (#"{\"stale\":true}"#, #"{\"stale\":5}"#, "5 is not of type 'boolean'"),
    (#"\"prevSeq\":3"#, #"\"prevSeq\":-3"#, "-3 is less than the minimum"),
  ]

  @Test(
    "The document is valid OpenAPI 3.1, and its examples match its schemas",
    .enabled(if: DocumentedAPI.isReady, DocumentedAPI.missing), arguments: rules.indices)
  func isValid(index: Int) async throws {
    let rule = Self.rules[index]
    let status = try await api.validate(rule.old, rule.new)
    #expect(rule.error.isEmpty ? status.code == 0 : status.code == 1, "\(status.output)")
    #expect(rule.error.isEmpty || status.output.contains(rule.error), "\(status.output)")
  }

  /// Starts a members-only map with some posts, so that streams end with their tickets.
  private func membersOnlyMap() async throws -> Services {
    let map = try await SystemFixture.current.up(
      "--map-access", "members", environment: ["ONTHEMAP_MAP_ACCESS_SECRET": Self.key])
    let client = try await map.client.signedUp()
    for place in ["Oslo", "Lima", "Costa Rica"] {
      #expect(try await client.post(place, wait: 30)["state"] == "published")
    }
    return map
  }

  @Test(
    "Every response is documented, and every invalid request is refused",
    .enabled(if: DocumentedAPI.isReady, DocumentedAPI.missing))
  func holds() async throws {
    let client = try await membersOnlyMap().feedClient
    let report = SystemFixture.current.path("report.har")
    let whole = try await api.explore(
      nil, client, "--report", "har", "--report-har-path", report,
      environment: ["ONTHEMAP_MAP_ACCESS_SECRET": Self.key])
    #expect(whole.code == 0 && whole.output.contains("No issues found"), "\(whole.output)")
    // An operation that only refuses has not been tested.
    let operations = try api.operations()
    let succeeded = try api.succeeded(report: report, of: operations)
    #expect(operations.count == 8 && Set(operations).subtracting(succeeded).sorted() == [])
  }

  @Test("The check detects an undocumented event", .enabled(if: DocumentedAPI.isReady, DocumentedAPI.missing))
  func canary() async throws {
    let client = try await membersOnlyMap().feedClient
    let document = try api.copy(#""required": ["epoch", "seq", "#, #""required": ["nothing", "epoch", "seq", "#)
    let found = try await api.explore(
      document, client, "--include-operation-id", "feedStream", "--phases", "coverage",
      environment: ["ONTHEMAP_MAP_ACCESS_SECRET": Self.key])
    #expect(found.code == 1 && found.output.contains("snapshot: 'nothing' is a required property"), "\(found.output)")
  }
}
