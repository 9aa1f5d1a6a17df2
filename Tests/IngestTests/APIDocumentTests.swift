import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Store
import Testing

@testable import Domain
@testable import Ingest
@testable import Messaging
@testable import SQLiteStore
@testable import Web

@Suite("Ingest's API document")
struct APIDocumentTests {
  private let document: APIDocument

  init() throws { document = try APIDocument(of: .ingest) }

  @Test("The document lists every route with its methods, and no other route")
  func routes() async throws {
    // The page's files are not part of the API.
    let served = try await RouteTable(IngestFixture(workers: 0)).served().subtracting(["GET /page/**"])
    let written = document.operations.flatMap { operation in operation.paths.map { "\(operation.method) \($0)" } }
    #expect(Set(written).count == written.count)
    #expect(Set(written).subtracting(served).sorted() == [], "The document lists routes that do not exist.")
    #expect(served.subtracting(written).sorted() == [], "The document lacks routes.")
    #expect(served.contains("POST /v2/posts") && !served.contains("PATCH /v2/posts"), "The route table is wrong.")
  }

  @Test("The document states the program's version")
  func version() {
    #expect(document.root["info"]?["version"]?.string == ProductVersion.text)
    #expect(document.root["openapi"]?.string == "3.1.1")
  }

  @Test("The document states the limits that ingest enforces")
  func limits() throws {
    let schemas = try #require(document.root["components"]?["schemas"])
    func bound(_ schema: String, _ member: String, _ word: String) -> String? {
      schemas[schema]?["properties"]?[member]?[word]?.plain
    }
    #expect(bound("PostRequest", "place", "maxLength") == "\(Limits.placeBytesMax)")
    #expect(bound("PostRequest", "link", "maxLength") == "\(Limits.linkBytesMax)")
    #expect(bound("SignUpRequest", "firstName", "maxLength") == "\(Limits.nameBytesMax)")
    #expect(bound("SignUpRequest", "email", "maxLength") == "\(Limits.emailBytesMax)")
    #expect(bound("SignUpRequest", "password", "minLength") == "\(Limits.passwordBytesMin)")
    #expect(bound("SignUpRequest", "password", "maxLength") == "\(Limits.passwordBytesMax)")
    #expect(bound("BulkLine", "idempotencyKey", "maxLength") == "\(Limits.idempotencyKeyBytesMax)")
    #expect(bound("OwnPosts", "posts", "maxItems") == "\(Limits.pagePostsMax)")
    #expect(bound("FoundPosts", "posts", "maxItems") == "\(Limits.pagePostsMax)")
    #expect(bound("Feed", "entries", "maxItems") == "\(Limits.feedEntriesMax)")
    #expect(bound("Places", "places", "maxItems") == "\(Limits.candidatesMax)")
    #expect(bound("Sessions", "sessions", "maxItems") == "\(Limits.sessionsShownMax)")
    let pages = document.operations.first { $0.anchor == "listPosts" }?.parameters
    #expect(pages?.first { $0["name"]?.string == "limit" }?["schema"]?["maximum"]?.plain == "\(Limits.pagePostsMax)")
  }

  @Test("The reference page has every operation, response, schema and code, and no dead link")
  func page() throws {
    let page = APIPage(document).html.text
    let anchors = matches(of: #" id="([^"]*)""#, in: page)
    let links = matches(of: ##" href="#([^"]*)""##, in: page)
    #expect(Set(anchors).count == anchors.count)
    #expect(Set(links).subtracting(anchors).sorted() == [])
    let components = try #require(document.root["components"])
    let shared = (components["responses"]?.members ?? []).map { "response-\($0.name)" }
    let forms = (components["schemas"]?.members ?? []).map { "form-\($0.name)" }.filter { $0 != "form-ProblemCode" }
    #expect(Set(document.operations.map(\.anchor) + shared + forms + codes.map { "code-\($0)" }).isSubset(of: anchors))
    #expect(matches(of: #"(<script|<link|<img|style=|javascript:|\son\w+=)"#, in: page).isEmpty)
  }

  @Test("The reference page embeds its style sheet, and SHA-256 matches a known value")
  func style() {
    #expect(APIPage(document).html.text.contains("<style>\(APIPage.style)</style>"))
    // The example of FIPS 180-4.
    #expect(DocumentRoutes.sha256("abc") == "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
  }

  @Test("The reference page escapes all text of the document")
  func escaping() throws {
    let hostile = #"""
      {"info": {"title": "<script>1</script>", "version": "\"'&", "description": "a `</code><b>` c\n\nd"},
       "tags": [{"name": "<i>"}], "paths": {"/a\"><u>": {"get": {"operationId": "\" onload=\"x", "tags": ["<i>"]}}}}
      """#
    let page = APIPage(try APIDocument(bytes: Array(hostile.utf8))).html.text
    for markup in ["<script", "<b>\u{60}", "<i>", "<u>", "\" onload"] { #expect(!page.contains(markup), "\(markup)") }
    #expect(page.contains("&lt;script&gt;1&lt;/script&gt; &quot;&#39;&amp;") && page.contains("<code>&lt;/code&gt;"))
  }

  private var codes: [String] {
    (document.root["components"]?["schemas"]?["ProblemCode"]?["oneOf"]?.elements ?? []).compactMap {
      $0["const"]?.string
    }
  }

  /// Checks the document's list of codes. The system tests compare each operation's codes with real responses.
  @Test("The document lists every problem code of the sources, and no other code")
  func problemCodes() throws {
    let found = try ProblemSource.all()
    #expect(found.computed == ["reason.code"], "A code is computed: document its possible values.")
    #expect(found.families == ["invalid_", "parse_"], "A code has a computed part: document its members.")
    let written = Set(codes)
    #expect(written.count == codes.count)
    // The compatibility API sends these codes as Parse's numbers.
    let compat = found.literals.filter { $0.hasPrefix("classic_") || $0 == "user_not_found" }
    #expect(!compat.isEmpty && found.literals.count > 30, "The scanner finds too few codes.")
    #expect(found.literals.subtracting(compat).subtracting(written).sorted() == [])
    let fields = Set(document.fields.map { "invalid_\($0)" })
    #expect(written.subtracting(found.literals).subtracting(fields).sorted() == [])
  }
}

extension APIDocument {
  /// The names of parameters and of request bodies' members.
  fileprivate var fields: [String] {
    let schemas = (root["components"]?["schemas"]?.members ?? []).filter { $0.name.hasSuffix("Request") }
    return operations.flatMap(\.parameters).compactMap { $0["name"]?.string }
      + schemas.flatMap { $0.node["properties"]?.members.map(\.name) ?? [] }
  }
}

/// Ingest's route table.
private struct RouteTable {
  private let fixture: IngestFixture
  private let router: Router<ConnectionContext>
  /// The routes before Hummingbird derives HEAD from GET.
  private let routes: [Router<ConnectionContext>.RouteDescription]

  init(_ fixture: IngestFixture) throws {
    self.fixture = fixture
    router = fixture.components.router()
    routes = router.routes
  }

  /// Returns the served routes, such as "GET /v2/posts". A route that only responds 405 does not count.
  func served() async throws -> Set<String> {
    let responder = router.buildResponder()
    var served: Set<String> = []
    for route in routes {
      let path = route.path.description.hasPrefix("/") ? route.path.description : "/\(route.path)"
      let request = Request(
        head: HTTPRequest(
          method: route.method, scheme: "http", authority: "a",
          path: path.replacing("{id}", with: "x")), body: .init(buffer: ByteBuffer()))
      let context = ConnectionContext(
        source: ApplicationRequestContextSource(
          channel: EmbeddedChannel(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
      let response = try await responder.respond(to: request, context: context)
      if response.status != .methodNotAllowed { served.insert("\(route.method) \(path)") }
    }
    return served
  }
}

/// The problem codes in the sources.
private struct ProblemSource {
  /// Codes written as literals.
  var literals: Set<String> = []
  /// Literal prefixes of codes with a computed part.
  var families: Set<String> = []
  /// Codes that are expressions.
  var computed: Set<String> = []

  static func all() throws -> ProblemSource {
    var source = ProblemSource()
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources")
    for target in ["Ingest", "Web"] {
      let folder = root.appending(path: target)
      for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where name.hasSuffix(".swift") {
        source.read(try String(contentsOf: folder.appending(path: name), encoding: .utf8))
      }
    }
    return source
  }

  private mutating func read(_ text: String) {
    let arguments = #"\(\s*(?:\.\w+(?:\([^()]*\))?|status),\s*("[^"]*"|[\w.]+)"#
    let own = matches(of: #"(?:extension|struct) (Problem\b[\s\S]*?\n\})"#, in: text)
    let codes = matches(of: "Problem" + arguments, in: text)
    for code in codes + own.flatMap({ matches(of: #"self\.init"# + arguments, in: $0) }) {
      guard code.hasPrefix("\"") else {
        computed.insert(code)
        continue
      }
      let code = code.dropFirst().dropLast()
      if let value = code.firstRange(of: "\\(") {
        families.insert(String(code[..<value.lowerBound]))
      } else {
        literals.insert(String(code))
      }
    }
  }
}

/// Returns the first group of every match.
private func matches(of pattern: String, in text: String) -> [String] {
  guard let expression = try? NSRegularExpression(pattern: pattern) else { return [] }
  return expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap { match in
    Range(match.range(at: 1), in: text).map { String(text[$0]) }
  }
}
