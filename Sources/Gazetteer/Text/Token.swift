/// A word of a folded text.
struct Token {
  /// What its characters are.
  struct Content: OptionSet {
    let rawValue: UInt8
    static let letter = Content(rawValue: 1)
    static let digit = Content(rawValue: 2)
    /// Characters written without spaces between words: Han and kana.
    static let ideograph = Content(rawValue: 4)
    /// A dot stands before it: "47.6" is a number, not two parts of a code.
    static let afterDot = Content(rawValue: 8)
    /// A small letter: "or" is a word, "OR" a code.
    static let lower = Content(rawValue: 16)
  }

  /// Bytes of the folded text.
  var start: UInt16
  var end: UInt16
  /// Bytes of the text as typed.
  var from: UInt16
  var to: UInt16
  /// Number of the part between commas.
  var segment: UInt8
  var content: Content
  /// What the word says of others, told by `NameMatcher`.
  var role = Vocabulary.Role.none
  /// How much it counts when coverage is taken.
  var weight: UInt8 = 0

  var isNumber: Bool { content.contains(.digit) }
}
