import Testing
import Web

@Suite("Quality values")
struct QualityValuesTests {
  @Test(
    "Values come in descending order of weight, and a weight of 0 forbids a value",
    arguments: [
      (nil, []), ("", []), ("de", ["de"]), ("en, de", ["en", "de"]), ("en;q=0.5, de", ["de", "en"]),
      ("fr;q=0, en;q=0.1", ["en"]), ("EN-gb ; Q=0.8 , es;q=0.9", ["es", "en-gb"]), ("de;q=2, en;q=x, fr", ["fr"]),
      ("a;q=0.5, b;q=0.5, c;q=0.5", ["a", "b", "c"]),
    ] as [(String?, [String])])
  func preferred(header: String?, expected: [String]) {
    #expect(QualityValues(header).preferred == expected)
  }
}
