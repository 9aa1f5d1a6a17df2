import Domain
import Glibc

/// What a query asks of its answers besides their names, in numbers: whatever is done for a query has a copy of it.
struct Constraints {
  let kind: PlaceQuery.Kind
  let limit: Int
  let isDetailed: Bool
  /// Of labels; `LocalNameRecord.language`.
  let language: UInt16?
  /// Only this country and its territories.
  private let country: UInt16?
  private let focus: Coordinate?
  /// One bit for each level that is wanted; 0 for all.
  private let levels: UInt16

  /// What a place at the focus gains, in the unit of ranks: as one with 4,096 times its inhabitants. Each doubling of
  /// the distance, from 5 km on, takes away one of twelve parts.
  private static let focusBonusMax = 12.0 * 256
  private static let focusKm = 5.0

  /// Nil for a country that is not known.
  init?(_ query: borrowing PlaceQuery, _ sections: borrowing IndexSections) {
    if let code = query.country {
      guard let number = CountryRecord.code(code.utf8).flatMap(sections.country(code:)) else { return nil }
      country = number
    } else {
      country = nil
    }
    focus = query.focus
    levels = query.levels.isEmpty ? 0 : query.levels.reduce(0) { $0 | 1 << $1.rawValue }
    kind = query.kind
    limit = max(query.limit, 1)
    isDetailed = query.isDetailed
    language = query.language.flatMap { LocalNameRecord.language($0.utf8) }
  }

  /// All places may be answers, and none gains.
  var isEmpty: Bool { country == nil && focus == nil && levels == 0 }

  func allow(_ place: PlaceRecord, _ sections: IndexSections) -> Bool {
    if levels != 0, levels & 1 << place.level == 0 { return false }
    return isOfCountry(place, sections)
  }

  /// Whether a place that lies around a point, or an area around it, is wanted: without a word about levels, the place.
  func allow(around place: PlaceRecord) -> Bool {
    (levels == 0 ? 1 << Place.Level.city.rawValue : levels) & 1 << place.level != 0
  }

  /// Whether a postcode of the place's country is wanted.
  func allow(postcodeOf place: PlaceRecord, _ sections: IndexSections) -> Bool {
    if levels != 0, levels & 1 << Place.Level.postcode.rawValue == 0 { return false }
    return isOfCountry(place, sections)
  }

  /// Whether some country alone is asked for.
  var hasCountry: Bool { country != nil }
  /// Whether a point may be the answer: it is as narrow as a house.
  var allowPoints: Bool { levels == 0 || levels & 1 << Place.Level.house.rawValue != 0 }

  func isOfCountry(_ place: PlaceRecord, _ sections: IndexSections) -> Bool {
    guard let country else { return true }
    return place.country == country || sections.country(place.country)?.sovereign == country
  }

  /// Whether a point is within the extent of the country's places.
  func isInCountrysBox(_ point: Coordinate, _ sections: IndexSections) -> Bool {
    country.flatMap { sections.box(UInt32($0)) }?.contains(point) ?? false
  }

  /// What the nearness of a place is worth at most.
  var focusBonusMax: Int { focus == nil ? 0 : Int(Self.focusBonusMax) }

  /// What the nearness of a place is worth.
  func focusBonus(_ place: PlaceRecord) -> Int {
    guard let focus, let point = Coordinate(latitudeE7: place.latitudeE7, longitudeE7: place.longitudeE7) else {
      return 0
    }
    let lost = log2(1 + focus.distanceKm(to: point) / Self.focusKm) * 256
    return max(Int(Self.focusBonusMax - lost), 0)
  }
}
