import HTTPTypes
package import Hummingbird

extension Router where Context == BasicRequestContext {
  /// Answers the methods that a path does not take with 405 and the names of those that it takes. After its routes.
  package func refuseOthers(at path: RouterPath, than allowed: HTTPRequest.Method...) {
    let names = allowed.map(\.rawValue).joined(separator: ", ")
    for method in [.get, .head, .post, .put, .patch, .delete] as [HTTPRequest.Method] where !allowed.contains(method) {
      on(path, method: method) { _, _ -> Response in
        var response = Problem(.methodNotAllowed, "method_not_allowed", "this path takes \(names) only").response
        response.headers[.allow] = names
        return response
      }
    }
  }
}
