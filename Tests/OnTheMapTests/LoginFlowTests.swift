import Testing

@testable import OnTheMap

/// The flows, for expectations, which change nothing that is a value.
private final class Book {
  private var flows = LoginFlows()

  var count: Int { flows.count }

  func begin(_ flow: LoginFlow, key: String, network: String, nowMs: Int64) -> Bool {
    flows.begin(flow, key: key, network: network, nowMs: nowMs)
  }

  func take(key: String, state: String, nowMs: Int64) -> LoginFlow? {
    flows.take(key: key, state: state, nowMs: nowMs)
  }
}

@Suite("Logins that were sent to a provider")
struct LoginFlowTests {
  private func flow(_ state: String = "s") -> LoginFlow {
    LoginFlow(state: state, nonce: "n", verifier: "v", returnPath: "/", link: nil)
  }

  @Test("One comes back once, with its key and its state, and in time")
  func once() {
    let flows = Book()
    #expect(flows.begin(flow(), key: "a", network: "n", nowMs: 0))
    #expect(flows.begin(flow(), key: "b", network: "n", nowMs: 0))
    #expect(flows.take(key: "c", state: "s", nowMs: 1) == nil)
    #expect(flows.take(key: "a", state: "", nowMs: 1) == nil)
    #expect(flows.take(key: "a", state: "s", nowMs: Limits.loginFlowMs - 1) == flow(), "A wrong state changes nothing.")
    #expect(flows.take(key: "a", state: "s", nowMs: 1) == nil)
    #expect(flows.take(key: "b", state: "s", nowMs: Limits.loginFlowMs) == nil, "Its time is over.")
    #expect(flows.count == 0)
  }

  @Test("Of one network so many are remembered, the latest; others lose nothing by it")
  func network() {
    let flows = Book()
    #expect(flows.begin(flow(), key: "other", network: "other", nowMs: 0))
    for number in 0...Limits.loginFlowsOfNetworkMax {
      #expect(flows.begin(flow(), key: "\(number)", network: "n", nowMs: 0))
    }
    #expect(flows.count == Limits.loginFlowsOfNetworkMax + 1)
    #expect(flows.take(key: "0", state: "s", nowMs: 1) == nil && flows.take(key: "1", state: "s", nowMs: 1) != nil)
    #expect(flows.take(key: "other", state: "s", nowMs: 1) != nil)
  }

  @Test("Of all so many are remembered; then nobody begins one until some are over, or have come back")
  func all() {
    let flows = Book()
    for number in 0..<Limits.loginFlowsMax {
      #expect(flows.begin(flow(), key: "\(number)", network: "\(number / 100)", nowMs: 0))
    }
    #expect(!flows.begin(flow(), key: "more", network: "n", nowMs: Limits.loginFlowMs - 1))
    #expect(flows.take(key: "5000", state: "s", nowMs: 1) != nil)
    #expect(flows.begin(flow(), key: "more", network: "n", nowMs: Limits.loginFlowMs - 1))
    #expect(flows.begin(flow(), key: "later", network: "n", nowMs: Limits.loginFlowMs))
    #expect(flows.count == 2)
  }
}
