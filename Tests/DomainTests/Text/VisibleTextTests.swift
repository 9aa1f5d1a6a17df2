import Fuzzing
import Testing

@testable import Domain

@Suite("Visible text")
struct VisibleTextTests {
  static let joined: [(String, String)] = [
    ("Persian: Aliabad", "علی\u{200C}آباد"), ("Persian: Mahsa", "مه\u{200C}سا"), ("Persian: works", "کار\u{200C}ها"),
    ("ZWNJ beside vowel signs", "مِه\u{200C}سا"), ("Adlam", "\u{1E900}\u{1E92A}\u{200C}\u{1E900}"),
    ("Hindi: half form", "क\u{94D}\u{200D}ष"), ("Hindi: no ligature", "क\u{94D}\u{200C}ष"),
    ("ZWNJ between a virama and a reordered mark", "क\u{94D}\u{200C}\u{93C}ष"),
    ("Sinhala: Sri Lanka", "ශ\u{DCA}\u{200D}රී ලංකාව"), ("Malayalam: chillu", "നന\u{D4D}\u{200D}"),
    ("Bengali: ra with ya-phala", "র\u{200D}\u{9CD}য\u{9BE}ব"), ("Kannada: ra", "ಸೂರ\u{200D}\u{CCD}ಯ"),
    ("Family", "👨\u{200D}👩\u{200D}👧\u{200D}👦"), ("Technologist", "👩🏽\u{200D}💻"),
    ("Rainbow flag", "🏳\u{FE0F}\u{200D}🌈"), ("Heart on fire", "❤\u{FE0F}\u{200D}🔥"),
    ("England", "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}"), ("Norway", "🇳🇴 Oslo"),
    ("Keycap", "1\u{FE0F}\u{20E3}"), ("Heart as an emoji", "❤\u{FE0F}"), ("Heart as text", "❤\u{FE0E}"),
    ("Copyright", "©\u{FE0F}"), ("Ideographic variant", "葛\u{E0100}飾区"), ("Standardized variant", "葛\u{FE00}"),
    ("Myanmar: dotted", "က\u{FE00}"), ("Mongolian: free variant", "\u{182D}\u{180B}\u{1820}"),
    ("Soft hyphen", "Donau\u{AD}eschingen"), ("Soft hyphen behind a mark", "Zu\u{308}\u{AD}rich"),
  ]

  @Test(
    "Joiners, soft hyphens, tags and variation selectors are accepted where Unicode uses them",
    arguments: joined)
  func accepted(name: String, text: String) {
    #expect(VisibleText(text).refusalReason == nil, "\(name)")
  }

  @Test(
    "Texts of every script, with spaces and symbols, are accepted",
    arguments: [
      "Seattle, WA", "Zu\u{308}rich", "Москва", "東京都", "القاهرة", "नई दिल्ली", "ប្រទេសកម្ពុជា", "한국", "אֶרֶץ", "ⵜⴰⵎⴰⵣⵉⵖⵜ",
      "⠓⠑⠇⠇⠕\u{2800}⠺", "a\u{A0}b", "a\u{3000}b", "\u{600}١٢", "\u{F8FF}", "\u{FFFD}", "",
    ])
  func scripts(text: String) { #expect(VisibleText(text).refusalReason == nil) }

  /// Hidden characters with the reasons why they are refused. The characters are numbers, because a literal cannot hold
  /// a noncharacter.
  static let hidden: [(UInt32, String)] = [
    (0x0, "is a control character"), (0xA, "is a control character"), (0x1B, "is a control character"),
    (0x7F, "is a control character"), (0x85, "is a control character"), (0x2028, "ends the line"),
    (0x2029, "ends the line"), (0x61C, "changes the direction"), (0x200E, "changes the direction"),
    (0x200F, "changes the direction"), (0x202A, "changes the direction"), (0x202E, "changes the direction"),
    (0x2066, "changes the direction"), (0x2069, "changes the direction"), (0x200B, "is invisible"),
    (0xFEFF, "is invisible"), (0x2060, "is invisible"), (0x2064, "is invisible"), (0x2065, "is invisible"),
    (0x206A, "is invisible"), (0x206F, "is invisible"), (0x34F, "is invisible"), (0x115F, "is invisible"),
    (0x1160, "is invisible"), (0x3164, "is invisible"), (0xFFA0, "is invisible"), (0x17B4, "is invisible"),
    (0x180E, "is invisible"), (0x1BCA0, "is invisible"), (0x1BCA3, "is invisible"), (0x1D173, "is invisible"),
    (0x1D17A, "is invisible"), (0xFFF0, "is invisible"), (0xFFF8, "is invisible"), (0xFFF9, "is invisible"),
    (0x13430, "is invisible"), (0xE0001, "is invisible"), (0xE0080, "is invisible"), (0xE0FFF, "is invisible"),
    (0xFFFE, "is not a character"), (0xFFFF, "is not a character"), (0xFDD0, "is not a character"),
    (0x10FFFF, "is not a character"), (0x200C, "belongs only between"), (0x200D, "belongs only within an emoji"),
    (0xFE0F, "does not fit"), (0xE0100, "does not fit"), (0xE0061, "belongs only within the flag"),
    (0xE007F, "belongs only within the flag"),
  ]

  @Test("A hidden character within a word is refused with its code point and the reason", arguments: hidden)
  func refused(value: UInt32, reason: String) throws {
    let hidden = String(try #require(Unicode.Scalar(value)))
    let text = try #require(VisibleText("Ro" + hidden + "me").refusalReason)
    let number = String(value, radix: 16, uppercase: true)
    #expect(text.contains("U+" + String(repeating: "0", count: max(0, 4 - number.count)) + number))
    #expect(text.contains("at character 3, which \(reason)") && text.hasSuffix(": remove it"))
    #expect(text.isSafeLine)
  }

  static let misplaced: [(String, String)] = [
    ("ZWNJ at the end", "ا\u{200C}"), ("ZWNJ twice", "ب\u{200C}\u{200C}ب"), ("ZWNJ before a space", "ب\u{200C} ب"),
    ("ZWNJ between Latin and Arabic", "a\u{200C}ب"), ("ZWJ before a vowel sign", "क\u{94D}\u{200D}ा"),
    ("ZWNJ between a virama and a vowel sign", "क\u{94D}\u{200C}\u{93E}क"),
    ("ZWJ between Arabic letters", "ب\u{200D}ب"), ("ZWJ after an emoji", "😀\u{200D}"), ("ZWJ first", "\u{200D}😀"),
    ("ZWJ between digits", "1\u{200D}2"), ("Virama without a letter", " \u{94D}\u{200D}"),
    ("Soft hyphen at the end", "Neu\u{AD}"), ("Soft hyphen first", "\u{AD}Neu"), ("Two soft hyphens", "a\u{AD}\u{AD}b"),
    ("Soft hyphen before a space", "Neu\u{AD} stadt"), ("Digit with a selector", "1\u{FE0F}"),
    ("Letter with an ideograph's selector", "a\u{E0100}"), ("Two selectors", "葛\u{FE00}\u{FE00}"),
    ("Emoji with a Mongolian selector", "😀\u{180B}"), ("Tags without a flag", "a\u{E0067}\u{E0062}\u{E0065}\u{E007F}"),
    ("Tags without an end", "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}"),
    ("Two tags", "🏴\u{E0067}\u{E0062}\u{E007F}"), ("A tag of a sign", "🏴\u{E0067}\u{E0021}\u{E0062}\u{E007F}"),
    ("Eight tags", "🏴" + String(repeating: "\u{E0067}", count: 8) + "\u{E007F}"),
  ]

  @Test(
    "A joiner, hyphen, tag or selector in a wrong context is refused",
    arguments: misplaced)
  func context(name: String, text: String) {
    #expect(VisibleText(text).flaw != nil, "\(name)")
  }

  @Test(
    "A text without a visible character is refused",
    arguments: [
      " ", "\u{A0}\u{2003}\u{3000}", "\u{2800}", "\u{2800} \u{2800}", "\u{301}", " \u{301}\u{302}", "\u{1D159}",
      "\u{16FE4}", "\u{94D}",
    ])
  func nothing(text: String) {
    #expect(VisibleText(text).refusalReason == "shows nothing: write at least one letter, digit or symbol")
  }

  private static let contextPieces: [String] = [
    " ", "a", "ب", "क", "\u{94D}", "ा", "葛", "😀", "🏴", "1", "\u{20E3}", "\u{301}", "\u{2800}", "\u{AD}", "\u{E0067}",
    "\u{180B}", "\u{FE00}", "🏽", "🇳", "\u{AC}", "\u{200C}", "\u{200D}", "\u{FE0F}",
  ]
  private static let pieces: [String] = contextPieces + hidden.compactMap { Unicode.Scalar($0.0).map { String($0) } }

  @Test("An accepted random text is visible, and a repaired or truncated one is accepted")
  func property() {
    Fuzz.rounds(20_000) { random in
      let text = (0..<random.below(12)).map { _ in random.one(of: Self.pieces) }.joined()
      let safe = text.safeLine(bytesMax: random.below(24))
      try #require(safe.isSafeLine, "\(text.debugDescription) became \(safe.debugDescription)")
      try #require(VisibleText(text).replacingHidden { _ in "" }.isSafeLine, "\(text.debugDescription)")
      guard VisibleText(text).refusalReason == nil, !text.isEmpty else { return false }
      let shown = text.unicodeScalars.filter {
        !$0.properties.isDefaultIgnorableCodePoint && !$0.properties.isWhitespace
          && $0.properties.canonicalCombiningClass == .notReordered && $0.value != 0x2800
      }
      try #require(!shown.isEmpty, "\(text.debugDescription)")
      return true
    }
  }
}
