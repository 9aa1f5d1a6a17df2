import Testing

/// A word of prose. A code span is one word.
struct Word: Sendable {
  /// The word as written, with the punctuation around it.
  let text: String
  /// The word in lower case, without the punctuation around it. A code span in it is one backtick.
  let key: String
  let line: Int
  /// True if punctuation separates the word from the previous word, so that the two form no phrase.
  let startsPhrase: Bool
  let endsSentence: Bool
}

/// A paragraph, a heading, a table row, a test name or another piece of prose.
struct Passage: Sendable {
  let words: [Word]
  /// False for headings, table rows and string literals. Their sentences have no limit.
  let isParagraph: Bool

  init(_ text: some StringProtocol, line: Int, isParagraph: Bool = true) {
    var scanner = WordScanner(text, line: line)
    scanner.scan()
    words = scanner.words
    self.isParagraph = isParagraph
  }

  var sentences: [ArraySlice<Word>] {
    var sentences: [ArraySlice<Word>] = []
    var rest = words[...]
    while !rest.isEmpty {
      let end = (rest.firstIndex { $0.endsSentence } ?? rest.endIndex - 1) + 1
      sentences.append(rest[..<end])
      rest = rest[end...]
    }
    return sentences
  }
}

extension Collection where Element == Word {
  /// The first words, for a message.
  var excerpt: String { self.prefix(12).map(\.text).joined(separator: " ") }
}

/// Splits text into words. Leaves out the targets of links.
private struct WordScanner {
  /// Abbreviations whose full stop ends no sentence.
  private static let abbreviations: Set = ["approx", "cf", "e.g", "etc", "i.e", "incl", "vs"]
  private static let opening: Set<Unicode.Scalar> = ["(", "[", "\"", "“"]
  private static let separating: Set<Unicode.Scalar> = [
    ".", ",", ";", ":", "!", "?", ")", "]", "\"", "”", "—", "…",
  ]
  private static let closing: Set<Unicode.Scalar> = [")", "]", "\"", "”", "'", "’", "*", "_"]
  /// The longest code span, in scalars. The search for its end stops here, because a backtick may also stand alone.
  private static let longestSpan = 300

  private let scalars: [Unicode.Scalar]
  private var position = 0
  private var line: Int
  /// The current word: its first line, its text, and its text with a backtick for each code span.
  private var firstLine: Int
  private var written = String.UnicodeScalarView()
  private var bare: [Unicode.Scalar] = []
  private var startsPhrase = true
  private(set) var words: [Word] = []

  init(_ text: some StringProtocol, line: Int) {
    scalars = Array(text.unicodeScalars)
    self.line = line
    firstLine = line
  }

  mutating func scan() {
    while position < scalars.count {
      switch scalars[position] {
      case " ", "\t", "\n":
        endWord()
        skipSpace()
      case "`": takeCode()
      case "<": takeAddress()
      case "]":
        take()
        if position < scalars.count, scalars[position] == "(" { skipTarget() }
      case "\\":
        // An escape in a string literal.
        endWord()
        startsPhrase = true
        position += 2
      default: take()
      }
    }
    endWord()
  }

  private mutating func beginWord() { if bare.isEmpty { firstLine = line } }

  private mutating func take() {
    beginWord()
    written.append(scalars[position])
    bare.append(scalars[position])
    position += 1
  }

  /// Takes all scalars up to `end` as one part of a word.
  private mutating func takeSpan(upTo end: Int) {
    beginWord()
    let span = scalars[position..<end]
    written.append(contentsOf: span.map { $0 == "\n" ? " " : $0 })
    bare.append("`")
    line += span.filter { $0 == "\n" }.count
    position = end
  }

  private mutating func takeCode() {
    let marks = run(at: position)
    let limit = min(scalars.count, position + Self.longestSpan)
    var end = position + marks
    while end < limit {
      let found = run(at: end)
      if found == marks { return takeSpan(upTo: end + marks) }
      end += max(found, 1)
    }
    position += marks
  }

  /// Returns the number of consecutive backticks from an index.
  private func run(at index: Int) -> Int { scalars[index...].prefix { $0 == "`" }.count }

  /// Takes `<https://example.org>` as one word, and any other bracket as punctuation.
  private mutating func takeAddress() {
    let rest = scalars[position...].prefix(Self.longestSpan)
    guard let end = rest.firstIndex(where: { $0 == ">" || Self.isSpace($0) }), scalars[end] == ">" else {
      return take()
    }
    takeSpan(upTo: end + 1)
  }

  private mutating func skipTarget() {
    var depth = 0
    repeat {
      depth += scalars[position] == "(" ? 1 : scalars[position] == ")" ? -1 : 0
      position += 1
    } while depth > 0 && position < scalars.count && scalars[position] != "\n"
  }

  private mutating func skipSpace() {
    let space = scalars[position...].prefix { Self.isSpace($0) }
    let lines = space.filter { $0 == "\n" }.count
    // A wide gap within a line separates two string literals.
    if lines == 0, space.count > 1 { startsPhrase = true }
    line += lines
    position = space.endIndex
  }

  private mutating func endWord() {
    guard !bare.isEmpty else { return }
    defer {
      written.removeAll(keepingCapacity: true)
      bare.removeAll(keepingCapacity: true)
    }
    guard let first = bare.firstIndex(where: Self.isLetter), let last = bare.lastIndex(where: Self.isLetter) else {
      startsPhrase = true
      return
    }
    let core: [Unicode.Scalar] = bare[first...last].map { $0 == "’" ? "'" : $0 }
    let key = String(String.UnicodeScalarView(core)).lowercased()
    let tail = bare[(last + 1)...]
    let opens = bare[..<first].contains { Self.opening.contains($0) }
    words.append(
      Word(
        text: String(written), key: key, line: firstLine, startsPhrase: startsPhrase || opens,
        endsSentence: Self.endsSentence(tail) && !Self.abbreviations.contains(key)))
    startsPhrase = tail.contains { Self.separating.contains($0) }
  }

  /// Returns true if the punctuation after a word ends a sentence. An ellipsis does not.
  private static func endsSentence(_ tail: ArraySlice<Unicode.Scalar>) -> Bool {
    guard let end = tail.lastIndex(where: { !closing.contains($0) }) else { return false }
    switch tail[end] {
    case "!", "?": return true
    case ".": return end == tail.startIndex || tail[end - 1] != "."
    default: return false
    }
  }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" || scalar == "\n" }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "`": true
    default: !scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
    }
  }
}

@Suite("Words and sentences")
struct ProseTextTests {
  @Test(
    "A sentence ends at a full stop, a question mark or an exclamation mark",
    arguments: [
      ("One two. Three! Four?", [2, 1, 1]),
      ("Wait, e.g. for 0.5 s. Next", [5, 1]),
      ("Run `a b. c` (see `d`). libzmq retries.", [4, 2]),
      ("He says \"no.\" Then [a link](https://example.org/a. b) **ends.** Now", [3, 4, 1]),
      ("Version 3.40.1 of Package.swift, and … so on", [7]),
      ("A — b · <https://example.org/a.b> c.", [4]),
      ("Tokyo is 東京. München", [3, 1]),
    ])
  func sentences(text: String, lengths: [Int]) {
    #expect(Passage(text, line: 1).sentences.map(\.count) == lengths)
  }

  @Test("A word has its line, its text and its key")
  func words() {
    let words = Passage("\"One’s\"\n  (`a\nb`'s) own", line: 7).words
    #expect(words.map(\.line) == [7, 8, 9])
    #expect(words.map(\.text) == ["\"One’s\"", "(`a b`'s)", "own"])
    #expect(words.map(\.key) == ["one's", "`'s", "own"])
  }

  @Test("Punctuation, a wide gap and an escape separate phrases")
  func phrases() {
    let words = Passage("a b, c d (e) f  g\n h\\ni", line: 1).words
    #expect(words.filter(\.startsPhrase).map(\.key) == ["a", "c", "e", "f", "g", "i"])
  }
}
