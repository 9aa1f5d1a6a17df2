import Foundation
import Testing

@Suite("Bad input", .stage)
struct BadInputTests {
  @Test("The feed's own errors are problems too")
  func feed() async throws {
    let client = try await Stage.current.up().feedClient
    let answer = try await client.get("/v2/nothing")
    #expect(answer.status == 404 && answer["code"] == "not_found")
    BadRequest.expectProblem(answer, "the feed's /v2/nothing")
  }
}
