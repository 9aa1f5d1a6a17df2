import Testing

/// Trait of a suite whose tests run twice: at ingest's own routes, and at those of a gateway. Every failure at the
/// gateway says so.
struct BothFrontsTrait: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await function()
    try await IngestFixture.$isBehindGateway.withValue(true) {
      let front = IssueHandlingTrait.compactMapIssues { issue in
        var issue = issue
        issue.comments.append("The requests went through a gateway.")
        return issue
      }
      try await front.provideScope(for: test, testCase: testCase, performing: function)
    }
  }
}

extension Trait where Self == BothFrontsTrait {
  static var bothFronts: Self { Self() }
}
