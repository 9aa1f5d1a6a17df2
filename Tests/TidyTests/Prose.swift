/// The prose of one file, in passages.
struct Prose: Sendable {
  let path: String
  let lineCount: Int
  /// The paragraphs of each doc comment.
  private(set) var docComments: [[Passage]] = []
  private(set) var comments: [Passage] = []
  /// Display names of tests and suites.
  private(set) var names: [Passage] = []
  /// The contents of string literals, in one passage.
  private(set) var strings: [Passage] = []
  /// Paragraphs, headings and table rows of a document, or comments of a .proto file.
  private(set) var document: [Passage] = []

  /// Files whose string literals are lists of words, and not prose.
  private static let wordLists: Set = [
    "Sources/Domain/Accounts/CommonPasswords.swift", "Sources/Gazetteer/Text/Vocabulary.swift",
  ]

  /// The signs that begin a line of a comment, by the ending or the name of a file. Comments after code have no rules,
  /// and Python strings have rules only as docstrings.
  private static let lineMarks: [String: [String]] = {
    let slashes = ["//", "/*", "*/", "*"]
    let numberSigns = Dictionary(
      uniqueKeysWithValues: ["py", "sh", "yml", "yaml", "toml", "service", "target", "Makefile", "Dockerfile"].map {
        ($0, ["#"])
      })
    return numberSigns.merging(["js": slashes, "mjs": slashes, "c": slashes, "h": slashes, "css": slashes]) { $1 }
  }()

  /// Nil for a file without prose that has rules.
  init?(_ file: SourceFile) {
    path = file.path
    lineCount = file.text.utf8.filter { $0 == newline }.count
    if path.hasSuffix(".swift") {
      readComments(file.swift)
      if file.isUnder("Tests") { readNames(file.swift) }
      if file.isUnder("Sources"), !Self.wordLists.contains(path) {
        strings = [Passage(file.swift.strings, line: 1, isParagraph: false)]
      }
    } else if path.hasSuffix(".proto") {
      readComments(SwiftText(file.text))
      document = comments + docComments.flatMap { $0 }
      (comments, docComments) = ([], [])
    } else if path.hasSuffix(".md") {
      var markdown = Markdown()
      for (index, line) in lines(file.text).enumerated() { markdown.add(Substring(line), line: index + 1) }
      document = markdown.finish()
    } else if path.hasSuffix("openapi.json") {
      document = [Passage(file.text, line: 1, isParagraph: false)]
    } else if let marks = Self.lineMarks[String(path.split(separator: "/").last?.split(separator: ".").last ?? "")] {
      readLines(file.text, marks: marks)
    } else {
      return nil
    }
  }

  var everything: [Passage] { docComments.flatMap { $0 } + comments + names + strings + document }

  /// Reads blocks of lines with the same kind of comment. A comment after code is a separate block.
  private mutating func readComments(_ text: SwiftText) {
    var block = Markdown()
    var openMarker: Int?
    func close(_ prose: inout Prose) {
      let passages = block.finish()
      if openMarker == 3, !passages.isEmpty { prose.docComments.append(passages) }
      if openMarker != 3 { prose.comments += passages }
      openMarker = nil
    }
    for (index, (comment, code)) in zip(lines(text.comments), lines(text.code)).enumerated() {
      let content = comment.drop(while: isBlank)
      let slashes = content.prefix(3).prefix { $0 == slash }.count
      let marker = content.isEmpty ? nil : slashes < 2 ? 0 : slashes
      let isAlone = marker == nil || code.allSatisfy(isBlank)
      if marker != openMarker || !isAlone { close(&self) }
      guard let marker else { continue }
      openMarker = marker
      // In a block comment, a line may begin with slashes and stars.
      let body = marker > 0 ? content.dropFirst(marker) : content.drop { isBlank($0) || $0 == slash || $0 == star }
      block.add(Substring(body), line: index + 1)
      if !isAlone { close(&self) }
    }
    close(&self)
  }

  /// Reads comments that fill their lines, and docstrings of Python.
  private mutating func readLines(_ text: String, marks: [String]) {
    var block = Markdown()
    // The open string between triple quotation marks: true for a docstring, false for another string, nil for none.
    var isDocstring: Bool?
    for (index, line) in lines(text).enumerated() {
      let content = Substring(line).drop { $0 == " " || $0 == "\t" }
      let quotes = marks == ["#"] ? content.ranges(of: "\"\"\"").count : 0
      let isProse = isDocstring ?? (quotes > 0 && content.hasPrefix("\"\"\""))
      if !quotes.isMultiple(of: 2) { isDocstring = isDocstring == nil ? isProse : nil }
      if isProse {
        block.add(Substring(content.replacing("\"\"\"", with: "")), line: index + 1)
      } else if isDocstring == nil, !content.hasPrefix("#!"), let mark = marks.first(where: { content.hasPrefix($0) }) {
        block.add(content.dropFirst(mark.count), line: index + 1)
      } else {
        comments += block.finish()
      }
    }
    comments += block.finish()
  }

  private mutating func readNames(_ text: SwiftText) {
    let code = Array(text.code.utf8)
    let strings = Array(text.strings.utf8)
    var line = 1
    for (index, byte) in code.enumerated() {
      if byte == newline { line += 1 }
      guard byte == UInt8(ascii: "@"),
        let attribute = ["@Test(", "@Suite("].first(where: { code[index...].starts(with: $0.utf8) }),
        let start = code[(index + attribute.utf8.count)...].firstIndex(where: { !isBlank($0) && $0 != newline }),
        code[start] == quote, let end = code[(start + 1)...].firstIndex(of: quote)
      else { continue }
      let name = String(decoding: strings[(start + 1)..<end], as: UTF8.self)
      names.append(Passage(name, line: line + code[index..<start].filter { $0 == newline }.count))
    }
  }
}

extension SourceTree {
  /// The prose of all handwritten files, read once.
  static let prose: [Prose] = texts.filter { !$0.isGenerated }.compactMap { Prose($0) }
}

/// Splits Markdown into paragraphs, headings and table rows. Leaves out code blocks, directives and link definitions.
private struct Markdown {
  private var passages: [Passage] = []
  private var paragraph = ""
  private var firstLine = 0
  /// The marker of the code block that is open.
  private var fence: Substring?

  mutating func add(_ source: Substring, line: Int) {
    let indented = source.drop { $0 == " " || $0 == "\t" }
    if let marker = fence {
      if indented.hasPrefix(marker) { fence = nil }
      return
    }
    if indented.hasPrefix("```") || indented.hasPrefix("~~~") {
      endParagraph()
      fence = indented.prefix(3)
      return
    }
    let text = indented.drop { $0 == ">" || $0 == " " }
    let marker = Self.listMarker(of: text)
    let isCode = paragraph.isEmpty && marker == 0 && source.hasPrefix("    ")
    guard let first = text.first, first != "@", !isCode, !Self.isDefinition(text) else { return endParagraph() }
    if first == "|" || first == "#" {
      endParagraph()
      passages.append(Passage(text, line: line, isParagraph: false))
      return
    }
    if marker > 0 { endParagraph() }
    if paragraph.isEmpty { firstLine = line } else { paragraph += "\n" }
    paragraph += text.dropFirst(marker)
  }

  /// Returns the passages since the last call.
  mutating func finish() -> [Passage] {
    endParagraph()
    fence = nil
    defer { passages = [] }
    return passages
  }

  private mutating func endParagraph() {
    if !paragraph.isEmpty { passages.append(Passage(paragraph, line: firstLine)) }
    paragraph = ""
  }

  /// The length of the list marker at the start of a line. 0 without one.
  private static func listMarker(of text: Substring) -> Int {
    let digits = text.prefix { $0.isASCII && $0.isNumber }.count
    let signs: [Substring] = digits == 0 ? ["- ", "* ", "+ "] : [". ", ") "]
    return signs.contains(text.dropFirst(digits).prefix(2)) ? digits + 2 : 0
  }

  /// True for `[name]: https://example.org`.
  private static func isDefinition(_ text: Substring) -> Bool {
    guard text.first == "[", let end = text.firstIndex(of: "]") else { return false }
    return text[end...].hasPrefix("]:")
  }
}

private let newline = UInt8(ascii: "\n")
private let quote = UInt8(ascii: "\"")
private let slash = UInt8(ascii: "/")
private let star = UInt8(ascii: "*")

private func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

private func lines(_ text: String) -> [Substring.UTF8View] {
  text.utf8.split(separator: newline, omittingEmptySubsequences: false)
}
