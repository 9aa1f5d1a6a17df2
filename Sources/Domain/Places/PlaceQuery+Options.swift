/// Error in an option of a query. Do not retry it: the query has to change.
package struct InvalidOption: Error, Sendable, Equatable {
  package let option: PlaceQuery.Option
  /// Description of a valid value, for example "a number from 1 to 20".
  package let expected: String
  /// Value as received: one safe line, at most `Limits.quotedTextBytesMax` bytes.
  package let actual: String

  package init(_ option: PlaceQuery.Option, expected: String, actual: String) {
    self.option = option
    self.expected = expected
    self.actual = actual.safeLine(bytesMax: Limits.quotedTextBytesMax)
  }

  /// Returns a sentence for people, without a full stop.
  ///
  /// - Parameter name: Name of the option as the user wrote it, for example "--limit".
  package func sentence(_ name: String) -> String { "\(name) must be \(expected), not \"\(actual)\"" }
}

extension PlaceQuery {
  /// Options of a query. The raw values are their names in URLs, columns and flags.
  package enum Option: String, Sendable, CaseIterable {
    case text = "query"
    case limit, country, focus
    case language = "lang"
    case level, autocomplete
  }

  /// Sets one option from its text, such as "de", "47.6,-122.3", "city,postcode" or "true". A blank text changes
  /// nothing, but is invalid for the option `text`.
  ///
  /// - Throws: the invalid option. The query is then unchanged.
  package mutating func set(_ option: Option, to value: String) throws(InvalidOption) {
    let value = value.trimmedLine
    guard !value.isEmpty || option == .text else { return }
    func invalid(_ expected: String) -> InvalidOption { InvalidOption(option, expected: expected, actual: value) }
    switch option {
    case .text:
      // Texts from tables may have line ends and invisible characters, which do not harm a lookup.
      guard (1...Limits.placeBytesMax).contains(value.utf8.count) else {
        throw invalid("a place of 1 to \(Limits.placeBytesMax) bytes, such as \"Seattle, WA\"")
      }
      text = value
    case .limit:
      guard let number = Int(value), (1...Limits.candidatesMax).contains(number) else {
        throw invalid("a number from 1 to \(Limits.candidatesMax)")
      }
      limit = number
    case .country:
      guard let code = value.twoLetters?.uppercased() else { throw invalid("two letters, such as US") }
      country = code
    case .focus:
      guard let point = Coordinate(text: value) else { throw invalid("LAT,LON in degrees, such as 47.6,-122.3") }
      focus = point
    case .language:
      // "de-AT" counts as German, because labels have no regional variants.
      guard let code = value.prefix(while: { $0 != "-" && $0 != "_" }).twoLetters?.lowercased() else {
        throw invalid("a language's two letters, such as de")
      }
      language = code
    case .level:
      guard let wanted = Place.Level.set(value) else {
        throw invalid("one or more of \(Place.Level.allCases.map(\.name).joined(separator: ", "))")
      }
      levels = wanted
    case .autocomplete:
      guard let isPrefix = ["true": true, "1": true, "false": false, "0": false][value.lowercased()] else {
        throw invalid("true or false")
      }
      // A reverse lookup has no words to complete.
      if kind != .reverse { kind = isPrefix ? .autocomplete : .forward }
    }
  }
}

extension StringProtocol {
  /// The text itself if it is two ASCII letters, else nil.
  fileprivate var twoLetters: Self? {
    utf8.count == 2 && utf8.allSatisfy { (65...90).contains($0 & ~0x20) } ? self : nil
  }
}

extension Place.Level {
  /// Returns the level with this name in the API. Nil for an unknown name.
  package init?(name: some StringProtocol) {
    guard let level = Place.Level.allCases.first(where: { $0.name == name }) else { return nil }
    self = level
  }

  /// Parses names of levels, such as "city, postcode". Nil if a name is unknown, or if there is none.
  fileprivate static func set(_ text: String) -> Set<Self>? {
    let names = text.lowercased().split(separator: ",").map { String($0).trimmedLine }
    let levels = names.compactMap { Place.Level(name: $0) }
    return levels.count == names.count && !levels.isEmpty ? Set(levels) : nil
  }
}

extension Coordinate {
  /// Parses latitude and longitude in degrees, with a comma between them. Nil if the text is invalid, or the point is
  /// not on the earth.
  package init?(text: String) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    self.init(latitude: String(parts[0]), longitude: String(parts[1]))
  }

  /// Parses degrees in decimal notation with a dot. Nil if a number is invalid, or the point is not on the earth.
  package init?(latitude: String, longitude: String) {
    guard let latitude = Self.degrees(latitude), let longitude = Self.degrees(longitude) else { return nil }
    self.init(latitude: latitude, longitude: longitude)
  }

  /// Parses a decimal number. `Double` alone would also accept "0x1p3", "nan" and "infinity".
  private static func degrees(_ text: String) -> Double? {
    let text = text.trimmedLine
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E].contains($0) }) else { return nil }
    return Double(text)
  }

  /// The coordinate as "47.6062, -122.3321", with the fewest digits and without exponents. The text is a valid place
  /// query.
  package var text: String { "\(Self.text(latitudeE7)), \(Self.text(longitudeE7))" }

  private static func text(_ degreesE7: Int32) -> String {
    let (whole, rest) = degreesE7.magnitude.quotientAndRemainder(dividingBy: 10_000_000)
    var fraction = String(10_000_000 + rest).dropFirst()
    while fraction.last == "0" { fraction.removeLast() }
    return (degreesE7 < 0 ? "-" : "") + "\(whole)" + (fraction.isEmpty ? "" : ".\(fraction)")
  }
}
