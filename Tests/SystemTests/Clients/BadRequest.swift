import Testing

/// Expectations for the errors of invalid requests.
enum BadRequest {
  /// Checks the parts that every error of every service has, with the headers that browsers need.
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
