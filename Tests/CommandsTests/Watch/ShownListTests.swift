import Conformance
import Testing

@testable import Commands

@Suite("The lists that a subscriber under examination prints")
struct ShownListTests {
  private let epoch = "000102030405060708090a0b0c0d0e0f"
  private let hash = "710a04baa044a6a4"

  @Test(
    "Each kind is read; a list is live where nothing else is said",
    arguments: [
      ("list", "", true), ("snapshot", "", true), ("delta", "", true), ("stale", "", false), ("lost", "", false),
      ("delta", #","live":false"#, false), ("stale", #","live":true"#, true),
    ])
  func kinds(kind: String, live: String, isLive: Bool) {
    let line = #"{"kind":"\#(kind)","epoch":"\#(epoch)","seq":7,"stateHash":"\#(hash)","more":[1]\#(live)}"#
    #expect(ShownList.read(line[...]) == .init(epoch: epoch, seq: 7, hash: hash, isLive: isLive))
  }

  @Test("A hash as a number, or none, is handed to the exam, which says what is right")
  func otherForms() {
    let decimal = #"{"kind":"delta","epoch":"AAECAwQFBgcICQoLDA0ODw==","seq":7,"stateHash":8148069129396725412}"#
    let shown = ShownList.read(decimal[...])
    #expect(shown?.hash == "8148069129396725412" && shown?.epoch == "aaecawqfbgcicqolda0odw==" && shown?.isLive == true)
    #expect(ShownList.read(#"{"kind":"snapshot"}"#)?.epoch == "")
  }

  @Test("Other lines tell no list", arguments: ["", "hello", "{}", #"{"kind":"other"}"#, #"["kind"]"#, #"{"kind":1}"#])
  func others(line: String) {
    #expect(ShownList.read(line[...]) == nil)
  }
}
