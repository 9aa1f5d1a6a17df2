import Domain
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import Feed
@testable import Web

@Suite("API document of the feed")
struct FeedDocumentTests {
  private let document: APIDocument

  init() throws { document = try APIDocument(of: .feed) }

  @Test("The document has exactly the routes and methods that the feed serves")
  func routes() async throws {
    let served = try await RouteTable().served()
    let written = document.operations.flatMap { operation in operation.paths.map { "\(operation.method) \($0)" } }
    #expect(Set(written).count == written.count)
    #expect(Set(written).subtracting(served).sorted() == [], "The document has an operation without a route.")
    #expect(served.subtracting(written).sorted() == [], "The document omits a route.")
    #expect(
      served.contains("GET /v2/feed/stream") && !served.contains("POST /v2/feed"), "The table of routes is wrong.")
  }

  @Test("The document has the version of the program")
  func version() {
    #expect(document.root["info"]?["version"]?.string == ProductVersion.text)
    #expect(document.root["openapi"]?.string == "3.1.1")
  }

  @Test("The document states the limits of the program")
  func limits() throws {
    let schemas = try #require(document.root["components"]?["schemas"])
    for (schema, member) in [("Feed", "entries"), ("Delta", "upsert"), ("Delta", "remove")] {
      #expect(schemas[schema]?["properties"]?[member]?["maxItems"]?.plain == "\(Limits.feedEntriesMax)")
    }
    let info = try #require(document.root["info"]?["description"]?.string)
    let texts = document.operations.compactMap { $0.node["description"]?.string } + [info]
    let parts = [8: "an eighth"], times: [Int64: String] = [600_000: "ten minutes"]
    let (retry, silence) = (Limits.streamRetryMs, Limits.livenessMs / 1_000)
    for sentence in [
      "`retry`, \(grouped(retry.lowerBound)) to \(grouped(retry.upperBound)) ms",
      "the next one \(Limits.streamIntervalMs) ms later", "(\(Limits.streamIntervalMaxMs / 1_000) s at a busy feed)",
      "silent for \(Limits.streamHeartbeatMs / 1_000) s gets the comment", "ingest has been silent for \(silence) s",
      "within the last \(silence) s", "the last \(grouped(Int64(Limits.feedChangesKept))) changes",
      "\(grouped(Int64(Limits.streamsMax))) streams at most",
      "good for \(times[Limits.viewTicketMs] ?? "another time")",
      "\(parts[Limits.httpNetworkShare] ?? "another part") of the feed's connections",
    ] {
      #expect(texts.contains { $0.contains(sentence) }, "\(sentence)")
    }
  }

  /// "1,024", for numbers below a million.
  private func grouped(_ number: Int64) -> String {
    number < 1_000 ? "\(number)" : "\(number / 1_000)," + "\(number % 1_000 + 1_000)".dropFirst()
  }

  @Test("The HTML page of the document has every operation, response, schema and code, and no dead link")
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
    #expect(page.contains("events: <code>snapshot</code> with <a href=\"#form-Feed\">Feed</a>"))
    #expect(page.contains("with a ticket or without"))
  }

  @Test("The feed serves the document unchanged, and as a page that loads only its own style")
  func served() async throws {
    let fixture = try FeedFixture()
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/Feed/openapi.json")
    let json = try await fixture.send(.get, "/openapi.json")
    #expect(json.status == .ok && json.headers[.contentType] == "application/json")
    #expect(Data(json.body.readableBytesView) == (try Data(contentsOf: file)))
    #expect(json.headers[.accessControlAllowOrigin] == "*")
    let page = try await fixture.send(.get, "/openapi")
    #expect(page.status == .ok && page.headers[.contentType] == "text/html; charset=utf-8")
    let policy = try #require(page.headers[.contentSecurityPolicy])
    #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
    #expect(String(buffer: page.body).contains("<h1>On The Map: feed"))
  }

  private var codes: [String] {
    (document.root["components"]?["schemas"]?["ProblemCode"]?["oneOf"]?.elements ?? []).compactMap {
      $0["const"]?.string
    }
  }

  @Test("The document lists exactly the problem codes of the sources")
  func problemCodes() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources")
    var found: Set<String> = []
    for target in ["Feed", "Web"] {
      let folder = root.appending(path: target)
      for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where name.hasSuffix(".swift") {
        // Skip the reasons why a process is not ready. Only the operations address sends them.
        if name.hasSuffix("Readiness.swift") { continue }
        let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        found.formUnion(matches(of: #"(?:Problem|self\.init)\(\s*(?:\.\w+|status),\s*"([^"]*)""#, in: text))
      }
    }
    let families = found.filter { $0.contains("\\(") }
    #expect(families == ["invalid_\\(error.name)"], "A new family of codes needs its members in the document.")
    let names = document.operations.flatMap(\.parameters).compactMap { $0["name"]?.string }
    let fields = Set(names.map { "invalid_\($0)" })
    let written = Set(codes)
    #expect(written.count == codes.count && found.count > 10)
    #expect(found.subtracting(families).subtracting(written).sorted() == [])
    #expect(written.subtracting(found).subtracting(fields).sorted() == [])
  }
}

/// The routes of a feed, without a server.
private struct RouteTable {
  private let router: Router<ConnectionContext>
  /// The routes before the library makes HEAD from GET.
  private let routes: [Router<ConnectionContext>.RouteDescription]

  init() throws {
    router = try FeedFixture.router(CurrentList())
    routes = router.routes
  }

  /// Returns the routes as "GET /v2/feed", without those that only refuse a method.
  func served() async throws -> Set<String> {
    let responder = router.buildResponder()
    var served: Set<String> = []
    for route in routes {
      let path = route.path.description.hasPrefix("/") ? route.path.description : "/\(route.path)"
      let request = Request(
        head: HTTPRequest(method: route.method, scheme: "http", authority: "a", path: path),
        body: .init(buffer: ByteBuffer()))
      let context = ConnectionContext(
        source: ApplicationRequestContextSource(
          channel: EmbeddedChannel(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
      let response = try await responder.respond(to: request, context: context)
      if response.status != .methodNotAllowed { served.insert("\(route.method) \(path)") }
    }
    return served
  }
}

/// Returns the first group of each match.
private func matches(of pattern: String, in text: String) -> [String] {
  guard let expression = try? NSRegularExpression(pattern: pattern) else { return [] }
  return expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap { match in
    Range(match.range(at: 1), in: text).map { String(text[$0]) }
  }
}
