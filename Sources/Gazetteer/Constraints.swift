import Glibc
import OnTheMap

/// What a query asks of its answers besides their names.
struct Constraints {
  /// Only this country and its territories.
  private let country: UInt16?
  private let focus: Coordinate?
  /// One bit for each level that is wanted; 0 for all.
  private let levels: UInt16

  /// What a place at the focus gains, in the unit of ranks: as one with 4,096 times its inhabitants. Each doubling of
  /// the distance, from 5 km on, takes away one of twelve parts.
  private static let focusWorthMax = 12.0 * 256
  private static let focusKm = 5.0

  /// Nil for a country that is not known.
  init?(_ query: PlaceQuery, _ sections: IndexSections) {
    if let code = query.country {
      guard let number = CountryRecord.code(code.utf8).flatMap(sections.country(code:)) else { return nil }
      country = number
    } else {
      country = nil
    }
    focus = query.focus
    levels = query.levels.reduce(0) { $0 | 1 << $1.rawValue }
  }

  /// Nothing is asked.
  var isEmpty: Bool { country == nil && focus == nil && levels == 0 }

  func allow(_ place: PlaceRecord, _ sections: IndexSections) -> Bool {
    if levels != 0, levels & 1 << place.level == 0 { return false }
    return isOfCountry(place, sections)
  }

  /// Whether a postcode of the place's country is wanted.
  func allow(postcodeOf place: PlaceRecord, _ sections: IndexSections) -> Bool {
    if levels != 0, levels & 1 << Place.Level.postcode.rawValue == 0 { return false }
    return isOfCountry(place, sections)
  }

  private func isOfCountry(_ place: PlaceRecord, _ sections: IndexSections) -> Bool {
    guard let country else { return true }
    return place.country == country || sections.country(place.country)?.sovereign == country
  }

  /// What the nearness of a place is worth.
  func focusWorth(_ place: PlaceRecord) -> Int {
    guard let focus, let point = Coordinate(latitudeE7: place.latitudeE7, longitudeE7: place.longitudeE7) else {
      return 0
    }
    let lost = log2(1 + focus.distanceKm(to: point) / Self.focusKm) * 256
    return max(Int(Self.focusWorthMax - lost), 0)
  }
}
