import Foundation
import Testing

@Suite("The API's document", .stage)
struct DocumentTests {
  private static let folder = PythonExample.root.appending(path: "Tests/SystemTests/OpenAPI")
  private static let file = PythonExample.root.appending(path: "Sources/Ingest/openapi.json")
  private static let missing: Comment = ".venv is missing: deploy/setup.sh test makes it"
  private static var isReady: Bool { FileManager.default.isExecutableFile(atPath: schemathesis.path) }
  private static let schemathesis = PythonExample.root.appending(path: ".venv/bin/st")

  @Test("It is served as it lies in the sources, and as a page that may load nothing but its style")
  func served() async throws {
    let client = try await Stage.current.up().client
    let document = try await client.get("/openapi.json")
    #expect(document.status == 200 && document.headers["content-type"] == "application/json")
    #expect(document.body == (try Data(contentsOf: Self.file)))
    let page = try await client.get("/openapi")
    #expect(page.status == 200 && page.headers["content-type"] == "text/html; charset=utf-8")
    let policy = try #require(page.headers["content-security-policy"])
    #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-") && !policy.contains("unsafe"))
    #expect(String(decoding: page.body, as: UTF8.self).contains("<h1>On The Map"))
    #expect(document.headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'")
    for path in ["/openapi.json", "/openapi"] {
      let refused = try await client.send("POST", path, body: "{}")
      #expect(refused.status == 405 && refused.headers["allow"] == "GET")
    }
    #expect(String(decoding: try await client.get("/").body, as: UTF8.self).contains("/openapi"))
  }

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
    .enabled(if: isReady, missing), arguments: rules.indices)
  func isValid(index: Int) async throws {
    let rule = Self.rules[index]
    let status = try await judge(rule.old, rule.new)
    #expect(rule.complaint.isEmpty ? status.code == 0 : status.code == 1, "\(status.said)")
    #expect(rule.complaint.isEmpty || status.said.contains(rule.complaint), "\(status.said)")
  }

  private func judge(_ old: String, _ new: String) async throws -> (code: Int32, said: String) {
    let path = try copy(old, new)
    let program = try Stage.current.program(
      [Self.folder.appending(path: "document.py").path, path], executable: PythonExample.python,
      environment: ["PYTHONDONTWRITEBYTECODE": "1"])
    try program.start()
    let code = try await program.exit(within: .seconds(60))
    return (code, program.said + program.logged)
  }

  /// The document with something else in it.
  private func copy(_ old: String, _ new: String) throws -> String {
    let text = try String(contentsOf: Self.file, encoding: .utf8)
    #expect(old.isEmpty || text.contains(old), "The document has no \(old): the canary is dead.")
    let path = Stage.current.path("openapi.json")
    try Data((old.isEmpty ? text : text.replacingOccurrences(of: old, with: new)).utf8)
      .write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test(
    "Whatever a client sends, what is answered is documented, and what is wrong is refused",
    .enabled(if: isReady, missing))
  func holds() async throws {
    let client = try await Stage.current.up("--trusted-proxies", "127.0.0.1").client
    // The examples log in as somebody.
    #expect(try await client.signUp("cy@example.org", password: "correct-horse").status == 201)
    let promoted = try await Stage.current.run(
      "user", "promote", "cy@example.org", "--data", Stage.current.path("data"))
    #expect(promoted.status == 0)
    let report = Stage.current.path("report.har")
    let whole = try await explore(
      Self.file.path, client, "--report", "har", "--report-har-path", report)
    #expect(whole.code == 0, "\(whole.said)")
    #expect(whole.said.contains("Stateful") && whole.said.contains("No issues found"))
    // Who is only ever refused has been asked nothing.
    let operations = try Self.operations()
    let succeeded = try Self.succeeded(report: report, of: operations)
    #expect(operations.count > 40)
    // No provider is there, to which browsers are sent: OpenIDTests and FacebookTests go through these.
    let provided = [
      "DELETE /v2/account/identities/{id}", "GET /v2/login/oidc", "GET /v2/login/oidc/callback",
      "POST /v2/account/identities",
    ]
    #expect(Set(operations).subtracting(succeeded).sorted() == provided, "No request of these went well.")
  }

  /// "GET /v2/posts/{id}": all that the document has.
  private static func operations() throws -> [String] {
    let root = try object(try JSONSerialization.jsonObject(with: Data(contentsOf: file)))
    let shared = try object(object(root["components"])["pathItems"])
    return try object(root["paths"]).flatMap { path, item in
      let item = try object(item)
      let name = (item["$ref"] as? String)?.split(separator: "/").last.map(String.init)
      let methods = try name.map { try object(shared[$0]) } ?? item
      return methods.keys.filter { $0 != "parameters" && $0 != "$ref" }.map { "\($0.uppercased()) \(path)" }
    }
  }

  /// Those that were answered 2xx, by the HTTP archive of a run.
  private static func succeeded(report: String, of operations: [String]) throws -> Set<String> {
    struct Archive: Decodable {
      struct Log: Decodable { let entries: [Entry] }
      struct Entry: Decodable {
        struct Request: Decodable { let method, url: String }
        struct Response: Decodable { let status: Int }
        let request: Request
        let response: Response
      }
      let log: Log
    }
    let archive = try JSONDecoder().decode(Archive.self, from: Data(contentsOf: URL(fileURLWithPath: report)))
    var found: Set<String> = []
    for entry in archive.log.entries where (200..<300).contains(entry.response.status) {
      guard let path = URLComponents(string: entry.request.url)?.percentEncodedPath else { continue }
      let operation = "\(entry.request.method) \(path)"
      // One that names the path itself comes before one with a parameter in it.
      let template = operation.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
      found.insert(operations.contains(operation) ? operation : "\(template)/{id}")
    }
    return found
  }

  private static func object(_ value: Any?) throws -> [String: Any] { try #require(value as? [String: Any]) }

  @Test("An answer that is not documented is found", .enabled(if: isReady, missing))
  func canary() async throws {
    let client = try await Stage.current.up().client
    let document = try copy(#""required": ["version"]"#, #""required": ["version", "nothing"]"#)
    let found = try await explore(document, client, "--include-operation-id", "version", "--phases", "coverage")
    #expect(found.code == 1 && found.said.contains("ST108 Response violates schema: 1"), "\(found.said)")
  }

  private func explore(
    _ document: String, _ client: Client, _ more: String...
  ) async throws -> (code: Int32, said: String) {
    let program = try Stage.current.program(
      // It keeps what it has learned in its folder.
      ["-C", Stage.current.folder.path, Self.schemathesis.path]
        + ["--config-file", Self.folder.appending(path: "schemathesis.toml").path, "run", document]
        + ["--url", client.base, "--no-color"] + more,
      executable: URL(fileURLWithPath: "/usr/bin/env"),
      environment: [
        "ONTHEMAP_API": client.base, "PYTHONPATH": Self.folder.path, "PYTHONDONTWRITEBYTECODE": "1",
      ])
    try program.start()
    let code = try await program.exit(within: .seconds(300))
    return (code, program.said + program.logged)
  }
}
