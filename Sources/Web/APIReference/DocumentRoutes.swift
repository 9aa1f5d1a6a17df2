import CSodium
import FoundationEssentials
import HTTPTypes
package import Hummingbird
import NIOCore

/// Serves an API's document: `/openapi.json` for programs, `/openapi` as a page. Both are made once in a process, with
/// the first routes.
package struct DocumentRoutes: Sendable {
  /// A document in both forms.
  private struct Forms: Sendable {
    let document: ByteBuffer
    let page: ByteBuffer

    init(of service: DocumentedService) throws {
      let document = try APIDocument(of: service)
      self.document = ByteBuffer(bytes: document.bytes)
      page = ByteBuffer(string: APIPage(document).html.text)
    }
  }

  private static let ingest = Result { try Forms(of: .ingest) }
  private static let feed = Result { try Forms(of: .feed) }

  private let document: ByteBuffer
  private let page: ByteBuffer

  /// Reads the document of a service. Throws where that is no JSON, which its tests would have found.
  package init(of service: DocumentedService) throws {
    let forms =
      switch service {
      case .ingest: try DocumentRoutes.ingest.get()
      case .feed: try DocumentRoutes.feed.get()
      }
    (document, page) = (forms.document, forms.page)
  }

  /// Adds both paths. They need no session.
  package func add(to router: Router<ConnectionContext>) {
    router.get("/openapi.json") { _, _ in Response(json: document) }
    router.get("/openapi") { _, _ in
      Response(
        status: .ok,
        headers: [
          .contentType: "text/html; charset=utf-8", .contentSecurityPolicy: DocumentRoutes.policy,
        ], body: ResponseBody(byteBuffer: page))
    }
    for path in ["/openapi.json", "/openapi"] as [RouterPath] { router.refuseOthers(at: path, than: .get) }
  }

  /// The page's own style sheet, known by its hash, and nothing else. (Content Security Policy Level 3, section 2.3.1.)
  private static let policy =
    "default-src 'none'; style-src 'sha256-\(sha256(APIPage.style))'; base-uri 'none'; form-action 'none'; "
    + "frame-ancestors 'none'"

  /// Returns the SHA-256 of a text in base64.
  static func sha256(_ text: String) -> String {
    var hash = [UInt8](repeating: 0, count: 32)
    let bytes = Array(text.utf8)
    crypto_hash_sha256(&hash, bytes, UInt64(bytes.count))
    return Data(hash).base64EncodedString()
  }
}
