/// HTML, written as text: what is put into it is escaped.
struct HTMLWriter: Sendable {
  private(set) var text = ""

  /// An element with what the body writes into it.
  mutating func element(
    _ name: String, _ attributes: KeyValuePairs<String, String> = [:], _ body: (inout HTMLWriter) -> Void
  ) {
    open(name, attributes)
    body(&self)
    text += "</\(name)>"
  }

  /// An element with a text.
  mutating func element(_ name: String, _ attributes: KeyValuePairs<String, String> = [:], _ content: String) {
    element(name, attributes) { $0.add(content) }
  }

  /// An element that holds nothing and has no end.
  mutating func void(_ name: String, _ attributes: KeyValuePairs<String, String>) { open(name, attributes) }

  /// A text.
  mutating func add(_ content: String) { text += HTMLWriter.escaped(content) }

  /// A text in which `backquotes` mark code.
  mutating func addMarked(_ content: String) {
    for (index, part) in content.split(separator: "`", omittingEmptySubsequences: false).enumerated() {
      if index.isMultiple(of: 2) { add(String(part)) } else { element("code", [:], String(part)) }
    }
  }

  /// The same in paragraphs, with an empty line between each two.
  mutating func addParagraphs(_ content: String) {
    for paragraph in content.split(separator: "\n\n") { element("p") { $0.addMarked(String(paragraph)) } }
  }

  /// What is meant to be HTML: a style sheet, the document's type.
  mutating func addRaw(_ markup: String) { text += markup }

  private mutating func open(_ name: String, _ attributes: KeyValuePairs<String, String>) {
    text += "<\(name)"
    for (name, value) in attributes { text += " \(name)=\"\(HTMLWriter.escaped(value))\"" }
    text += ">"
  }

  private static func escaped(_ content: String) -> String {
    var escaped = ""
    for scalar in content.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
