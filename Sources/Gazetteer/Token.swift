/// A word of a folded text.
struct Token {
  /// What its characters are.
  struct Content: OptionSet {
    let rawValue: UInt8
    static let letter = Content(rawValue: 1)
    static let digit = Content(rawValue: 2)
    /// Characters written without spaces between words: Han and kana.
    static let ideograph = Content(rawValue: 4)
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
}
