import HTTPTypes
package import Hummingbird

extension Router where Context == ConnectionContext {
  /// Makes a path respond 405, with the names of the allowed methods, to all other methods. Call this after adding the
  /// path's routes.
  package func respondMethodNotAllowed(at path: RouterPath, allow allowed: HTTPRequest.Method...) {
    let names = allowed.map(\.rawValue).joined(separator: ", ")
    let others: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options, .trace, .connect, .query]
    // Hummingbird derives HEAD from GET.
    for method in others where !allowed.contains(method) && !(method == .head && allowed.contains(.get)) {
      on(path, method: method) { _, _ -> Response in
        throw Problem(.methodNotAllowed, "method_not_allowed", "this path allows only \(names)", allowed: names)
      }
    }
  }
}

extension HTTPRequest.Method {
  /// The QUERY method: a GET with a body. (IETF, draft-ietf-httpbis-safe-method-w-body.)
  fileprivate static let query = Self("QUERY")!
}
