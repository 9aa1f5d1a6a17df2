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

@Suite("The API's document")
struct APIDocumentTests {
  private let document: APIDocument

  init() throws { document = try APIDocument(of: .ingest) }

  @Test("It has every route with its methods, and no other")
  func routes() async throws {
    // The page's files are no part of the API.
    let served = try await RouteTable(IngestFixture(workers: 0)).served().subtracting(["GET /page/**"])
    let written = document.operations.flatMap { operation in operation.paths.map { "\(operation.method) \($0)" } }
    #expect(Set(written).count == written.count)
    #expect(Set(written).subtracting(served).sorted() == [], "The document promises what no route does.")
    #expect(served.subtracting(written).sorted() == [], "The document leaves routes out.")
    #expect(served.contains("POST /v2/posts") && !served.contains("PATCH /v2/posts"), "The table is none.")
  }

  @Test("It is of this version")
  func version() {
    #expect(document.root["info"]?["version"]?.string == ProductVersion.text)
    #expect(document.root["openapi"]?.string == "3.1.1")
  }

  @Test("It tells the limits that hold")
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

  @Test("Its page has every operation, answer, form and code, and every link in it leads somewhere")
  func page() throws {
    let page = APIPage(document).html.text
    let anchors = matches(of: #" id="([^"]*)""#, in: page)
    let links = matches(of: ##" href="#([^"]*)""##, in: page)
    #expect(Set(anchors).count == anchors.count)
    #expect(Set(links).subtracting(anchors).sorted() == [])
    let components = try #require(document.root["components"])
    let shared = (components["responses"]?.members ?? []).map { "answer-\($0.name)" }
    let forms = (components["schemas"]?.members ?? []).map { "form-\($0.name)" }.filter { $0 != "form-ProblemCode" }
    #expect(Set(document.operations.map(\.anchor) + shared + forms + codes.map { "code-\($0)" }).isSubset(of: anchors))
    #expect(matches(of: #"(<script|<link|<img|style=|javascript:|\son\w+=)"#, in: page).isEmpty)
  }

  @Test("The page's policy knows its style sheet by the hash")
  func style() {
    #expect(APIPage(document).html.text.contains("<style>\(APIPage.style)</style>"))
    // FIPS 180-4's example.
    #expect(DocumentRoutes.sha256("abc") == "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
  }

  @Test("Whatever the document says, its page shows as text")
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

  /// Which of them an operation answers, the enumerations of its answers say; the system tests hold those against what
  /// comes.
  @Test("Every code of a problem that the sources have is documented, and no other")
  func problemCodes() throws {
    let found = try ProblemSource.all()
    #expect(found.computed == ["reason.code"], "A code that is a value: document what it may be.")
    #expect(found.families == ["invalid_", "parse_"], "A family of codes: document its members.")
    let written = Set(codes)
    #expect(written.count == codes.count)
    // Told in the original service's form, which has numbers of its own.
    let classic = found.literals.filter { $0.hasPrefix("classic_") || $0 == "user_not_found" }
    #expect(!classic.isEmpty && found.literals.count > 30, "The scanner is blind.")
    #expect(found.literals.subtracting(classic).subtracting(written).sorted() == [])
    let fields = Set(document.fields.map { "invalid_\($0)" })
    #expect(written.subtracting(found.literals).subtracting(fields).sorted() == [])
  }
}

extension APIDocument {
  /// Names of parameters and of bodies' members.
  fileprivate var fields: [String] {
    let schemas = (root["components"]?["schemas"]?.members ?? []).filter { $0.name.hasSuffix("Request") }
    return operations.flatMap(\.parameters).compactMap { $0["name"]?.string }
      + schemas.flatMap { $0.node["properties"]?.members.map(\.name) ?? [] }
  }
}

/// Ingest's routes, none of whose answers matters.
private struct RouteTable {
  private let stage: IngestFixture
  private let router: Router<ConnectionContext>
  /// Before the library makes HEAD from GET.
  private let routes: [Router<ConnectionContext>.RouteDescription]

  init(_ stage: IngestFixture) throws {
    self.stage = stage
    router = stage.components.router()
    routes = router.routes
  }

  /// "GET /v2/posts". What only says that a method is not taken is no route.
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
      let answer = try await responder.respond(to: request, context: context)
      if answer.status != .methodNotAllowed { served.insert("\(route.method) \(path)") }
    }
    return served
  }
}

/// Problems as the sources make them.
private struct ProblemSource {
  /// Codes as they stand there.
  var literals: Set<String> = []
  /// What stands before the part of a code that is a value.
  var families: Set<String> = []
  /// Codes that are values.
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

/// The first group of every match.
private func matches(of pattern: String, in text: String) -> [String] {
  guard let expression = try? NSRegularExpression(pattern: pattern) else { return [] }
  return expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap { match in
    Range(match.range(at: 1), in: text).map { String(text[$0]) }
  }
}
