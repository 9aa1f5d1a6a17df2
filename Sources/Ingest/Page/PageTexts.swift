import Domain
import Foundation

/// The page's texts in one language, from Sources/WebPage/texts.
struct PageTexts: Sendable {
  /// The texts as a script, which defines `texts`.
  let script: String
  /// Code of the language.
  let language: String
  private let texts: [String: JSONValue]

  /// Parses the texts of a language. Stops the program if they are no JSON object, because they are a part of it.
  init(language: String, json: String) {
    guard let texts = try? JSONDecoder().decode([String: JSONValue].self, from: Data(json.utf8)) else {
      preconditionFailure("The page's texts are not a JSON object.")
    }
    self.language = language
    self.texts = texts
    script = "globalThis.texts = \(json.trimmedLine);\n"
  }

  /// The text with this key. Stops the program if there is none. A text with plural forms has no single text.
  subscript(key: String) -> String {
    guard let text = texts[key]?.string else { preconditionFailure("The page has no text \(key).") }
    return text
  }

  /// Returns the text with this key, in which values replace `{placeholders}`. A value is never searched for further
  /// placeholders.
  func text(_ key: String, _ values: [String: String]) -> String {
    self[key].replacing(/\{(\w+)\}/) { values[String($0.1)] ?? String($0.0) }
  }

  /// Returns a document in this language: with the texts that its attributes `data-text` and `data-label` name.
  func translate(_ document: String) -> String {
    document.replacing("<html lang=\"en\">", with: "<html lang=\"\(language)\">")
      .replacing(/\ data-text="([a-z.-]+)"([^>]*)>[^<]*/) { match in
        "\(match.2)>\(PageTexts.escaped(self[String(match.1)]))"
      }
      .replacing(/data-label="([a-z.-]+)"/) { match in
        "aria-label=\"\(PageTexts.escaped(self[String(match.1)]))\""
      }
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
  }
}
