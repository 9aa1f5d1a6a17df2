import HTTPTypes
import Hummingbird
import Web

/// Routes with which a browser installs the page as an app: the manifest, and the service worker that shows the page
/// without a connection.
///
/// Both have the same path in every version, because browsers update an installed app from there. The service worker
/// is at the root, because it may control only pages below its own path.
struct InstallationRoutes: Sendable {
  func add(to router: Router<ConnectionContext>) {
    for name in PageFiles.fixedNames {
      let path = RouterPath("/\(name)")
      router.get(path) { request, _ in
        PageFiles.all.fixed(name)
          .response(ContentCoding(accepting: request.headers[.acceptEncoding]), InstallationRoutes.headers)
      }
      router.respondMethodNotAllowed(at: path, allow: .get)
    }
  }

  /// A service worker has its own policy. It only loads files of this site.
  private static let headers: HTTPFields = [
    .cacheControl: "no-cache",
    .contentSecurityPolicy: "default-src 'none'; connect-src 'self'; frame-ancestors 'none'",
  ]
}
