import Domain
import Glibc

/// A country, region or county of a GeoNames dump while its parts are collected.
struct GeoNamesArea {
  typealias Bytes = [UInt8]

  /// Kind of the source's line: `C`, `R` or `D`.
  let kind: UInt8
  let country: Bytes
  /// The source's third field: "WA" or "WA/033". For a country, its sovereign state or empty.
  let region: Bytes
  let name: Bytes
  var codes: [Bytes] = []
  private var names: [Bytes] = []
  private var point: Coordinate?
  private var population: UInt32 = 0
  /// Sum of the cities' points on the sphere, weighted by inhabitants.
  private var sum: (x: Double, y: Double, z: Double) = (0, 0, 0)
  private var inhabitants: UInt64 = 0
  /// Names by language. If a language has several names, the name that GeoNames prefers.
  private var local: [Bytes: (name: Bytes, score: Int)] = [:]

  init(kind: UInt8, country: Bytes, region: Bytes, name: Bytes) {
    (self.kind, self.country, self.region, self.name) = (kind, country, region, name)
  }

  /// Adds the data that the dump lists under the area's own number.
  mutating func merge(_ feature: GeoNamesFeature) {
    point = feature.coordinate
    if feature.population > 0 { population = feature.population }
    for name in feature.alternateNames { add(Bytes(name)) }
  }

  /// Adds a city to the area's centre and population.
  mutating func add(_ feature: GeoNamesFeature) {
    let weight = Double(feature.population) + 1
    let latitude = feature.coordinate.latitude * .pi / 180
    let longitude = feature.coordinate.longitude * .pi / 180
    sum.x += weight * cos(latitude) * cos(longitude)
    sum.y += weight * cos(latitude) * sin(longitude)
    sum.z += weight * sin(latitude)
    inhabitants += UInt64(feature.population)
  }

  mutating func add(population count: UInt32) { population = count }

  /// Adds a name, to the codes if it looks like one.
  mutating func add(_ name: Bytes) {
    guard GeoNamesFeature.isName(name[...]) else { return }
    if GeoNamesFeature.isCode(name[...]) { codes.append(name) } else { names.append(name) }
  }

  /// Adds a name in one language, if its score is above that of the language's current name.
  ///
  /// - Parameter score: Preference of GeoNames among the names of the language; the higher, the more preferred.
  mutating func add(_ name: Bytes, language: Bytes, score: Int) {
    guard GeoNamesFeature.isName(name[...]), score > local[language]?.score ?? .min else { return }
    local[language] = (name, score)
  }

  /// The area's line in the source format. Nil for an area without a point and without cities.
  var line: Bytes? {
    var middle: Coordinate?
    if sum.x != 0 || sum.y != 0 || sum.z != 0 {
      let degree = 180 / Double.pi * 1e7
      middle = Coordinate(
        latitudeE7: Int32(atan2(sum.z, hypot(sum.x, sum.y)) * degree), longitudeE7: Int32(atan2(sum.y, sum.x) * degree))
    }
    guard let point = point ?? middle else { return nil }
    let count = population > 0 ? population : UInt32(clamping: inhabitants)
    return GeoNamesFeature.line(
      kind: kind, country: country[...], region: region, point: point, population: count, name: name[...],
      codes: codes.map { $0[...] }, names: names.map { $0[...] })
  }

  /// The source's lines of a country's names by language.
  var localLines: [Bytes] {
    let tab = [UInt8(ascii: "\t")]
    return local.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { language, found in
      [UInt8(ascii: "L")] + tab + country + tab + language + tab + found.name
    }
  }
}
