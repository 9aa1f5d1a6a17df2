/// A word of a folded text.
struct Token {
  /// The kinds of characters in the word.
  struct Content: OptionSet {
    let rawValue: UInt8
    static let letter = Content(rawValue: 1)
    static let digit = Content(rawValue: 2)
    /// A character that is written without spaces between words: Han or kana.
    static let ideograph = Content(rawValue: 4)
    /// A dot precedes the word: "47.6" is a number, not two parts of a code.
    static let afterDot = Content(rawValue: 8)
    /// A lower-case letter: "or" is a word, "OR" a code.
    static let lower = Content(rawValue: 16)
  }

  /// Range of bytes in the folded text, `start` up to but not including `end`.
  var start: UInt16
  var end: UInt16
  /// Range of bytes in the original text, `from` up to but not including `to`.
  var from: UInt16
  var to: UInt16
  /// Number of the segment, which commas separate.
  var segment: UInt8
  var content: Content
  /// Role of the word, which `NameMatcher` sets.
  var role = Vocabulary.Role.none
  /// Weight of the word in the coverage.
  var weight: UInt8 = 0

  var isNumber: Bool { content.contains(.digit) }
}
