import Testing

@testable import Domain

/// Reference to the authorizations, because `#expect` cannot call a mutating function of a value.
private final class AuthorizationsBox {
  private var flows = PendingAuthorizations()

  var count: Int { flows.count }

  func begin(_ flow: PendingAuthorization, key: String, network: String, nowMs: Int64) {
    flows.begin(flow, key: key, network: network, nowMs: nowMs)
  }

  func consume(key: String, state: String, nowMs: Int64) -> PendingAuthorization? {
    flows.consume(key: key, state: state, nowMs: nowMs)
  }
}

@Suite("Pending authorizations of external sign-in")
struct PendingAuthorizationTests {
  private func flow(_ state: String = "s") -> PendingAuthorization {
    PendingAuthorization(state: state, nonce: "n", verifier: "v", returnPath: "/", link: nil)
  }

  @Test("An authorization is consumed once, with its key and state, before its timeout")
  func once() {
    let flows = AuthorizationsBox()
    flows.begin(flow(), key: "a", network: "n", nowMs: 0)
    flows.begin(flow(), key: "b", network: "n", nowMs: 0)
    #expect(flows.consume(key: "c", state: "s", nowMs: 1) == nil)
    #expect(flows.consume(key: "a", state: "", nowMs: 1) == nil)
    #expect(
      flows.consume(key: "a", state: "s", nowMs: Limits.loginFlowMs - 1) == flow(), "A wrong state changes nothing.")
    #expect(flows.consume(key: "a", state: "s", nowMs: 1) == nil)
    #expect(flows.consume(key: "b", state: "s", nowMs: Limits.loginFlowMs) == nil, "The authorization has timed out.")
    #expect(flows.count == 0)
  }

  @Test("A network keeps its newest authorizations up to a limit, without loss for other networks")
  func network() {
    let flows = AuthorizationsBox()
    flows.begin(flow(), key: "other", network: "other", nowMs: 0)
    for number in 0...Limits.loginFlowsOfNetworkMax {
      flows.begin(flow(), key: "\(number)", network: "n", nowMs: 0)
    }
    #expect(flows.count == Limits.loginFlowsOfNetworkMax + 1)
    #expect(flows.consume(key: "0", state: "s", nowMs: 1) == nil)
    #expect(flows.consume(key: "1", state: "s", nowMs: 1) != nil)
    #expect(flows.consume(key: "other", state: "s", nowMs: 1) != nil)
  }

  @Test("The network with the most authorizations loses its oldest one at the total limit")
  func all() {
    let flows = AuthorizationsBox()
    flows.begin(flow(), key: "own", network: "own", nowMs: 0)
    // 60 networks of an attacker, one of which has more authorizations than the others.
    for number in 0..<Limits.loginFlowsMax - 1 {
      let network = number < Limits.loginFlowsOfNetworkMax ? 0 : 1 + number % 60
      flows.begin(flow(), key: "\(number)", network: "\(network)", nowMs: 0)
    }
    #expect(flows.count == Limits.loginFlowsMax)
    flows.begin(flow(), key: "new", network: "another", nowMs: Limits.loginFlowMs - 1)
    #expect(flows.count == Limits.loginFlowsMax)
    #expect(flows.consume(key: "0", state: "s", nowMs: 1) == nil)
    #expect(flows.consume(key: "1", state: "s", nowMs: 1) != nil)
    for key in ["own", "new"] { #expect(flows.consume(key: key, state: "s", nowMs: 1) != nil) }
    flows.begin(flow(), key: "later", network: "n", nowMs: Limits.loginFlowMs)
    #expect(flows.count == 1, "The other authorizations have timed out.")
  }

  @Test("The oldest authorization goes when every network has one")
  func ties() {
    let flows = AuthorizationsBox()
    for number in 0..<Limits.loginFlowsMax { flows.begin(flow(), key: "\(number)", network: "\(number)", nowMs: 0) }
    flows.begin(flow(), key: "own", network: "own", nowMs: 1)
    for number in 0..<50 { flows.begin(flow(), key: "x\(number)", network: "x\(number)", nowMs: 1) }
    #expect(flows.count == Limits.loginFlowsMax)
    #expect(flows.consume(key: "own", state: "s", nowMs: 1) != nil)
    #expect(flows.consume(key: "51", state: "s", nowMs: 1) != nil)
    #expect(flows.consume(key: "50", state: "s", nowMs: 1) == nil)
  }
}
