import Testing

@testable import Domain

@Suite("Secrets")
struct SecretTests {
  private struct Holder {
    let name = "app"
    let secret: Secret? = Secret("s3cret")
  }

  @Test("A secret appears in no description or dump of itself or its holder")
  func hidden() {
    var dumped = ""
    dump(Holder(), to: &dumped)
    for text in ["\(Secret("s3cret"))", "\(Holder())", String(reflecting: Holder()), "\([Secret("s3cret")])", dumped] {
      #expect(!text.contains("s3cret") && text.contains("***"), "\(text)")
    }
    #expect(Secret("s3cret").text == "s3cret" && Secret("a") != Secret("b"))
  }
}
