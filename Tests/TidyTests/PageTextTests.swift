import Foundation
import Testing

/// Rules for the page's texts in Sources/WebPage/texts: one JSON object for each language.
@Suite("The page's texts")
struct PageTextTests {
  /// The texts by language and key, each with its plural forms. A text without plural forms has one with an empty name.
  private let languages: [String: [String: [String: String]]]
  private let sources = SourceTree.texts.filter {
    $0.isUnder("Sources/WebPage") && ($0.path.hasSuffix(".js") || $0.path.hasSuffix(".html"))
  }

  init() throws {
    let files = SourceTree.texts.filter { $0.isUnder("Sources/WebPage/texts") }
    languages = try Dictionary(
      uniqueKeysWithValues: files.map { file in
        let object = try #require(try JSONSerialization.jsonObject(with: Data(file.text.utf8)) as? [String: Any])
        return (file.stem, object.mapValues { $0 as? [String: String] ?? ["": $0 as? String ?? ""] })
      })
  }

  @Test("Every language has a text for each key, with the same placeholders")
  func complete() throws {
    let english = try #require(languages["en"])
    #expect(languages.count > 1 && english.count > 200)
    func placeholders(_ text: String?) -> Set<String> {
      Set((text ?? "").matches(of: /\{\w+\}/).map { String($0.output) })
    }
    for (language, texts) in languages {
      #expect(Set(texts.keys).symmetricDifference(english.keys).sorted() == [], "\(language)")
      for (key, forms) in texts {
        #expect(!forms.isEmpty && !forms.values.contains(""), "\(language): \(key) is empty.")
        let (form, original) = (forms["other"] ?? forms[""], english[key]?["other"] ?? english[key]?[""])
        #expect(form != nil && placeholders(form) == placeholders(original), "\(language): \(key)")
        // The form for one may omit the number: "Your post".
        for other in forms.values { #expect(placeholders(other).isSubset(of: placeholders(original)), "\(key)") }
      }
    }
  }

  @Test("Each key is once in its file")
  func unique() {
    for file in SourceTree.texts where file.isUnder("Sources/WebPage/texts") {
      let keys = Pattern(#"^  "([^"]+)": "#).matches(in: file.text).map(\.text)
      let repeated = Dictionary(grouping: keys) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
      #expect(keys.count > 200 && repeated == [], "\(file.path)")
    }
  }

  @Test("The page has every text that its sources name, and no text that they never name")
  func used() throws {
    let english = try #require(languages["en"])
    let text = sources.map(\.text).joined(separator: "\n")
    let named = Pattern(#"(?:say\('|data-text="|data-label=")([a-z][\w.-]*)['"]"#).matches(in: text).map(\.text)
    #expect(named.count > 100)
    #expect(Set(named).subtracting(english.keys).sorted() == [])
    // A key may be composed, such as `state.${post.state}` or `${name}.post`. Its constant part then names it.
    let prefixes = Pattern(#"`([a-z][\w.-]*)\$\{"#).matches(in: text).map(\.text)
    let suffixes = Pattern(#"`\$\{[\w.]+\}([\w.-]+)`"#).matches(in: text).map(\.text)
    let quoted = Set(Pattern(#"['"]([a-z][\w.-]*)['"]"#).matches(in: text).map(\.text))
    let unnamed = english.keys.filter { key in
      !quoted.contains(key) && !prefixes.contains(where: key.hasPrefix) && !suffixes.contains(where: key.hasSuffix)
    }
    #expect(unnamed.sorted() == [], "Remove them.")
  }
}
