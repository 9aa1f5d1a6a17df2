import Domain
import Testing

@Suite("Submit admission of producers")
struct SubmitAdmissionTests {
  private let ada = AccountID(rawValue: 1)
  private let peer: [UInt8] = [1]

  /// An admission that knows the peer's token from time 0.
  private func known(as identity: SubmitAdmission.Identity) -> SubmitAdmission {
    var admission = SubmitAdmission()
    _ = admission.begin(peer, token: "t", nowMs: 0)
    admission.recordIdentity(peer, token: "t", identity: identity, nowMs: 0)
    admission.end(peer)
    return admission
  }

  @Test("The first request authenticates the token, requests behind it wait, and later requests are admitted")
  func once() {
    var admission = SubmitAdmission()
    var decisions = [admission.begin(peer, token: "t", nowMs: 0)]
    for _ in 0..<3 { decisions.append(admission.begin(peer, token: "t", nowMs: 0)) }
    #expect(decisions == [.authenticate, .wait, .wait, .wait])
    admission.recordIdentity(peer, token: "t", identity: .account(ada), nowMs: 5)
    let later = admission.begin(peer, token: "t", nowMs: 6)
    #expect(later == .admit(ada))
    #expect(admission.unanswered == 5)
  }

  @Test("An authentication is cached for a second, whether the token is valid or not")
  func time() {
    var good = known(as: .account(ada))
    let (last, after) = (
      good.begin(peer, token: "t", nowMs: Limits.submitTokenMs - 1), good.begin(peer, token: "t", nowMs: 1_000)
    )
    #expect(last == .admit(ada) && after == .authenticate)
    var bad = known(as: .unauthenticated)
    let refused = bad.begin(peer, token: "t", nowMs: Limits.submitTokenMs - 1)
    #expect(refused == .unauthorized && bad.unanswered == 0, "A refused request holds no slot.")
    let again = bad.begin(peer, token: "t", nowMs: Limits.submitTokenMs)
    #expect(again == .authenticate)
  }

  @Test("Another token or another connection is authenticated on its own")
  func others() {
    var admission = known(as: .account(ada))
    let token = admission.begin(peer, token: "u", nowMs: 1)
    let connection = admission.begin([2], token: "t", nowMs: 1)
    #expect(token == .authenticate && connection == .authenticate)
    // A late result for the earlier token does not apply to the current one.
    admission.recordIdentity(peer, token: "t", identity: .account(ada), nowMs: 2)
    let waits = admission.begin(peer, token: "u", nowMs: 3)
    #expect(waits == .wait)
  }

  @Test("A failed authentication is not cached")
  func failure() {
    var admission = SubmitAdmission()
    _ = admission.begin(peer, token: "t", nowMs: 0)
    admission.recordIdentity(peer, token: "t", identity: nil, nowMs: 0)
    let next = admission.begin(peer, token: "t", nowMs: 0)
    #expect(next == .authenticate)
  }

  @Test("A connection holds requests up to its limit, then gets busy until a reply frees a slot")
  func connectionLimit() {
    var admission = known(as: .account(ada))
    func begin() -> SubmitAdmission.Decision { admission.begin(peer, token: "t", nowMs: 1) }
    for number in 1...Limits.submitRequestsOfConnectionMax {
      let decision = begin()
      #expect(decision == .admit(ada), "\(number)")
    }
    let full = begin()
    #expect(full == .busy && admission.unanswered == Limits.submitRequestsOfConnectionMax)
    let other = admission.begin([2], token: "t", nowMs: 1)
    #expect(other == .authenticate, "Other connections have free slots.")
    admission.end(peer)
    let (one, none) = (begin(), begin())
    #expect(one == .admit(ada) && none == .busy)
  }

  @Test("A request above the total limit gets busy, whatever its connection")
  func totalLimit() {
    var admission = SubmitAdmission()
    for number in 0..<Limits.submitRequestsMax {
      let decision = admission.begin([UInt8(number / 8)], token: "t", nowMs: 0)
      #expect(decision == (number % 8 == 0 ? .authenticate : .wait))
    }
    let full = admission.begin([255], token: "t", nowMs: 0)
    #expect(full == .busy && admission.unanswered == Limits.submitRequestsMax)
    admission.end([0])
    let decision = admission.begin([255], token: "t", nowMs: 0)
    #expect(decision == .authenticate)
  }

  @Test("Memory for connections is bounded, and connections with pending requests stay known")
  func memory() {
    var admission = SubmitAdmission()
    _ = admission.begin(peer, token: "t", nowMs: 0)
    for number in 0..<5_000 {
      let other = [9] + withUnsafeBytes(of: number) { Array($0) }
      _ = admission.begin(other, token: "t", nowMs: 0)
      admission.end(other)
      #expect(admission.producerCount <= Limits.submitProducersMax)
    }
    let waits = admission.begin(peer, token: "t", nowMs: 0)
    #expect(waits == .wait && admission.unanswered == 2)
  }

  @Test("A reply to an unknown peer changes nothing")
  func unknownPeer() {
    var admission = known(as: .account(ada))
    admission.end(peer)
    admission.end([7])
    admission.recordIdentity([7], token: "t", identity: .unauthenticated, nowMs: 0)
    #expect(admission.unanswered == 0 && admission.producerCount == 1)
  }
}
