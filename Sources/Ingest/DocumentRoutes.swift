import HTTPTypes
import Hummingbird
import NIOCore
import Web

/// `/openapi.json`: what this API is, for programs; `/openapi`: the same as a page. Both are made once, at the start.
struct DocumentRoutes: Sendable {
  private let document: ByteBuffer
  private let page: ByteBuffer

  /// Throws `DocumentNode.Malformed`.
  init() throws {
    let document = try APIDocument()
    self.document = ByteBuffer(bytes: document.bytes)
    page = ByteBuffer(string: APIPage(document).html.text)
  }

  func add(to router: Router<ConnectionContext>) {
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
    "default-src 'none'; style-src 'sha256-\(Secrets.sha256(APIPage.style))'; base-uri 'none'; form-action 'none'; "
    + "frame-ancestors 'none'"
}
