package import Domain
package import HTTPTypes
package import Hummingbird
package import NIOCore

/// A body for a problem at a path, where its clients want their errors in another form than the API's own; nil where
/// they do not.
package typealias ProblemFormat = @Sendable (_ problem: Problem, _ path: String) -> ByteBuffer?

/// An error in the API's form: problem details, RFC 9457, with a code that stays.
package struct Problem: HTTPResponseError, Sendable {
  package let status: HTTPResponse.Status
  /// For machines; the last part of the type.
  package let code: String
  /// For people: what was wrong, and what to do.
  package let detail: String
  /// The field of the request that it is about.
  package let field: String?
  /// Not before, in seconds.
  package let retryAfterSeconds: Int?
  /// The methods that the path takes, where it is about the method.
  private let allowed: String?

  /// - Parameters:
  ///   - field: empty where it is about the whole request.
  ///   - retryAfterSeconds: nil where trying again is useless.
  ///   - allowed: "GET, POST", where it is about the method.
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

  /// A status that the HTTP library answers by itself.
  init(_ status: HTTPResponse.Status) {
    switch status {
    case .notFound: self.init(status, "not_found", "there is nothing at this path")
    case .contentTooLarge:
      self.init(status, "body_too_large", "the body is longer than \(Limits.requestBodyBytesMax) bytes")
    case .internalServerError: self.init(status, "internal_error", "the server failed; its log says more")
    default: self.init(status, "bad_request", status.reasonPhrase)
    }
  }

  /// As the HTTP library asks for it.
  package func response(from request: Request, context: some RequestContext) -> Response { response() }

  var json: JSONWriter { .object { write(to: &$0) } }

  /// Adds its members to an open object.
  package func write(to json: inout JSONWriter) {
    json.add("type", "urn:onthemap:problem:\(code)")
    json.add("title", status.reasonPhrase)
    json.add("status", status.code)
    json.add("code", code)
    json.add("detail", detail)
    if let field { json.add("field", field) }
  }

  /// As it is said in a form: the type of the content, and the content.
  func body(in form: ProblemFormat, at path: String) -> (type: String, body: ByteBuffer) {
    if let body = form(self, path) { return ("application/json", body) }
    return ("application/problem+json", ByteBuffer(bytes: json.bytes))
  }

  func response(in form: ProblemFormat = { _, _ in nil }, at path: String = "/") -> Response {
    let (type, body) = body(in: form, at: path)
    var response = Response(json: body, status: status)
    response.headers[.contentType] = type
    response.headers.append(contentsOf: headers)
    return response
  }

  /// What comes with it, in whatever form its body is.
  var headers: HTTPFields {
    var headers = HTTPFields()
    if let retryAfterSeconds { headers[.retryAfter] = "\(retryAfterSeconds)" }
    if let allowed { headers[.allow] = allowed }
    if status == .unauthorized { headers[.wwwAuthenticate] = "Bearer realm=\"onthemap\"" }
    return headers
  }
}
