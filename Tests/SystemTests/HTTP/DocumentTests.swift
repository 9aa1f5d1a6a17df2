import Foundation
import Testing

@Suite("The API's document", .stage)
struct DocumentTests {
  private let api = DocumentedAPI.ingest

  /// A document, and a word of what is to be said of it; nothing where it is right.
  private static let rules: [(old: String, new: String, complaint: String)] = [
    ("", "", ""),
    (#""summary": "Sign up""#, #""summary": 1"#, "summary"),
    (##""#/components/schemas/Account""##, ##""#/components/schemas/Nobody""##, "Nobody"),
    (#""state": "published""#, #""state": "lost""#, "'lost' is not one of"),
    (#"\"registered\":true"#, #"\"registered\":5"#, "True was expected"),
    (#"{\"place\":\"Oslo\""#, #"{\"place\":5"#, "5 is not of type 'string'"),
  ]

  @Test(
    "It is OpenAPI 3.1, and its examples are what its schemas say",
    .enabled(if: DocumentedAPI.isReady, DocumentedAPI.missing), arguments: rules.indices)
  func isValid(index: Int) async throws {
    let rule = Self.rules[index]
    let status = try await api.judge(rule.old, rule.new)
    #expect(rule.complaint.isEmpty ? status.code == 0 : status.code == 1, "\(status.said)")
    #expect(rule.complaint.isEmpty || status.said.contains(rule.complaint), "\(status.said)")
  }

  @Test(
    "Whatever a client sends, what is answered is documented, and what is wrong is refused",
    .enabled(if: DocumentedAPI.isReady, DocumentedAPI.missing))
  func holds() async throws {
    let client = try await SystemFixture.current.up("--trusted-proxies", "127.0.0.1").client
    // The examples log in as somebody.
    #expect(try await client.signUp("cy@example.org", password: "correct-horse").status == 201)
    let promoted = try await SystemFixture.current.run(
      "user", "promote", "cy@example.org", "--data", SystemFixture.current.path("data"))
    #expect(promoted.status == 0)
    let report = SystemFixture.current.path("report.har")
    let whole = try await api.explore(
      nil, client, "--report", "har", "--report-har-path", report)
    #expect(whole.code == 0, "\(whole.said)")
    #expect(whole.said.contains("Stateful") && whole.said.contains("No issues found"))
    // Who is only ever refused has been asked nothing.
    let operations = try api.operations()
    let succeeded = try api.succeeded(report: report, of: operations)
    #expect(operations.count > 40)
    // No provider is there, to which browsers are sent: OpenIDTests and FacebookTests go through these.
    let provided = [
      "DELETE /v2/account/identities/{id}", "GET /v2/login/oidc", "GET /v2/login/oidc/callback",
      "POST /v2/account/identities",
    ]
    #expect(Set(operations).subtracting(succeeded).sorted() == provided, "No request of these went well.")
  }

  @Test("An answer that is not documented is found", .enabled(if: DocumentedAPI.isReady, DocumentedAPI.missing))
  func canary() async throws {
    let client = try await SystemFixture.current.up().client
    let document = try api.copy(#""required": ["version"]"#, #""required": ["version", "nothing"]"#)
    let found = try await api.explore(document, client, "--include-operation-id", "version", "--phases", "coverage")
    #expect(found.code == 1 && found.said.contains("ST108 Response violates schema: 1"), "\(found.said)")
  }
}
