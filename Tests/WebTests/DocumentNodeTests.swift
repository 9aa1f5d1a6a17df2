import Testing

@testable import Web

@Suite("DocumentNode")
struct DocumentNodeTests {
  private func node(_ text: String) throws -> DocumentNode { try DocumentNode(Array(text.utf8)) }

  @Test("Members keep their order, strings are decoded, and other values keep their text")
  func values() throws {
    let node = try node(#" {"b": 1.50, "a": ["\u00e9\"\\", true, null, []], "c": {}, "": -1e7} "#)
    #expect(node.members.map(\.name) == ["b", "a", "c", ""])
    #expect(node["b"]?.plain == "1.50" && node[""]?.plain == "-1e7" && node["d"] == nil)
    #expect(node["a"]?.elements.map(\.plain) == ["é\"\\", "true", "null", "[]"])
    #expect(node["a"]?.elements.first?.string == "é\"\\" && node["b"]?.string == nil)
  }

  @Test("A nested value's text loses the indentation of its surroundings")
  func text() throws {
    let node = try node("{\n  \"a\": {\n    \"b\": [\n      1\n    ]\n  }\n}")
    #expect(node["a"]?.text == "{\n  \"b\": [\n    1\n  ]\n}")
    #expect(node["a"]?["b"]?.text == "[\n  1\n]")
  }

  @Test(
    "Malformed JSON is refused with the offset of the error",
    arguments: [
      ("", 0), ("{", 1), ("{\"a\"}", 4), ("{\"a\":}", 5), ("{\"a\":1,}", 7), ("[1 2]", 3), ("[1,]", 3), ("\"a", 0),
      ("\"\\x\"", 0), ("1.2.3", 0), ("nul", 0), ("1 1", 2), ("\u{feff}1", 0), ("{a:1}", 1), ("\"\\", 0),
    ])
  func malformed(text: String, offset: Int) {
    #expect(throws: DocumentNode.Malformed(offset: offset)) { try node(text) }
  }
}
