package import Domain

/// Whether a text asks for a street or a house, and so for more than a gazetteer of towns and postcodes can answer.
package enum AddressClassifier {
  /// - Parameter found: the gazetteer's answers, best first.
  package static func needsRemoteLookup(_ query: PlaceQuery, found: [Place]) -> Bool {
    guard query.kind == .forward, query.levels.isEmpty || !query.levels.isDisjoint(with: [.street, .house]) else {
      return false
    }
    guard let best = found.first else { return isStreet(words(query.text)) }
    guard best.match == .fallback, best.level < .street else { return false }
    if let unmatched = best.detail?.unmatched, !unmatched.isEmpty { return isStreet(words(unmatched)) }
    // Without them, what is left over is what the answer does not say.
    let said = Set(words(best.label) + words(best.name) + words(best.detail?.postcode ?? ""))
    return isStreet(words(query.text).filter { !said.contains($0) })
  }

  private static func words(_ text: String) -> [String] {
    text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "-" && $0 != "/" }.map(String.init)
  }

  /// A number like that of a house together with a word, or the word for a street together with another or within one.
  private static func isStreet(_ words: [String]) -> Bool {
    let names = words.filter { $0.count { $0.isLetter } >= 2 && $0.first?.isNumber == false }
    if !names.isEmpty, words.contains(where: isHouseNumber) { return true }
    return names.contains { name in
      if streets.contains(name) { return names.count > 1 }
      return endings.contains { name.hasSuffix($0) && name.count > $0.count + 1 }
    }
  }

  /// "7", "12a", "12-14", "5/3", "10115": digits first, five at most, and little behind them.
  private static func isHouseNumber(_ word: String) -> Bool {
    let digits = word.prefix { $0.isNumber }
    return (1...5).contains(digits.count) && word.count <= digits.count + 6
      && word.dropFirst(digits.count).count { $0.isLetter } <= 2
  }

  /// Words for a street, as they are written and cut short in addresses.
  private static let streets: Set<String> = [
    "street", "st", "avenue", "ave", "av", "road", "rd", "boulevard", "blvd", "lane", "ln", "drive", "dr", "square",
    "highway", "hwy", "parkway", "pkwy", "court", "ct", "terrace", "close", "crescent", "rue", "chemin", "impasse",
    "quai", "via", "viale", "piazza", "corso", "calle", "avenida", "avda", "plaza", "paseo", "carrer", "rua",
    "travessa",
    "praça", "largo", "straße", "strasse", "str", "platz", "weg", "gasse", "allee", "straat", "laan", "plein", "gata",
    "gate", "vej", "ulica", "ul", "aleja", "náměstí", "utca", "út", "tér", "strada", "улица", "ул", "проспект", "пр",
    "вулиця", "cadde", "caddesi", "sokak", "sokağı", "jalan", "jl",
  ]

  /// Words for a street that are written as one with its name.
  private static let endings = [
    "straße", "strasse", "str", "gasse", "allee", "weg", "platz", "straat", "laan", "gracht", "plein", "gata", "gatan",
    "gate", "vägen", "veien", "vej", "gade", "katu", "tie",
  ]
}
