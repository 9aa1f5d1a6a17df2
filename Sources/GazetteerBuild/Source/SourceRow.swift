import Domain

/// One line of the source (Data/TSV.md) that tells of a place: nine fields between tabs.
struct SourceRow {
  typealias Field = Slice<UnsafeBufferPointer<UInt8>>

  var level: Place.Level
  /// A populated place that is usually a part of a larger one near it.
  var isPart: Bool
  /// ISO 3166-1 alpha-2.
  var country: Field
  /// The first-level region's code within the country; a country's sovereign state; or empty.
  var region: Field
  /// The second-level region's code within the region, or empty.
  var county: Field
  var coordinate: Coordinate
  var population: UInt32
  /// The name to show, the first of the official ones.
  var name: Field
  var officialNames: [Field]
  var codes: [Field]
  var names: [Field]

  /// Throws `GazetteerBuildError.source` where the line breaks the format.
  init(_ line: UnsafeBufferPointer<UInt8>, number: Int) throws(GazetteerBuildError) {
    let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
    func refuse(_ reason: String) -> GazetteerBuildError { .source(line: number, reason: reason) }
    guard fields.count == 9 else { throw refuse("expected 9 fields, found \(fields.count)") }
    level =
      switch fields[0].first {
      case UInt8(ascii: "C"): .country
      case UInt8(ascii: "R"): .region
      case UInt8(ascii: "D"): .county
      case UInt8(ascii: "P"), UInt8(ascii: "S"): .city
      default: throw refuse("the kind must be C, L, R, D, P, S or Z")
      }
    isPart = fields[0].first == UInt8(ascii: "S")
    country = fields[1]
    let slash = fields[2].firstIndex(of: UInt8(ascii: "/"))
    region = fields[2].prefix(upTo: slash ?? fields[2].endIndex)
    county = slash.map { fields[2][($0 + 1)...] } ?? fields[2].suffix(0)
    guard let coordinate = Self.coordinate(fields[3], fields[4]) else { throw refuse("the point is not in degrees") }
    self.coordinate = coordinate
    guard let population = UInt32(String(decoding: fields[5], as: UTF8.self)) else {
      throw refuse("the population is not a number")
    }
    self.population = population
    officialNames = fields[6].split(separator: UInt8(ascii: "|"))
    guard let name = officialNames.first, name.count <= Int(UInt16.max) else {
      throw refuse("the name is missing or too long")
    }
    self.name = name
    codes = fields[7].split(separator: UInt8(ascii: " "))
    names = fields[8].split(separator: UInt8(ascii: "|"))
  }

  /// Nil unless both are degrees on the earth.
  static func coordinate(_ latitude: Field, _ longitude: Field) -> Coordinate? {
    guard let latitude = degreesE7(latitude), let longitude = degreesE7(longitude) else { return nil }
    return Coordinate(latitudeE7: latitude, longitudeE7: longitude)
  }

  /// "-122.33207" in 1e-7 degrees, exactly; nil for anything but a number with at most 3 digits before and 7 after the
  /// point.
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
