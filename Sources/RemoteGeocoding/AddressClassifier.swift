package import Domain

/// A classifier of queries that ask for a street or a house, which a gazetteer of cities and postcodes cannot resolve.
package enum AddressClassifier {
  /// Returns true if a remote provider should resolve the query.
  ///
  /// - Parameter found: The gazetteer's places, best first.
  package static func needsRemoteLookup(_ query: PlaceQuery, found: [Place]) -> Bool {
    guard query.kind == .forward, query.levels.isEmpty || !query.levels.isDisjoint(with: [.street, .house]) else {
      return false
    }
    guard let best = found.first else { return isStreet(words(query.text)) }
    guard best.match == .fallback, best.level < .street else { return false }
    if let unmatched = best.detail?.unmatched, !unmatched.isEmpty { return isStreet(words(unmatched)) }
    // Without details, the query's words that the best place does not contain remain.
    let matched = Set(words(best.label) + words(best.name) + words(best.detail?.postcode ?? ""))
    return isStreet(words(query.text).filter { !matched.contains($0) })
  }

  private static func words(_ text: String) -> [String] {
    text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "-" && $0 != "/" }.map(String.init)
  }

  /// Returns true if the words have a name and a house number, or a name and a street word. The name may contain the
  /// street word.
  private static func isStreet(_ words: [String]) -> Bool {
    let names = words.filter { $0.count { $0.isLetter } >= 2 && $0.first?.isNumber == false }
    if !names.isEmpty, words.contains(where: isHouseNumber) { return true }
    return names.contains { name in
      if streets.contains(name) { return names.count > 1 }
      return endings.contains { name.hasSuffix($0) && name.count > $0.count + 1 }
    }
  }

  /// Returns true for "7", "12a", "12-14", "5/3", "10115": one to five digits first, then up to six characters with at
  /// most two letters.
  private static func isHouseNumber(_ word: String) -> Bool {
    let digits = word.prefix { $0.isNumber }
    return (1...5).contains(digits.count) && word.count <= digits.count + 6
      && word.dropFirst(digits.count).count { $0.isLetter } <= 2
  }

  /// Street words, complete or abbreviated as in addresses.
  private static let streets: Set<String> = [
    "street", "st", "avenue", "ave", "av", "road", "rd", "boulevard", "blvd", "lane", "ln", "drive", "dr", "square",
    "highway", "hwy", "parkway", "pkwy", "court", "ct", "terrace", "close", "crescent", "rue", "chemin", "impasse",
    "quai", "via", "viale", "piazza", "corso", "calle", "avenida", "avda", "plaza", "paseo", "carrer", "rua",
    "travessa",
    "praça", "largo", "straße", "strasse", "str", "platz", "weg", "gasse", "allee", "straat", "laan", "plein", "gata",
    "gate", "vej", "ulica", "ul", "aleja", "náměstí", "utca", "út", "tér", "strada", "улица", "ул", "проспект", "пр",
    "вулиця", "cadde", "caddesi", "sokak", "sokağı", "jalan", "jl",
  ]

  /// Street words that are written as the end of a name.
  private static let endings = [
    "straße", "strasse", "str", "gasse", "allee", "weg", "platz", "straat", "laan", "gracht", "plein", "gata", "gatan",
    "gate", "vägen", "veien", "vej", "gade", "katu", "tie",
  ]
}
