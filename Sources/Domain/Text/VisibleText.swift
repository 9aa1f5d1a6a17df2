/// Check of a text for hidden characters, and for at least one visible character. The article Text has the rule, with
/// its sources.
package struct VisibleText {
  private typealias Scalars = String.UnicodeScalarView

  private let text: String
  private var scalars: Scalars { text.unicodeScalars }

  package init(_ text: String) { self.text = text }

  /// The first character that is not permitted at its position, or nil.
  package var flaw: HiddenCharacter? {
    guard let index = hidden, let reason = reason(at: index) else { return nil }
    let position = scalars.distance(from: scalars.startIndex, to: index) + 1
    return HiddenCharacter(scalar: scalars[index], position: position, reason: reason)
  }

  /// True if each character is permitted at its position.
  package var isSafe: Bool { hidden == nil }

  private var hidden: Scalars.Index? {
    // Most texts are printable ASCII. Check bytes first, and scalars only for other texts.
    guard !text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
    return scalars.indices.first { reason(at: $0) != nil }
  }

  /// True if at least one character has a shape of its own. White space, invisible characters and combining marks have
  /// none.
  package var showsSomething: Bool { scalars.contains(where: \.showsAlone) }

  /// Explanation of the refusal, to follow the field's name. Nil for an accepted or empty text.
  package var refusalReason: String? {
    if let flaw { return flaw.refusalReason }
    guard !text.isEmpty, !showsSomething else { return nil }
    return "shows nothing: write at least one letter, digit or symbol"
  }

  /// Returns the text with each forbidden character replaced. The replacement must not contain such a character.
  package func replacingHidden(_ replacement: (Unicode.Scalar) -> String) -> String {
    guard hidden != nil else { return text }
    var visible = Scalars()
    for index in scalars.indices {
      let scalar = scalars[index]
      if reason(at: index) == nil { visible.append(scalar) } else { visible += replacement(scalar).unicodeScalars }
    }
    // A replacement may have put a character into a context that forbids it.
    return VisibleText(String(visible)).replacingHidden(replacement)
  }

  /// The text up to its first forbidden character. A truncated text may end in an incomplete sequence, which contains
  /// such a character.
  package var withoutHiddenEnd: String {
    var rest = self
    while let hidden = rest.hidden { rest = VisibleText(String(rest.scalars[..<hidden])) }
    return rest.text
  }

  /// Returns the reason why the character is forbidden at its position. Nil if it is permitted.
  private func reason(at index: Scalars.Index) -> HiddenCharacter.Reason? {
    let scalar = scalars[index]
    switch scalar.value {
    case 0x20...0x7E, 0xA0...0xAC, 0xAE...0x34E, 0x350...0x5FF, 0x3400...0x9FFF, 0xAC00...0xD7A3: return nil
    case 0xAD: return isWithinWord(index) ? nil : .softHyphen
    case 0x200C: return separatesLetters(index) ? nil : .nonJoiner
    case 0x200D: return joinsConsonants(index) || joinsEmoji(index) ? nil : .joiner
    case 0xE0020...0xE007F: return isInFlag(index) ? nil : .tag
    default: break
    }
    let properties = scalar.properties
    if properties.isVariationSelector { return variesBase(index) ? nil : .variation }
    if properties.isNoncharacterCodePoint { return .noncharacter }
    if properties.isBidiControl { return .direction }
    switch properties.generalCategory {
    case .control: return .control
    case .lineSeparator, .paragraphSeparator: return .lineEnd
    case .format: return scalar.isPrependedMark ? nil : .invisible
    default: return properties.isDefaultIgnorableCodePoint ? .invisible : nil
    }
  }

  private func scalar(before index: Scalars.Index) -> Unicode.Scalar? { scalars[..<index].last }

  private func scalar(after index: Scalars.Index) -> Unicode.Scalar? { scalars[scalars.index(after: index)...].first }

  /// Returns true for a soft hyphen between two visible characters.
  private func isWithinWord(_ index: Scalars.Index) -> Bool {
    guard let before = scalar(before: index), let after = scalar(after: index) else { return false }
    return (before.showsAlone || before.isMark) && after.showsAlone
  }

  /// Returns true for a permitted ZERO WIDTH NON-JOINER (UAX 31, A1 and A2). A1 permits the character between two
  /// letters of joining scripts, with any marks between. A2 permits it between a letter's virama and another letter,
  /// with only reordered marks between.
  private func separatesLetters(_ index: Scalars.Index) -> Bool {
    let rest = scalars[scalars.index(after: index)...]
    if followsVirama(index), rest.first(where: { !$0.isReorderedMark })?.isLetter == true { return true }
    guard let after = rest.first(where: { !$0.isMark }), after.isLetter,
      let before = scalars[..<index].last(where: { !$0.isMark }), before.isLetter
    else { return false }
    return before.isOfJoiningScript && after.isOfJoiningScript
  }

  /// Returns true for a permitted ZERO WIDTH JOINER between consonants. UAX 31, B permits the character after a
  /// letter's virama, unless a vowel sign follows. Bengali, Kannada and Sinhala also use the character between a letter
  /// and its virama.
  private func joinsConsonants(_ index: Scalars.Index) -> Bool {
    let after = scalar(after: index)
    if after?.isVirama == true {
      return scalars[..<index].last { !$0.isReorderedMark }?.isLetter == true
    }
    return followsVirama(index) && !(after.map { $0.isMark && !$0.isReorderedMark } ?? false)
  }

  private func followsVirama(_ index: Scalars.Index) -> Bool {
    guard let virama = scalars[..<index].lastIndex(where: { $0.isVirama || !$0.isReorderedMark }),
      scalars[virama].isVirama
    else { return false }
    return scalars[..<virama].last { !$0.isReorderedMark }?.isLetter == true
  }

  /// Returns true for a joiner between two elements of an emoji ZWJ sequence (UTS 51, ED-16).
  private func joinsEmoji(_ index: Scalars.Index) -> Bool {
    guard scalar(after: index)?.isPictograph == true else { return false }
    let before = scalars[..<index].suffix(2)
    return (before.last?.value == 0xFE0F ? before.dropLast() : before).last?.isPictograph == true
  }

  /// Returns true for a tag in the flag of a region: an emoji tag sequence (UTS 51, ED-14a). The sequence is BLACK
  /// FLAG, three to seven tag letters or digits, and CANCEL TAG.
  private func isInFlag(_ index: Scalars.Index) -> Bool {
    let before = scalars[..<index].suffix(8).reversed().prefix { $0.isTagLetter }.count
    guard scalars[..<index].dropLast(before).last?.value == 0x1F3F4 else { return false }
    guard scalars[index].value != 0xE007F else { return (3...7).contains(before) }
    let ahead = scalars[index...].prefix(8).prefix { $0.isTagLetter }.count
    return (3...7).contains(before + ahead) && scalars[index...].dropFirst(ahead).first?.value == 0xE007F
  }

  /// Returns true for a variation selector after a character with variants. Such characters are emoji (UTS 51, ED-8 and
  /// ED-9), signs of keycaps (ED-14c), ideographs (UTS 37), and characters in blocks with standardized variants.
  private func variesBase(_ index: Scalars.Index) -> Bool {
    guard let base = scalar(before: index) else { return false }
    switch scalars[index].value {
    case 0xFE0F where base.isASCII:
      return base.properties.isEmoji && scalar(after: index)?.value == 0x20E3
    case 0xFE0E...0xFE0F: return !base.isASCII && base.properties.isEmoji
    case 0xFE00...0xFE0D: return base.properties.isIdeographic || base.hasStandardVariants
    case 0x180B...0x180F: return base.isLetter && (0x1800...0x18AF).contains(base.value)
    default: return base.properties.isIdeographic
    }
  }
}
