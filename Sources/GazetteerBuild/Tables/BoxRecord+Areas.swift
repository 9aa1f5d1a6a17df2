import Domain
import Gazetteer

extension BoxRecord {
  /// Returns the bounding boxes of all areas among the places: countries, regions and counties.
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

  /// Creates the smallest box around points. The box spans the smallest arc that contains all longitudes.
  init(around points: [(latitude: Int32, longitude: Int32)]) {
    let longitudes = points.map { Int64($0.longitude) }.sorted()
    guard let first = longitudes.first, let last = longitudes.last, let south = points.map(\.latitude).min(),
      let north = points.map(\.latitude).max()
    else {
      self = .none
      return
    }
    // The smallest arc is the circle without the widest gap between neighbours.
    var (west, east) = (first, last)
    var widest = first + 3_600_000_000 - last
    for (a, b) in zip(longitudes, longitudes.dropFirst()) where b - a > widest {
      widest = b - a
      (west, east) = (b, a)
    }
    self.init(south: south, west: Int32(west), north: north, east: Int32(east))
  }
}
