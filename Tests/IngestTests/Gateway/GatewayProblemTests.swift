import Testing
import Web

@testable import Ingest
@testable import Messaging

@Suite("Errors of a gateway")
struct GatewayProblemTests {
  @Test(
    "A client without an idempotency key is not asked to repeat a post that ingest may have stored",
    arguments: [
      (.unavailable, true, "ingest_unavailable"), (.unavailable, false, "ingest_unavailable"),
      (.unknownOutcome, true, "ingest_unavailable"), (.unknownOutcome, false, "outcome_unknown"),
      (.busy, false, "busy"), (.refused("x"), true, "internal_error"),
    ] as [(GatewayClient.Failure, Bool, String)])
  func codes(failure: GatewayClient.Failure, clientMayRepeat: Bool, code: String) {
    let problem = Problem(failure, clientMayRepeat: clientMayRepeat)
    #expect(problem.code == code)
    #expect((problem.retryAfterSeconds == nil) == ["outcome_unknown", "internal_error"].contains(code))
  }
}
