package import Domain
package import HTTPTypes
package import Hummingbird
package import NIOCore

/// A format for problems of paths whose clients expect another form than the API's own. Returns nil for all other
/// paths.
package typealias ProblemFormat = @Sendable (_ problem: Problem, _ path: String) -> ByteBuffer?

/// An error in the API's form: problem details (RFC 9457) with a stable code.
package struct Problem: HTTPResponseError, Sendable {
  package let status: HTTPResponse.Status
  /// Stable code for programs, which is the last part of `type`.
  package let code: String
  /// Text for people, with the error and the remedy.
  package let detail: String
  /// The field of the request that is wrong. Nil if the problem concerns the whole request.
  package let field: String?
  /// Seconds to wait before a retry. Nil if a retry is useless.
  package let retryAfterSeconds: Int?
  /// True if the log has the cause once, and not for each request.
  package var isLoggedOnce = false
  /// Allowed methods of the path. Nil unless the problem concerns the method.
  private let allowed: String?

  /// Creates a problem.
  ///
  /// - Parameters:
  ///   - field: The wrong field. Empty if the problem concerns the whole request.
  ///   - retryAfterSeconds: Seconds to wait before a retry. Nil if a retry is useless.
  ///   - allowed: The allowed methods, such as "GET, POST", if the problem concerns the method.
  package init(
    _ status: HTTPResponse.Status, _ code: String, _ detail: String, field: String = "", retryAfterSeconds: Int? = nil,
    allowed: String? = nil
  ) {
    self.status = status
    self.code = code
    self.detail = detail
    self.field = field.isEmpty ? nil : field
    self.retryAfterSeconds = retryAfterSeconds
    self.allowed = allowed
  }

  /// Creates the problem for a status that Hummingbird sends by itself.
  init(_ status: HTTPResponse.Status) {
    switch status {
    case .notFound: self.init(status, "not_found", "there is nothing at this path")
    case .contentTooLarge:
      self.init(status, "body_too_large", "the body is longer than \(Limits.requestBodyBytesMax) bytes")
    case .internalServerError: self.init(status, "internal_error", "the server failed; its log has the reason")
    default: self.init(status, "bad_request", status.reasonPhrase)
    }
  }

  /// Witness of `HTTPResponseError`.
  package func response(from request: Request, context: some RequestContext) -> Response { response() }

  var json: JSONWriter { .object { write(to: &$0) } }

  /// Adds the problem's members to an open object.
  package func write(to json: inout JSONWriter) {
    json.add("type", "urn:onthemap:problem:\(code)")
    json.add("title", status.reasonPhrase)
    json.add("status", status.code)
    json.add("code", code)
    json.add("detail", detail)
    if let field { json.add("field", field) }
  }

  /// Returns the content type and the body of the problem in a format.
  func body(in form: ProblemFormat, at path: String) -> (type: String, body: ByteBuffer) {
    if let body = form(self, path) { return ("application/json", body) }
    return ("application/problem+json", ByteBuffer(bytes: json.bytes))
  }

  /// Returns the problem's response in a format.
  package func response(in form: ProblemFormat = { _, _ in nil }, at path: String = "/") -> Response {
    let (type, body) = body(in: form, at: path)
    var response = Response(json: body, status: status)
    response.headers[.contentType] = type
    response.headers.append(contentsOf: headers)
    return response
  }

  /// Headers of the problem's response, which do not depend on the body's format.
  var headers: HTTPFields {
    var headers = HTTPFields()
    if let retryAfterSeconds { headers[.retryAfter] = "\(retryAfterSeconds)" }
    if let allowed { headers[.allow] = allowed }
    if status == .unauthorized { headers[.wwwAuthenticate] = "Bearer realm=\"onthemap\"" }
    return headers
  }
}
