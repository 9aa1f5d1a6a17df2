import Testing

/// An invalid request, and the error that it must get.
struct BadRequest: Sendable {
  var method = "POST"
  var path = "/v2/posts"
  var body: String?
  var headers: [String: String] = [:]
  let status: Int
  let code: String
  var field: String?

  /// Creates a post with a literal body.
  init(_ body: String, _ status: Int, _ code: String, field: String? = nil) {
    (self.body, self.status, self.code, self.field) = (body, status, code, field)
  }

  /// Creates a post with one invalid member.
  init(_ member: String, _ value: String) {
    let members = ["place": "\"Oslo\"", "link": "\"example.org\""].merging([member: value]) { $1 }
    body = "{" + members.map { "\"\($0)\": \($1)" }.joined(separator: ",") + "}"
    (status, code, field) = (422, "invalid_\(member)", member)
  }

  init(
    _ method: String, _ path: String, body: String? = nil, headers: [String: String] = [:],
    _ status: Int, _ code: String, field: String? = nil
  ) {
    (self.method, self.path, self.body, self.headers) = (method, path, body, headers)
    (self.status, self.code, self.field) = (status, code, field)
  }

  /// Checks the error in full, with the headers that browsers need.
  func expect(_ response: APIResponse) {
    let request: Comment = "\(method) \(path.prefix(80)) \((body ?? "").prefix(80)) \(headers.keys)"
    #expect(response.status == status && response["code"] == code, request)
    #expect(response["field"] == field, request)
    BadRequest.expectProblem(response, request)
  }

  /// Checks the parts that every error of every service has.
  static func expectProblem(_ response: APIResponse, _ request: Comment) {
    #expect(response.headers["content-type"] == "application/problem+json", request)
    #expect(response.object["status"] as? Int == response.status, request)
    #expect(response["title"]?.isEmpty == false && response["detail"]?.isEmpty == false, request)
    #expect(response["type"]?.hasSuffix(response["code"] ?? "nothing") == true, request)
    #expect(response.headers["x-content-type-options"] == "nosniff", request)
    #expect(response.headers["referrer-policy"] == "no-referrer", request)
    #expect(response.headers["cache-control"] == "no-store", request)
    #expect(response.headers["content-security-policy"]?.contains("default-src 'none'") == true, request)
  }
}
