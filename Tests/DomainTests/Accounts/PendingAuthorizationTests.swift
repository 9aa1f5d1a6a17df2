import Testing

@testable import Domain

/// Reference to the authorizations, because `#expect` cannot call a mutating function of a value.
private final class AuthorizationsBox {
  private var authorizations = PendingAuthorizations()

  var count: Int { authorizations.count }

  func begin(_ authorization: PendingAuthorization, key: String, network: String, nowMs: Int64) {
    authorizations.begin(authorization, key: key, network: network, nowMs: nowMs)
  }

  func consume(key: String, state: String, nowMs: Int64) -> PendingAuthorization? {
    authorizations.consume(key: key, state: state, nowMs: nowMs)
  }
}

@Suite("Pending authorizations of external sign-in")
struct PendingAuthorizationTests {
  private func authorization(_ state: String = "s") -> PendingAuthorization {
    PendingAuthorization(state: state, nonce: "n", verifier: "v", returnPath: "/", link: nil)
  }

  @Test("An authorization is consumed once, with its key and state, before its timeout")
  func once() {
    let authorizations = AuthorizationsBox()
    authorizations.begin(authorization(), key: "a", network: "n", nowMs: 0)
    authorizations.begin(authorization(), key: "b", network: "n", nowMs: 0)
    #expect(authorizations.consume(key: "c", state: "s", nowMs: 1) == nil)
    #expect(authorizations.consume(key: "a", state: "", nowMs: 1) == nil)
    #expect(
      authorizations.consume(key: "a", state: "s", nowMs: Limits.authorizationMs - 1) == authorization(),
      "A wrong state changes nothing.")
    #expect(authorizations.consume(key: "a", state: "s", nowMs: 1) == nil)
    #expect(
      authorizations.consume(key: "b", state: "s", nowMs: Limits.authorizationMs) == nil,
      "The authorization has timed out.")
    #expect(authorizations.count == 0)
  }

  @Test("A network keeps its newest authorizations up to a limit, without loss for other networks")
  func network() {
    let authorizations = AuthorizationsBox()
    authorizations.begin(authorization(), key: "other", network: "other", nowMs: 0)
    for number in 0...Limits.authorizationsOfNetworkMax {
      authorizations.begin(authorization(), key: "\(number)", network: "n", nowMs: 0)
    }
    #expect(authorizations.count == Limits.authorizationsOfNetworkMax + 1)
    #expect(authorizations.consume(key: "0", state: "s", nowMs: 1) == nil)
    #expect(authorizations.consume(key: "1", state: "s", nowMs: 1) != nil)
    #expect(authorizations.consume(key: "other", state: "s", nowMs: 1) != nil)
  }

  @Test("The network with the most authorizations loses its oldest one at the total limit")
  func all() {
    let authorizations = AuthorizationsBox()
    authorizations.begin(authorization(), key: "own", network: "own", nowMs: 0)
    // 61 networks of an attacker, of which network 0 has the most authorizations.
    for number in 0..<Limits.authorizationsMax - 1 {
      let network = number < Limits.authorizationsOfNetworkMax ? 0 : 1 + number % 60
      authorizations.begin(authorization(), key: "\(number)", network: "\(network)", nowMs: 0)
    }
    #expect(authorizations.count == Limits.authorizationsMax)
    authorizations.begin(authorization(), key: "new", network: "another", nowMs: Limits.authorizationMs - 1)
    #expect(authorizations.count == Limits.authorizationsMax)
    #expect(authorizations.consume(key: "0", state: "s", nowMs: 1) == nil)
    #expect(authorizations.consume(key: "1", state: "s", nowMs: 1) != nil)
    for key in ["own", "new"] { #expect(authorizations.consume(key: key, state: "s", nowMs: 1) != nil) }
    authorizations.begin(authorization(), key: "later", network: "n", nowMs: Limits.authorizationMs)
    #expect(authorizations.count == 1, "The other authorizations have timed out.")
  }

  @Test("The oldest authorization is evicted when every network has one authorization")
  func ties() {
    let authorizations = AuthorizationsBox()
    for number in 0..<Limits.authorizationsMax {
      authorizations.begin(authorization(), key: "\(number)", network: "\(number)", nowMs: 0)
    }
    authorizations.begin(authorization(), key: "own", network: "own", nowMs: 1)
    for number in 0..<50 { authorizations.begin(authorization(), key: "x\(number)", network: "x\(number)", nowMs: 1) }
    #expect(authorizations.count == Limits.authorizationsMax)
    #expect(authorizations.consume(key: "own", state: "s", nowMs: 1) != nil)
    #expect(authorizations.consume(key: "51", state: "s", nowMs: 1) != nil)
    #expect(authorizations.consume(key: "50", state: "s", nowMs: 1) == nil)
  }
}
