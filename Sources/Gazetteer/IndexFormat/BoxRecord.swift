import Domain

/// The extent of an area's places in the file: 16 bytes, little-endian, in 1e-7 degrees. The n-th record is that of the
/// n-th place; areas are the first places, so populated places have none. `south` is greater than `north` where an area
/// has no places; `west` is greater than `east` where it crosses the antimeridian.
struct BoxRecord: Equatable {
  static let none = BoxRecord(south: .max, west: 0, north: .min, east: 0)

  var south: Int32
  var west: Int32
  var north: Int32
  var east: Int32

  /// The boxes of all areas among the places: countries, regions and counties.
  static func all(_ places: [PlaceRecord]) -> [BoxRecord] {
    let areas = places.prefix { $0.level < Place.Level.city.rawValue }.count
    var points = [[(latitude: Int32, longitude: Int32)]](repeating: [], count: areas)
    for place in places[areas...] {
      let point = (place.latitudeE7, place.longitudeE7)
      for area in [UInt32(place.country), place.region, place.county] where Int(area) < areas {
        points[Int(area)].append(point)
      }
    }
    return points.map(BoxRecord.init(around:))
  }

  /// The smallest box around points: of longitudes, the smallest arc that holds them all.
  init(around points: [(latitude: Int32, longitude: Int32)]) {
    let longitudes = points.map { Int64($0.longitude) }.sorted()
    guard let first = longitudes.first, let last = longitudes.last, let south = points.map(\.latitude).min(),
      let north = points.map(\.latitude).max()
    else {
      self = .none
      return
    }
    // The arc is what is left of the circle without the widest gap between neighbours.
    var (west, east) = (first, last)
    var widest = first + 3_600_000_000 - last
    for (a, b) in zip(longitudes, longitudes.dropFirst()) where b - a > widest {
      widest = b - a
      (west, east) = (b, a)
    }
    self.init(south: south, west: Int32(west), north: north, east: Int32(east))
  }

  /// The sides on which a place lies, one bit each; nil for a place outside of the box.
  func sides(at place: PlaceRecord) -> UInt8? {
    let (latitude, longitude) = (place.latitudeE7, place.longitudeE7)
    let isBetween = west <= longitude && longitude <= east
    let isAround = west > east && (west <= longitude || longitude <= east)
    guard south <= latitude, latitude <= north, isBetween || isAround else { return nil }
    return (latitude == south ? 1 : 0) | (longitude == west ? 2 : 0) | (latitude == north ? 4 : 0)
      | (longitude == east ? 8 : 0)
  }

  init(south: Int32, west: Int32, north: Int32, east: Int32) {
    (self.south, self.west, self.north, self.east) = (south, west, north, east)
  }
}
