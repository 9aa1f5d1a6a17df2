import Foundation
import Testing

@Suite("Ingest's API document", .fixture)
struct DocumentTests {
  private let api = DocumentedAPI.ingest

  /// Changes to the document, each with a part of the expected error, which is empty for a valid document.
  private static let rules: [(old: String, new: String, error: String)] = [
    ("", "", ""),
    (#""summary": "Sign up""#, #""summary": 1"#, "summary"),
    (##""#/components/schemas/Account""##, ##""#/components/schemas/Nobody""##, "Nobody"),
    (#""state": "published""#, #""state": "lost""#, "'lost' is not one of"),
    (#"\"registered\":true"#, #"\"registered\":5"#, "True was expected"),
    (#"{\"place\":\"Oslo\""#, #"{\"place\":5"#, "5 is not of type 'string'"),
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

  @Test(
    "Every response is documented, and every invalid request is refused",
    .enabled(if: DocumentedAPI.isReady, DocumentedAPI.missing), arguments: Front.allCases)
  func holds(front: Front) async throws {
    let client = try await SystemFixture.current.up(behind: front, "--trusted-proxies", "127.0.0.1")
    // The examples log in to this account.
    #expect(try await client.signUp("cy@example.org", password: "correct-horse").status == 201)
    let promoted = try await SystemFixture.current.run(
      "user", "promote", "cy@example.org", "--data", SystemFixture.current.path("data"))
    #expect(promoted.status == 0)
    let report = SystemFixture.current.path("report.har")
    let whole = try await api.explore(
      nil, client, "--report", "har", "--report-har-path", report)
    #expect(whole.code == 0, "\(whole.output)")
    #expect(whole.output.contains("Stateful") && whole.output.contains("No issues found"))
    // An operation that only refuses has not been tested.
    let operations = try api.operations()
    let succeeded = try api.succeeded(report: report, of: operations)
    #expect(operations.count > 40)
    // No provider is configured for browser logins, and no mail server: OpenIDTests, FacebookTests and RecoveryTests
    // cover these operations. No operation's response leads to the page of a pin: PinAddressTests covers it.
    let provided = [
      "DELETE /v2/account/identities/{id}", "GET /pin/{id}", "GET /v2/login/oidc", "GET /v2/login/oidc/callback",
      "POST /v2/account/confirmation", "POST /v2/account/identities", "POST /v2/recovery", "PUT /v2/confirmation",
      "PUT /v2/recovery",
    ]
    #expect(Set(operations).subtracting(succeeded).sorted() == provided, "These operations never succeeded.")
  }

  @Test("The check detects an undocumented response", .enabled(if: DocumentedAPI.isReady, DocumentedAPI.missing))
  func canary() async throws {
    let client = try await SystemFixture.current.up().client
    let document = try api.copy(#""required": ["version"]"#, #""required": ["version", "nothing"]"#)
    let found = try await api.explore(document, client, "--include-operation-id", "version", "--phases", "coverage")
    #expect(found.code == 1 && found.output.contains("ST108 Response violates schema: 1"), "\(found.output)")
  }
}
