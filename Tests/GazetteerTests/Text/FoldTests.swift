import Testing

@testable import Gazetteer

@Suite("Folding")
struct FoldTests {
  private func folded(_ text: String, _ reading: FoldedText.Reading = []) -> String {
    FoldedText.withEmpty { folded in
      var text = text
      text.withUTF8 { folded.fold($0, reading: reading) }
      return String(decoding: folded.folded, as: UTF8.self)
    }
  }

  @Test(
    "A name folds to letters without case, accents and punctuation",
    arguments: [
      ("Zürich", "zurich"), ("Zu\u{308}rich", "zurich"), ("STRASSE", "strasse"), ("Straße", "strasse"),
      ("Łódź", "lodz"), ("Ærø", "aero"), ("São  Tomé", "sao tome"), ("Saint-Denis", "st denis"),
      ("St. Louis", "st louis"), ("U.S.A.", "usa"), ("S.F. C.A.", "sf ca"), ("St.Gallen", "st gallen"),
      ("Mount Vernon", "mt vernon"), ("Fort Hood", "ft hood"), ("Sainte-Foy", "ste foy"), ("L'Aquila", "laquila"),
      ("Côte d’Ivoire", "cote divoire"), ("Bosnia & Herzegovina", "bosnia and herzegovina"), ("МОСКВА", "москва"),
      ("Йошкар-Ола", "иошкар ола"), ("Αθήνα", "αθηνα"), ("ＴＯＫＹＯ", "tokyo"), ("東京", "東京"), ("ガーナ", "ガーナ"),
      ("القاهرة", "القاهره"), ("علی\u{200C}آباد", "علياباد"), ("مه\u{200C}سا", "مهسا"),
      ("ශ\u{DCA}\u{200D}ර\u{DD3}", "ශ\u{DCA}ර\u{DD3}"), ("क\u{94D}\u{200D}ष", "क\u{94D}ष"),
      ("Neu\u{AD}stadt", "neustadt"), ("葛\u{E0100}飾", "葛飾"), ("葛\u{FE00}飾", "葛飾"),
      ("Oslo \u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", "oslo \u{1F3F4}"),
      ("1\u{FE0F}", "1"), ("İstanbul", "istanbul"), ("Diyarbakır", "diyarbakir"), ("Đà Nẵng", "da nang"), ("", ""),
      ("  ,;--", ""),
    ])
  func folds(text: String, expected: String) {
    #expect(folded(text) == expected)
  }

  @Test(
    "Other readings expand umlauts or replace apostrophes with spaces",
    arguments: [
      ("München", FoldedText.Reading.umlautsExpanded, "muenchen"), ("Tromsø", .umlautsExpanded, "tromsoe"),
      ("Århus", .umlautsExpanded, "aarhus"), ("علی\u{200C}آباد", .apostrophesSpaced, "علي اباد"),
      ("Neu\u{AD}stadt", .apostrophesSpaced, "neustadt"), ("क\u{94D}\u{200D}ष", .apostrophesSpaced, "क\u{94D}ष"),
      ("L'Aquila", .apostrophesSpaced, "l aquila"),
    ])
  func otherReadings(text: String, reading: FoldedText.Reading, expected: String) {
    #expect(folded(text, reading) == expected)
  }

  @Test("Folding folded text changes nothing", arguments: ["muenchen", "st louis", "москва", "東京", "cote divoire"])
  func isStable(text: String) {
    #expect(folded(text) == text)
  }

  @Test("A comma ends a segment and a space does not")
  func segments() {
    FoldedText.withEmpty { folded in
      var text = "Half Moon Bay, CA"
      text.withUTF8 { folded.fold($0) }
      #expect(folded.tokens[..<folded.tokenCount].map(\.segment) == [0, 0, 0, 1])
    }
  }

  @Test("Invalid UTF-8 bytes separate tokens")
  func invalid() {
    FoldedText.withEmpty { folded in
      let bytes: [UInt8] = [0x61, 0xFF, 0x62, 0xE6, 0x9D, 0x63, 0xC3]
      bytes.withUnsafeBufferPointer { folded.fold($0) }
      #expect(String(decoding: folded.folded, as: UTF8.self) == "a b c")
    }
  }
}
