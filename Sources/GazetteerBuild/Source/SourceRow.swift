import Domain

/// A line of the source (Data/TSV.md) about a place: nine fields separated by tabs.
struct SourceRow {
  typealias Field = Slice<UnsafeBufferPointer<UInt8>>

  var level: Place.Level
  /// True for a city that is usually a part of a larger city near it.
  var isPart: Bool
  /// ISO 3166-1 alpha-2 code.
  var country: Field
  /// Code of the first-level region within the country. For a country, its sovereign state. May be empty.
  var region: Field
  /// Code of the second-level region within the region. May be empty.
  var county: Field
  var coordinate: Coordinate
  var population: UInt32
  /// The displayed name: the first official one.
  var name: Field
  var officialNames: [Field]
  var codes: [Field]
  var names: [Field]

  /// Parses a line.
  ///
  /// - Throws: `GazetteerBuildError.source` if the line breaks the format.
  init(_ line: UnsafeBufferPointer<UInt8>, number: Int) throws(GazetteerBuildError) {
    let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
    func invalid(_ reason: String) -> GazetteerBuildError { .source(line: number, reason: reason) }
    guard fields.count == 9 else { throw invalid("expected 9 fields, found \(fields.count)") }
    level =
      switch fields[0].first {
      case UInt8(ascii: "C"): .country
      case UInt8(ascii: "R"): .region
      case UInt8(ascii: "D"): .county
      case UInt8(ascii: "P"), UInt8(ascii: "S"): .city
      default: throw invalid("the kind must be C, L, R, D, P, S or Z")
      }
    isPart = fields[0].first == UInt8(ascii: "S")
    country = fields[1]
    let slash = fields[2].firstIndex(of: UInt8(ascii: "/"))
    region = fields[2].prefix(upTo: slash ?? fields[2].endIndex)
    county = slash.map { fields[2][($0 + 1)...] } ?? fields[2].suffix(0)
    guard let coordinate = Self.coordinate(fields[3], fields[4]) else { throw invalid("the point is not in degrees") }
    self.coordinate = coordinate
    guard let population = UInt32(String(decoding: fields[5], as: UTF8.self)) else {
      throw invalid("the population is not a number")
    }
    self.population = population
    officialNames = fields[6].split(separator: UInt8(ascii: "|"))
    guard let name = officialNames.first, name.count <= Int(UInt16.max) else {
      throw invalid("the name is missing or too long")
    }
    self.name = name
    codes = fields[7].split(separator: UInt8(ascii: " "))
    names = fields[8].split(separator: UInt8(ascii: "|"))
  }

  /// Parses a point. Returns nil unless both texts are degrees on the earth.
  static func coordinate(_ latitude: Field, _ longitude: Field) -> Coordinate? {
    guard let latitude = degreesE7(latitude), let longitude = degreesE7(longitude) else { return nil }
    return Coordinate(latitudeE7: latitude, longitudeE7: longitude)
  }

  /// Converts a text such as "-122.33207" exactly to 1e-7 degrees. Returns nil for more than 7 digits after the point,
  /// for numbers beyond 32 bits, and for other texts.
  static func degreesE7(_ text: Field) -> Int32? {
    let isNegative = text.first == UInt8(ascii: "-")
    var value: Int64 = 0
    var decimals: Int?
    for byte in text.dropFirst(isNegative ? 1 : 0) {
      if byte == UInt8(ascii: "."), decimals == nil {
        decimals = 0
        continue
      }
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte), value < 10_000_000_000 else { return nil }
      value = value * 10 + Int64(byte & 0x0F)
      if let digits = decimals { decimals = digits + 1 }
    }
    guard !text.isEmpty, decimals ?? 0 <= 7 else { return nil }
    for _ in (decimals ?? 0)..<7 { value *= 10 }
    return Int32(exactly: isNegative ? -value : value)
  }
}
