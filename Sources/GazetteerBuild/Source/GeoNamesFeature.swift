import Domain
import Gazetteer

/// A line of GeoNames' `allCountries.txt`, `cities500.txt` or a similar file: 19 fields separated by tabs.
struct GeoNamesFeature {
  typealias Field = SourceRow.Field

  static let fieldCount = 19
  /// Feature codes of cities that no longer exist: historical, abandoned, destroyed, former capitals.
  private static let former: Set<[UInt8]> = [
    Array("PPLH".utf8), Array("PPLQ".utf8), Array("PPLW".utf8), Array("PPLCH".utf8),
  ]

  /// GeoNames' number of the feature.
  let identifier: UInt32
  let name: Field
  let alternateNames: [Field]
  let coordinate: Coordinate
  /// True for a city that exists: a populated place of any size.
  let isCity: Bool
  /// True for a section of a city (PPLX).
  let isPart: Bool
  let country: Field
  let region: Field
  let county: Field
  let population: UInt32

  /// Parses a line.
  ///
  /// - Throws: `GazetteerBuildError.source` if the line breaks the format.
  init(_ line: UnsafeBufferPointer<UInt8>, number: Int) throws(GazetteerBuildError) {
    let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
    func invalid(_ reason: String) -> GazetteerBuildError { .source(line: number, reason: reason) }
    guard fields.count == Self.fieldCount else {
      throw invalid("expected \(Self.fieldCount) fields, found \(fields.count)")
    }
    guard let identifier = Self.number(fields[0]) else { throw invalid("the geonameid is not a number") }
    guard let coordinate = SourceRow.coordinate(fields[4], fields[5]) else {
      throw invalid("the point is not in degrees")
    }
    guard let population = fields[14].isEmpty ? 0 : Self.number(fields[14]) else {
      throw invalid("the population is not a number")
    }
    (self.identifier, self.coordinate, self.population) = (identifier, coordinate, population)
    name = fields[1]
    alternateNames = fields[3].split(separator: UInt8(ascii: ","))
    isCity = fields[6].elementsEqual([UInt8(ascii: "P")]) && !Self.former.contains(Array(fields[7]))
    isPart = fields[7].elementsEqual("PPLX".utf8)
    (country, region, county) = (fields[8], fields[10], fields[11])
  }

  /// Returns the source's line of a city.
  ///
  /// - Parameter region: The line's third field.
  func line(region: [UInt8]) -> [UInt8] {
    let names = alternateNames.filter { Self.isName($0) }
    return Self.line(
      kind: UInt8(ascii: isPart ? "S" : "P"), country: country, region: region, point: coordinate,
      population: population, name: name, codes: names.filter { Self.isCode($0) },
      names: names.filter { !Self.isCode($0) })
  }

  /// Parses a number. A number above 32 bits becomes `UInt32.max`. Returns nil for other texts.
  static func number(_ field: some Collection<UInt8>) -> UInt32? {
    var value: UInt64 = 0
    for byte in field {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte), value < 1 << 50 else { return nil }
      value = value * 10 + UInt64(byte & 0x0F)
    }
    return field.isEmpty ? nil : UInt32(clamping: value)
  }

  /// Returns true if a text can be a name: it has a letter, fits into a query, and is not a web address.
  static func isName(_ text: some Collection<UInt8>) -> Bool {
    guard !text.isEmpty, text.count <= GazetteerLimits.queryBytes, !text.contains(UInt8(ascii: "|")) else {
      return false
    }
    let hasLetter = text.contains { $0 >= 0x80 || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) }
    // The two slashes of "://".
    return hasLetter && !zip(text, text.dropFirst()).contains { $0 == 0x2F && $1 == 0x2F }
  }

  /// Returns true for two to four capital letters.
  static func isCode(_ text: some Collection<UInt8>) -> Bool {
    (2...4).contains(text.count) && text.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
  }

  /// Returns a line of the source with nine fields.
  static func line<Text: Collection<UInt8>>(
    kind: UInt8, country: Text, region: [UInt8], point: Coordinate, population: UInt32, name: Text, codes: [Text],
    names: [Text]
  ) -> [UInt8] {
    let tab = UInt8(ascii: "\t")
    var line = [kind, tab] + country + [tab] + region + [tab]
    line += degrees(point.latitudeE7) + [tab] + degrees(point.longitudeE7) + [tab] + Array("\(population)".utf8) + [tab]
    line += name.map { $0 == UInt8(ascii: "|") ? UInt8(ascii: " ") : $0 }
    line.append(tab)
    line += codes.joined(separator: [UInt8(ascii: " ")])
    line.append(tab)
    line += names.joined(separator: [UInt8(ascii: "|")])
    return line
  }

  private static func degrees(_ valueE7: Int32) -> [UInt8] {
    let digits = "\(valueE7.magnitude)"
    let padded = String(repeating: "0", count: max(8 - digits.count, 0)) + digits
    return Array("\(valueE7 < 0 ? "-" : "")\(padded.dropLast(7)).\(padded.suffix(7))".utf8)
  }
}
