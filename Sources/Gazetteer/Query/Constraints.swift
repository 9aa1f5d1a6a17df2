import Domain
import Glibc

/// Constraints of a query on its results, as plain numbers. Each part of a search holds a copy.
struct Constraints {
  let kind: PlaceQuery.Kind
  let limit: Int
  let isDetailed: Bool
  /// Language of labels, as `LocalNameRecord.language`.
  let language: UInt16?
  /// Number of the only allowed country, which includes its territories. Nil allows all.
  private let country: UInt16?
  private let focus: Coordinate?
  /// Mask of the wanted levels, one bit each. 0 allows all.
  private let levels: UInt16

  /// Bonus of a place at the focus, in 1/256. The place counts as one with 4,096 times its inhabitants. From 5 km on,
  /// each doubling of the distance takes away a twelfth of the bonus.
  private static let focusBonusMax = 12.0 * 256
  private static let focusKm = 5.0

  /// Converts a query's options. Returns nil for an unknown country.
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

  /// True if all places are allowed and none gets a bonus.
  var isEmpty: Bool { country == nil && focus == nil && levels == 0 }

  func allow(_ place: PlaceRecord, _ sections: IndexSections) -> Bool {
    if levels != 0, levels & 1 << place.level == 0 { return false }
    return isOfCountry(place, sections)
  }

  /// Returns true if a place is an allowed result of a reverse query. Without levels, only cities are allowed.
  func allow(around place: PlaceRecord) -> Bool {
    (levels == 0 ? 1 << Place.Level.city.rawValue : levels) & 1 << place.level != 0
  }

  /// Returns true if a postcode of the place's country is an allowed result.
  func allow(postcodeOf place: PlaceRecord, _ sections: IndexSections) -> Bool {
    if levels != 0, levels & 1 << Place.Level.postcode.rawValue == 0 { return false }
    return isOfCountry(place, sections)
  }

  /// True if only one country is allowed.
  var hasCountry: Bool { country != nil }
  /// True if a point itself is an allowed result. A point counts as a house.
  var allowPoints: Bool { levels == 0 || levels & 1 << Place.Level.house.rawValue != 0 }

  func isOfCountry(_ place: PlaceRecord, _ sections: IndexSections) -> Bool {
    guard let country else { return true }
    return place.country == country || sections.country(place.country)?.sovereign == country
  }

  /// Returns true if a point is within the extent of the country's places.
  func isInCountryBox(_ point: Coordinate, _ sections: IndexSections) -> Bool {
    country.flatMap { sections.box(UInt32($0)) }?.contains(point) ?? false
  }

  /// The largest possible bonus of a place near the focus.
  var focusBonusMax: Int { focus == nil ? 0 : Int(Self.focusBonusMax) }

  /// Returns the bonus of a place near the focus.
  func focusBonus(_ place: PlaceRecord) -> Int {
    guard let focus, let point = Coordinate(latitudeE7: place.latitudeE7, longitudeE7: place.longitudeE7) else {
      return 0
    }
    let deduction = log2(1 + focus.distanceKm(to: point) / Self.focusKm) * 256
    return max(Int(Self.focusBonusMax - deduction), 0)
  }
}
