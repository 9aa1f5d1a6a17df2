import Domain
import Testing

@testable import Gazetteer

/// The world's places with the areas that contain them, for tests that apply a rule to every place that it concerns.
struct Lineages {
  let sections: IndexSections
  let cities: [PlaceRecord]

  init() throws {
    let sections = try World.sections.get()
    self.sections = sections
    cities = (0..<UInt32(sections.placeCount)).lazy.compactMap(sections.place).filter {
      $0.level == Place.Level.city.rawValue
    }
  }

  func name(_ place: PlaceRecord) -> String { String(decoding: sections.name(of: place), as: UTF8.self) }

  /// The code of the place's country, such as "US".
  func code(_ place: PlaceRecord) -> String {
    let code = sections.country(place.country)?.code ?? 0
    return String(decoding: [UInt8(code & 0xFF), UInt8(code >> 8)], as: UTF8.self)
  }

  /// True if the place is within 50 km of the city, so that it is the city or a part of it.
  func isNear(_ place: Place, _ city: PlaceRecord) -> Bool {
    guard let point = Coordinate(latitudeE7: city.latitudeE7, longitudeE7: city.longitudeE7) else { return false }
    return place.coordinate.distanceKm(to: point) < 50
  }

  /// The most populous city of a country.
  func largest(of country: UInt16) -> PlaceRecord? {
    cities.lazy.filter { $0.country == country }.max { $0.population < $1.population }
  }

  /// The most populous cities of a region.
  func largest(in region: UInt32, _ count: Int) -> ArraySlice<PlaceRecord> {
    cities.filter { $0.region == region }.sorted { $0.population > $1.population }.prefix(count)
  }

  /// The codes of two and three letters of the regions of some countries, each with its region's number.
  func regionCodes(of countries: Set<String>) -> [(region: UInt32, code: String)] {
    var codes: [(region: UInt32, code: String)] = []
    for name in 0..<UInt32(sections.nameCount) {
      guard let name = sections.name(name), (2...3).contains(name.bytes.count),
        name.bytes.allSatisfy((UInt8(ascii: "a")...UInt8(ascii: "z")).contains)
      else { continue }
      for posting in name.postings.compactMap(sections.posting) {
        guard posting.kind == .code, let place = sections.place(posting.place),
          place.level == Place.Level.region.rawValue, countries.contains(code(place))
        else { continue }
        codes.append((posting.place, String(decoding: name.bytes, as: UTF8.self)))
      }
    }
    return codes
  }
}
