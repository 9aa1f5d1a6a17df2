/// A text in the form in which names are stored and looked up: folded tokens with one space between them. Works in
/// memory that the caller provides, so that a query allocates nothing.
package struct FoldedText {
  /// Alternative readings of a name. The builder stores all readings, and a query needs only the default one.
  package struct Reading: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// "Müller" as "mueller", in addition to "muller".
    package static let umlautsExpanded = Reading(rawValue: 1)
    /// "L'Aquila" as "l aquila", in addition to "laquila".
    package static let apostrophesSpaced = Reading(rawValue: 2)
  }

  let bytes: UnsafeMutableBufferPointer<UInt8>
  let tokens: UnsafeMutableBufferPointer<Token>
  fileprivate(set) var byteCount = 0
  /// Number of tokens, at most `GazetteerLimits.queryTokens`.
  package fileprivate(set) var tokenCount = 0
  /// True if the text did not fit. The rest after the last token is missing.
  package fileprivate(set) var isTruncated = false
  /// Readings that make a difference for this text.
  package fileprivate(set) var readings: Reading = []

  /// Returns the maximum size of a folded text, in bytes. "&", one byte, becomes "and" between two spaces. No other
  /// character grows more.
  package static func bytes(foldedFrom bytes: Int) -> Int { bytes * 5 + 6 }

  /// Calls `body` with an empty text. Its memory lasts only for the call.
  package static func withEmpty<Result>(
    bytes: Int = bytes(foldedFrom: GazetteerLimits.queryBytes), _ body: (inout FoldedText) throws -> Result
  ) rethrows -> Result {
    try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes) { buffer in
      try withUnsafeTemporaryAllocation(of: Token.self, capacity: GazetteerLimits.queryTokens) { tokens in
        var text = FoldedText(bytes: buffer, tokens: tokens)
        return try body(&text)
      }
    }
  }

  private init(bytes: UnsafeMutableBufferPointer<UInt8>, tokens: UnsafeMutableBufferPointer<Token>) {
    self.bytes = bytes
    self.tokens = tokens
  }

  /// Returns the folded bytes from token `first` up to but not including token `end`.
  func slice(_ first: Int, _ end: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      UnsafeBufferPointer(rebasing: bytes[Int(tokens[first].start)..<Int(tokens[end - 1].end)]))
  }

  /// All folded bytes.
  package var folded: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[..<byteCount]))
  }

  /// Replaces the content by the folded form of `text`. Invalid UTF-8 separates tokens.
  package mutating func fold(_ text: UnsafeBufferPointer<UInt8>, reading: Reading = []) {
    var folding = Folding(FoldedText(bytes: bytes, tokens: tokens))
    folding.add(text, reading, .standard)
    self = folding.result
  }
}

/// The state of a text while it is folded, character by character.
private struct Folding {
  typealias Reading = FoldedText.Reading

  private(set) var result: FoldedText
  private var segment: UInt8 = 0
  private var isOpen = false
  private var content: Token.Content = []
  private var start = 0
  private var isAfterDot = false
  /// Byte offset in the original text at which the open token begins.
  private var from = 0
  /// Byte offset in the original text at which the current character begins.
  private var position = 0
  /// Byte offset in the original text after the current character.
  private var next = 0
  /// Byte offset in the original text after the last appended character.
  private var to = 0
  /// Number of characters in the open token of Han and kana.
  private var ideographs = 0
  /// True if the last character ends the name of a division, such as 都 in 東京都.
  private var isAfterDivision = false
  /// Number of letters since the last dot within the token: "U.S.A." is one token, "St.Gallen" two.
  private var lettersSinceDot = 0

  init(_ empty: FoldedText) { result = empty }

  mutating func add(_ text: UnsafeBufferPointer<UInt8>, _ reading: Reading, _ fold: Fold) {
    while next < text.count, !result.isTruncated {
      position = next
      let byte = text[position]
      let letter = byte | 0x20
      if isOpen, letter &- UInt8(ascii: "a") < 26, result.byteCount < result.bytes.count {
        // The most frequent case: one more letter of a word.
        next += 1
        result.bytes[result.byteCount] = letter
        result.byteCount += 1
        to = next
        lettersSinceDot += 1
        content.formUnion(byte == letter ? [.letter, .lower] : .letter)
      } else if byte < 0x80 {
        next += 1
        foldASCII(byte, reading)
      } else {
        let (scalar, length) = decodeScalar(text, at: position)
        next += length
        foldScalar(scalar, fold, reading)
      }
    }
    endToken()
  }

  private mutating func foldASCII(_ byte: UInt8, _ reading: Reading) {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): append(byte, [.letter, .lower])
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): append(byte | 0x20, .letter)
    case UInt8(ascii: "0")...UInt8(ascii: "9"): append(byte, .digit)
    case UInt8(ascii: "'"), UInt8(ascii: "`"): apostrophe(reading)
    case UInt8(ascii: "."):
      if lettersSinceDot > 1 || !content.contains(.letter) { endToken() }
      lettersSinceDot = 0
      isAfterDot = !isOpen
    case UInt8(ascii: "&"):
      endToken()
      for letter in [UInt8(ascii: "a"), UInt8(ascii: "n"), UInt8(ascii: "d")] { append(letter, .letter) }
      endToken()
    case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "/"), UInt8(ascii: "|"), UInt8(ascii: "("),
      UInt8(ascii: ")"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "\n"), UInt8(ascii: "\r"),
      UInt8(ascii: "\t"):
      endSegment()
    default: endToken()
    }
  }

  private mutating func foldScalar(_ scalar: UInt32, _ fold: Fold, _ reading: Reading) {
    if let expanded = Self.expanded(scalar) {
      result.readings.insert(.umlautsExpanded)
      if reading.contains(.umlautsExpanded) {
        append(expanded.0, .letter)
        append(expanded.1, .letter)
        return
      }
    }
    var result = fold(scalar)
    switch result {
    case Fold.space: return endToken()
    case Fold.comma: return endSegment()
    case Fold.nothing:
      if Self.separates(scalar) { apostrophe(reading) }
      return
    case 0: appendUTF8(scalar)
    default:
      let isDigit = result < 0x80 && (0x30...0x39).contains(result)
      while result != 0 {
        append(UInt8(truncatingIfNeeded: result), isDigit ? .digit : .letter)
        result >>= 8
      }
    }
  }

  private mutating func appendUTF8(_ scalar: UInt32) {
    let isIdeograph =
      (0x3040...0x30FF).contains(scalar) || (0x3400...0x9FFF).contains(scalar) || (0x20000...0x3FFFF).contains(scalar)
    let content: Token.Content = isIdeograph ? [.letter, .ideograph] : .letter
    if isIdeograph {
      if isOpen, isAfterDivision { endToken() }
      ideographs = isOpen ? ideographs + 1 : 1
      isAfterDivision = ideographs >= 3 && Self.divisions.contains(scalar)
    }
    switch scalar {
    case ..<0x800:
      append(UInt8(0xC0 | scalar >> 6), content)
    case ..<0x10000:
      append(UInt8(0xE0 | scalar >> 12), content)
      append(UInt8(0x80 | scalar >> 6 & 0x3F), content)
    default:
      append(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18), content)
      append(UInt8(0x80 | scalar >> 12 & 0x3F), content)
      append(UInt8(0x80 | scalar >> 6 & 0x3F), content)
    }
    append(UInt8(0x80 | scalar & 0x3F), content)
  }

  @inline(__always)
  private mutating func append(_ byte: UInt8, _ kind: Token.Content) {
    if !isOpen {
      // Space for a separator and the longest character, and one more token.
      guard result.byteCount + 6 <= result.bytes.count, result.tokenCount < result.tokens.count else {
        result.isTruncated = true
        return
      }
      if result.byteCount > 0 {
        result.bytes[result.byteCount] = UInt8(ascii: " ")
        result.byteCount += 1
      }
      (isOpen, content, start, lettersSinceDot, from) = (true, [], result.byteCount, 0, position)
      if isAfterDot, position > 0 { content = .afterDot }
    }
    guard result.byteCount < result.bytes.count else {
      result.isTruncated = true
      return
    }
    result.bytes[result.byteCount] = byte
    result.byteCount += 1
    to = next
    lettersSinceDot += 1
    content.formUnion(kind)
  }

  private mutating func apostrophe(_ reading: Reading) {
    result.readings.insert(.apostrophesSpaced)
    if reading.contains(.apostrophesSpaced) { endToken() }
  }

  private mutating func endToken() {
    isAfterDot = false
    guard isOpen else { return }
    isOpen = false
    contract()
    result.tokens[result.tokenCount] = Token(
      start: UInt16(start), end: UInt16(result.byteCount), from: UInt16(from), to: UInt16(to), segment: segment,
      content: content)
    result.tokenCount += 1
    content = []
  }

  private mutating func endSegment() {
    endToken()
    if result.tokenCount > 0, result.tokens[result.tokenCount - 1].segment == segment, segment < .max { segment += 1 }
  }

  /// Contracts words such as "Saint" to "St.". The short form is kept, because it may also mean "street".
  private mutating func contract() {
    let token = UnsafeBufferPointer(rebasing: result.bytes[start..<result.byteCount])
    guard (4...6).contains(token.count) else { return }
    // Most words begin with another letter.
    switch token[0] {
    case UInt8(ascii: "s"), UInt8(ascii: "m"), UInt8(ascii: "f"): break
    default: return
    }
    if token.elementsEqual("saint".utf8) || token.elementsEqual("sainte".utf8) {
      result.bytes[start + 1] = UInt8(ascii: "t")
      if token.count == 6 { result.bytes[start + 2] = UInt8(ascii: "e") }
      result.byteCount = start + token.count - 3
    } else if token.elementsEqual("mount".utf8) {
      result.bytes[start + 1] = UInt8(ascii: "t")
      result.byteCount = start + 2
    } else if token.elementsEqual("fort".utf8) {
      result.bytes[start + 1] = UInt8(ascii: "t")
      result.byteCount = start + 2
    }
  }

  /// Characters that end the name of a division: "東京都渋谷区" is two names. They mean metropolis, circuit, urban
  /// prefecture, prefecture, county, province, city, district and rural district.
  private static let divisions: [UInt32] = "都道府県縣县省市區区郡".unicodeScalars.map(\.value)

  /// Returns true for a dropped character in whose place some writers put a space. Such characters are modifier
  /// letters, the zero-width space, the non-joiner, and the quotation marks and other characters of U+2010 to U+20FF.
  /// Accents of letters, the joiner and variation selectors do not count.
  private static func separates(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x2B0..<0x300, 0x200B...0x200C, 0x2010...0x20FF, 0xFF07: true
    default: false
    }
  }

  private static func expanded(_ scalar: UInt32) -> (UInt8, UInt8)? {
    switch scalar {
    case 0xC4, 0xE4: (UInt8(ascii: "a"), UInt8(ascii: "e"))
    case 0xD6, 0xF6, 0xD8, 0xF8: (UInt8(ascii: "o"), UInt8(ascii: "e"))
    case 0xDC, 0xFC: (UInt8(ascii: "u"), UInt8(ascii: "e"))
    case 0xC5, 0xE5: (UInt8(ascii: "a"), UInt8(ascii: "a"))
    default: nil
    }
  }
}

/// Returns the scalar at a byte and its length in bytes. Invalid UTF-8 becomes a no-break space, which separates
/// tokens.
private func decodeScalar(_ text: UnsafeBufferPointer<UInt8>, at index: Int) -> (scalar: UInt32, length: Int) {
  let lead = text[index]
  let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
  guard lead >= 0xC2, lead < 0xF5, index + length <= text.count else { return (0xA0, 1) }
  var scalar = UInt32(lead) & (0xFF >> UInt32(length + 1))
  for offset in 1..<length {
    let byte = text[index + offset]
    guard byte & 0xC0 == 0x80 else { return (0xA0, 1) }
    scalar = scalar << 6 | UInt32(byte & 0x3F)
  }
  // Overlong, half of a surrogate pair, or beyond the last scalar.
  guard scalar >= (length == 4 ? 0x10000 : length == 3 ? 0x800 : 0x80), Unicode.Scalar(scalar) != nil else {
    return (0xA0, 1)
  }
  return (scalar, length)
}
