import Foundation
import Testing

/// An OpenAPI document in the sources, and the tools that compare it with a running service.
struct DocumentedAPI {
  static let ingest = DocumentedAPI(service: "Ingest", settings: "schemathesis.toml", examples: 50)
  static let feed = DocumentedAPI(service: "Feed", settings: "feed.toml", examples: 15)

  static let missing: Comment = ".venv is missing: deploy/setup.sh test makes it"
  static var isReady: Bool { FileManager.default.isExecutableFile(atPath: schemathesis.path) }
  private static let folder = PythonExample.root.appending(path: "Tests/SystemTests/OpenAPI")
  private static let schemathesis = PythonExample.root.appending(path: ".venv/bin/st")

  private let file: URL
  private let settings: String
  private let examples: Int

  /// - Parameters:
  ///   - settings: The schemathesis settings, a file beside its hooks.
  ///   - examples: The minimum number of examples in the document.
  private init(service: String, settings: String, examples: Int) {
    file = PythonExample.root.appending(path: "Sources/\(service)/openapi.json")
    self.settings = settings
    self.examples = examples
  }

  /// Checks a changed document against OpenAPI, and its examples against its schemas.
  func validate(_ old: String, _ new: String) async throws -> (code: Int32, output: String) {
    let path = try copy(old, new)
    let program = try SystemFixture.current.program(
      [Self.folder.appending(path: "document.py").path, path, "\(examples)"], executable: PythonExample.python,
      environment: ["PYTHONDONTWRITEBYTECODE": "1"])
    try program.start()
    let code = try await program.exit()
    return (code, program.standardOutput + program.standardError)
  }

  /// Writes a changed document. Returns its path.
  func copy(_ old: String, _ new: String) throws -> String {
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(old.isEmpty || text.contains(old), "The document has no \(old): the check tests nothing.")
    let path = SystemFixture.current.path("openapi.json")
    try Data((old.isEmpty ? text : text.replacingOccurrences(of: old, with: new)).utf8)
      .write(to: URL(fileURLWithPath: path))
    return path
  }

  /// Compares a service's responses with a document. Nil stands for the document in the sources.
  func explore(
    _ document: String? = nil, _ client: Client, _ more: String..., environment: [String: String] = [:]
  ) async throws -> (code: Int32, output: String) {
    let program = try SystemFixture.current.program(
      // Schemathesis keeps its data in the current folder.
      ["-C", SystemFixture.current.folder.path, Self.schemathesis.path]
        + ["--config-file", Self.folder.appending(path: settings).path, "run", document ?? file.path]
        + ["--url", client.base, "--no-color"] + more,
      executable: URL(fileURLWithPath: "/usr/bin/env"),
      environment: [
        "ONTHEMAP_API": client.base, "PYTHONPATH": Self.folder.path, "PYTHONDONTWRITEBYTECODE": "1",
      ].merging(environment) { $1 })
    try program.start()
    let code = try await program.exit(within: .seconds(900))
    return (code, program.standardOutput + program.standardError)
  }

  /// Returns all operations of the document, such as "GET /v2/posts/{id}".
  func operations() throws -> [String] {
    let root = try object(try JSONSerialization.jsonObject(with: Data(contentsOf: file)))
    let shared = try object(root["components"])["pathItems"] as? [String: Any] ?? [:]
    return try object(root["paths"]).flatMap { path, item in
      let item = try object(item)
      let name = (item["$ref"] as? String)?.split(separator: "/").last.map(String.init)
      let methods = try name.map { try object(shared[$0]) } ?? item
      return methods.keys.filter { $0 != "parameters" && $0 != "$ref" }.map { "\($0.uppercased()) \(path)" }
    }
  }

  /// Returns the operations that got a 2xx response, from the HTTP archive of a run.
  func succeeded(report: String, of operations: [String]) throws -> Set<String> {
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
      // An operation with the literal path takes precedence over one with a parameter.
      let named = operations.contains(operation) ? operation : operations.first { matches(operation, template: $0) }
      if let named { found.insert(named) }
    }
    return found
  }

  /// Returns true if an operation's path has the form of a template's, such as "GET /v2/posts/{id}".
  private func matches(_ operation: String, template: String) -> Bool {
    let parts = operation.split(separator: "/", omittingEmptySubsequences: false)
    let names = template.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == names.count && zip(parts, names).allSatisfy { $0 == $1 || $1.hasPrefix("{") }
  }

  private func object(_ value: Any?) throws -> [String: Any] { try #require(value as? [String: Any]) }
}
