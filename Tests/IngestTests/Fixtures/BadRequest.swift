import Testing

/// A request that is wrong, and what must be said about it.
struct BadRequest: Sendable {
  var method = "POST"
  var path = "/v2/posts"
  var body: String?
  var headers: [String: String] = [:]
  let status: Int
  let code: String
  var field: String?

  /// A post with a body as it stands.
  init(_ body: String, _ status: Int, _ code: String, field: String? = nil) {
    (self.body, self.status, self.code, self.field) = (body, status, code, field)
  }

  /// A post of which one member is wrong.
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

  /// What is said must be said in full, and with the headers that browsers need.
  func expect(_ answer: APIResponse) {
    let request: Comment = "\(method) \(path.prefix(80)) \((body ?? "").prefix(80)) \(headers.keys)"
    #expect(answer.status == status && answer["code"] == code, request)
    #expect(answer["field"] == field, request)
    BadRequest.expectProblem(answer, request)
  }

  /// What holds for every error of every service.
  static func expectProblem(_ answer: APIResponse, _ request: Comment) {
    #expect(answer.headers["content-type"] == "application/problem+json", request)
    #expect(answer.object["status"] as? Int == answer.status, request)
    #expect(answer["title"]?.isEmpty == false && answer["detail"]?.isEmpty == false, request)
    #expect(answer["type"]?.hasSuffix(answer["code"] ?? "nothing") == true, request)
    #expect(answer.headers["x-content-type-options"] == "nosniff", request)
    #expect(answer.headers["referrer-policy"] == "no-referrer", request)
    #expect(answer.headers["cache-control"] == "no-store", request)
    #expect(answer.headers["content-security-policy"]?.contains("default-src 'none'") == true, request)
  }
}
