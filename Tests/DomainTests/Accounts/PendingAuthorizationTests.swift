import Testing

@testable import Domain

/// The flows, for expectations, which change nothing that is a value.
private final class AuthorizationsBox {
  private var flows = PendingAuthorizations()

  var count: Int { flows.count }

  func begin(_ flow: PendingAuthorization, key: String, network: String, nowMs: Int64) {
    flows.begin(flow, key: key, network: network, nowMs: nowMs)
  }

  func take(key: String, state: String, nowMs: Int64) -> PendingAuthorization? {
    flows.consume(key: key, state: state, nowMs: nowMs)
  }
}

@Suite("Logins that were sent to a provider")
struct PendingAuthorizationTests {
  private func flow(_ state: String = "s") -> PendingAuthorization {
    PendingAuthorization(state: state, nonce: "n", verifier: "v", returnPath: "/", link: nil)
  }

  @Test("One comes back once, with its key and its state, and in time")
  func once() {
    let flows = AuthorizationsBox()
    flows.begin(flow(), key: "a", network: "n", nowMs: 0)
    flows.begin(flow(), key: "b", network: "n", nowMs: 0)
    #expect(flows.take(key: "c", state: "s", nowMs: 1) == nil)
    #expect(flows.take(key: "a", state: "", nowMs: 1) == nil)
    #expect(flows.take(key: "a", state: "s", nowMs: Limits.loginFlowMs - 1) == flow(), "A wrong state changes nothing.")
    #expect(flows.take(key: "a", state: "s", nowMs: 1) == nil)
    #expect(flows.take(key: "b", state: "s", nowMs: Limits.loginFlowMs) == nil, "Its time is over.")
    #expect(flows.count == 0)
  }

  @Test("Of one network so many are remembered, the latest; others lose nothing by it")
  func network() {
    let flows = AuthorizationsBox()
    flows.begin(flow(), key: "other", network: "other", nowMs: 0)
    for number in 0...Limits.loginFlowsOfNetworkMax {
      flows.begin(flow(), key: "\(number)", network: "n", nowMs: 0)
    }
    #expect(flows.count == Limits.loginFlowsOfNetworkMax + 1)
    #expect(flows.take(key: "0", state: "s", nowMs: 1) == nil && flows.take(key: "1", state: "s", nowMs: 1) != nil)
    #expect(flows.take(key: "other", state: "s", nowMs: 1) != nil)
  }

  @Test("Of all so many are remembered; above it the network that has most loses its oldest, and nobody is kept out")
  func all() {
    let flows = AuthorizationsBox()
    flows.begin(flow(), key: "own", network: "own", nowMs: 0)
    // Sixty networks of one attacker, one of which has more than the others.
    for number in 0..<Limits.loginFlowsMax - 1 {
      let network = number < Limits.loginFlowsOfNetworkMax ? 0 : 1 + number % 60
      flows.begin(flow(), key: "\(number)", network: "\(network)", nowMs: 0)
    }
    #expect(flows.count == Limits.loginFlowsMax)
    flows.begin(flow(), key: "new", network: "another", nowMs: Limits.loginFlowMs - 1)
    #expect(flows.count == Limits.loginFlowsMax)
    #expect(flows.take(key: "0", state: "s", nowMs: 1) == nil && flows.take(key: "1", state: "s", nowMs: 1) != nil)
    for key in ["own", "new"] { #expect(flows.take(key: key, state: "s", nowMs: 1) != nil) }
    flows.begin(flow(), key: "later", network: "n", nowMs: Limits.loginFlowMs)
    #expect(flows.count == 1, "The time of the others is over.")
  }

  @Test("Of as many networks with one each the oldest goes")
  func ties() {
    let flows = AuthorizationsBox()
    for number in 0..<Limits.loginFlowsMax { flows.begin(flow(), key: "\(number)", network: "\(number)", nowMs: 0) }
    flows.begin(flow(), key: "own", network: "own", nowMs: 1)
    for number in 0..<50 { flows.begin(flow(), key: "x\(number)", network: "x\(number)", nowMs: 1) }
    #expect(flows.count == Limits.loginFlowsMax)
    #expect(flows.take(key: "own", state: "s", nowMs: 1) != nil && flows.take(key: "51", state: "s", nowMs: 1) != nil)
    #expect(flows.take(key: "50", state: "s", nowMs: 1) == nil)
  }
}
