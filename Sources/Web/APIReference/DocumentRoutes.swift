import CSodium
import FoundationEssentials
import HTTPTypes
package import Hummingbird
import NIOCore

/// Routes of an API's document: `/openapi.json` for programs, `/openapi` for people.
package struct DocumentRoutes: Sendable {
  // Swift renders each page at its first request. At startup, this would take a third of the startup time.
  private static let ingestPage = Result { try page(of: .ingest) }
  private static let feedPage = Result { try page(of: .feed) }

  private let service: DocumentedService

  package init(of service: DocumentedService) { self.service = service }

  /// Adds `/openapi.json` and `/openapi` to a router. Neither path needs a session.
  package func add(to router: Router<ConnectionContext>) {
    let document = ByteBuffer(bytes: service.document)
    router.get("/openapi.json") { _, _ in Response(json: document) }
    router.get("/openapi") { _, _ in
      Response(
        status: .ok,
        headers: [
          .contentType: "text/html; charset=utf-8", .contentSecurityPolicy: DocumentRoutes.policy,
        ], body: ResponseBody(byteBuffer: try page))
    }
    for path in ["/openapi.json", "/openapi"] as [RouterPath] { router.respondMethodNotAllowed(at: path, allow: .get) }
  }

  private var page: ByteBuffer {
    get throws {
      switch service {
      case .ingest: try DocumentRoutes.ingestPage.get()
      case .feed: try DocumentRoutes.feedPage.get()
      }
    }
  }

  /// Renders the page of a service's document.
  ///
  /// - Throws: `DocumentNode.Malformed` if the document is not JSON. The tests exclude this.
  private static func page(of service: DocumentedService) throws -> ByteBuffer {
    ByteBuffer(string: APIPage(try APIDocument(of: service)).html.text)
  }

  /// Content security policy that allows only the page's own style sheet, by its hash. (Content Security Policy Level
  /// 3, section 2.3.1.)
  private static let policy =
    "default-src 'none'; style-src 'sha256-\(sha256(APIPage.style))'; base-uri 'none'; form-action 'none'; "
    + "frame-ancestors 'none'"

  /// Returns the SHA-256 hash of a text in base64.
  static func sha256(_ text: String) -> String {
    var hash = [UInt8](repeating: 0, count: 32)
    let bytes = Array(text.utf8)
    crypto_hash_sha256(&hash, bytes, UInt64(bytes.count))
    return Data(hash).base64EncodedString()
  }
}
