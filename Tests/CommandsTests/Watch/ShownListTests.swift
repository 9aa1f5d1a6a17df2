import Conformance
import Testing

@testable import Commands

@Suite("Lists printed by a subscriber under a conformance run")
struct ShownListTests {
  private let epoch = "000102030405060708090a0b0c0d0e0f"
  private let hash = "710a04baa044a6a4"

  @Test(
    "Each kind of line gives a list, which is live by its kind or by the member live",
    arguments: [
      ("snapshot", "", true), ("delta", "", true), ("stale", "", false), ("resync", "", false),
      ("delta", #","live":false"#, false), ("stale", #","live":true"#, true),
    ])
  func kinds(kind: String, live: String, isLive: Bool) {
    let line = #"{"kind":"\#(kind)","epoch":"\#(epoch)","seq":7,"stateHash":"\#(hash)","more":[1]\#(live)}"#
    #expect(ShownList.read(line[...]) == .init(epoch: epoch, seq: 7, hash: hash, isLive: isLive))
  }

  @Test("Hashes in other forms are passed on to the conformance rules")
  func otherForms() {
    let decimal = #"{"kind":"delta","epoch":"AAECAwQFBgcICQoLDA0ODw==","seq":7,"stateHash":8148069129396725412}"#
    let shown = ShownList.read(decimal[...])
    #expect(shown?.hash == "8148069129396725412" && shown?.epoch == "aaecawqfbgcicqolda0odw==" && shown?.isLive == true)
    #expect(ShownList.read(#"{"kind":"snapshot"}"#)?.epoch == "")
  }

  @Test(
    "Lines without a list are ignored",
    arguments: [
      "", "hello", "{}", #"{"kind":"other"}"#, #"{"kind":"list"}"#, #"{"kind":"lost"}"#, #"["kind"]"#, #"{"kind":1}"#,
    ])
  func others(line: String) {
    #expect(ShownList.read(line[...]) == nil)
  }
}
