/// A writer of HTML as text. It escapes text and attributes.
package struct HTMLWriter: Sendable {
  /// The markup so far.
  package private(set) var text = ""

  package init() {}

  /// Writes an element whose content the closure writes.
  package mutating func element(
    _ name: String, _ attributes: KeyValuePairs<String, String> = [:], _ body: (inout HTMLWriter) -> Void
  ) {
    open(name, attributes)
    body(&self)
    text += "</\(name)>"
  }

  /// Writes an element that contains a text.
  package mutating func element(_ name: String, _ attributes: KeyValuePairs<String, String> = [:], _ content: String) {
    element(name, attributes) { $0.add(content) }
  }

  /// Writes an element without content and without an end tag.
  package mutating func void(_ name: String, _ attributes: KeyValuePairs<String, String>) { open(name, attributes) }

  /// Writes a text.
  package mutating func add(_ content: String) { text += HTMLWriter.escaped(content) }

  /// Writes a text in which `backquotes` mark code.
  package mutating func addMarked(_ content: String) {
    for (index, part) in content.split(separator: "`", omittingEmptySubsequences: false).enumerated() {
      if index.isMultiple(of: 2) { add(String(part)) } else { element("code", [:], String(part)) }
    }
  }

  /// Writes a text with marked code in paragraphs, which empty lines separate.
  package mutating func addParagraphs(_ content: String) {
    for paragraph in content.split(separator: "\n\n") { element("p") { $0.addMarked(String(paragraph)) } }
  }

  /// Writes markup without escaping, such as a style sheet.
  package mutating func addRaw(_ markup: String) { text += markup }

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
