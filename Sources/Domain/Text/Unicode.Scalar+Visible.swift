extension Unicode.Scalar {
  /// True for a letter of any script, except the fillers of Hangul, which are invisible.
  var isLetter: Bool {
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter:
      !properties.isDefaultIgnorableCodePoint
    default: false
    }
  }

  /// True for a combining mark, which stands on the character before it. False for variation selectors and other
  /// invisible marks.
  var isMark: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: !properties.isDefaultIgnorableCodePoint
    default: false
    }
  }

  /// True for a mark with a canonical combining class other than 0: $M of UAX 31, with the virama.
  var isReorderedMark: Bool { isMark && properties.canonicalCombiningClass.rawValue != 0 }

  /// True for the sign that removes a consonant's vowel: canonical combining class 9.
  var isVirama: Bool { properties.canonicalCombiningClass == .virama }

  /// True for a character with a shape of its own.
  var showsAlone: Bool {
    if isASCII { return (0x21...0x7E).contains(value) }
    // BRAILLE PATTERN BLANK and MUSICAL SYMBOL NULL NOTEHEAD are blank despite their category.
    guard value != 0x2800, value != 0x1D159, !isMark else { return false }
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: return false
    case .format: return isPrependedMark
    default: return !properties.isDefaultIgnorableCodePoint && !properties.isNoncharacterCodePoint
    }
  }

  /// True for an emoji that may be an element of a ZWJ sequence: every emoji outside Latin-1.
  var isPictograph: Bool { value > 0xFF && properties.isEmoji }

  /// True for the tag of a letter a … z or a digit.
  var isTagLetter: Bool { (0xE0030...0xE0039).contains(value) || (0xE0061...0xE007A).contains(value) }

  /// True for a sign of Arabic, Syriac or Kaithi that spans the digits after it: a format character with a shape. (UAX
  /// 44, Prepended_Concatenation_Mark, Unicode 16.)
  var isPrependedMark: Bool {
    switch value {
    case 0x600...0x605, 0x6DD, 0x70F, 0x890...0x891, 0x8E2, 0x110BD, 0x110CD: true
    default: false
    }
  }

  /// True for a character in a block of a joining script. (ArabicShaping.txt, Unicode 16, by its blocks.)
  ///
  /// - Arabic, Syriac, N'Ko, Mandaic, Mongolian, Phags-pa, Manichaean.
  /// - Psalter Pahlavi, Hanifi Rohingya, Sogdian, Old Uyghur, Chorasmian, Adlam.
  var isOfJoiningScript: Bool {
    switch value {
    case 0x600...0x77F, 0x7C0...0x7FF, 0x840...0x8FF, 0x1800...0x18AF, 0xA840...0xA87F, 0x10AC0...0x10AFF,
      0x10B80...0x10BAF, 0x10D00...0x10D3F, 0x10F30...0x10FDF, 0x1E900...0x1E95F:
      true
    default: false
    }
  }

  /// True for a character in a block whose characters have standardized variants (VS1 … VS14), except ideographs.
  /// (StandardizedVariants.txt, Unicode 16, by its blocks.)
  ///
  /// - Myanmar, mathematical operators, CJK and full-width punctuation.
  /// - Phags-pa, Manichaean, Egyptian hieroglyphs.
  var hasStandardVariants: Bool {
    switch value {
    case 0x1000...0x109F, 0x2200...0x22FF, 0x2A00...0x2AFF, 0x3001...0x3002, 0xA840...0xA87F, 0xAA60...0xAA7F,
      0xFF01...0xFF1F, 0x10AC0...0x10AFF, 0x13000...0x1342F:
      true
    default: false
    }
  }
}
