import HTTPTypes
package import Hummingbird

extension Router where Context == ConnectionContext {
  /// Answers the methods that a path does not take with 405 and the names of those that it takes. After its routes.
  package func respondMethodNotAllowed(at path: RouterPath, than allowed: HTTPRequest.Method...) {
    let names = allowed.map(\.rawValue).joined(separator: ", ")
    let others: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options, .trace, .connect, .query]
    // HEAD is made from GET.
    for method in others where !allowed.contains(method) && !(method == .head && allowed.contains(.get)) {
      on(path, method: method) { _, _ -> Response in
        throw Problem(.methodNotAllowed, "method_not_allowed", "this path takes \(names) only", allowed: names)
      }
    }
  }
}

extension HTTPRequest.Method {
  /// A GET with a body. (IETF, draft-ietf-httpbis-safe-method-w-body.)
  fileprivate static let query = Self("QUERY")!
}
