import Testing

/// Expectations for the errors of invalid requests.
enum BadRequest {
  /// Checks the parts that every error of every service has, with the headers that browsers need.
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
