import Glibc
import OnTheMap

/// Populated places by where they are: cells of half a degree, from the south pole eastwards along each parallel.
enum PlaceGrid {
  /// Cells along a parallel, and from pole to pole.
  static let columns = 720
  static let rows = 360
  private static let cellE7: Int64 = 5_000_000

  static func row(latitudeE7: Int32) -> Int { min(Int((Int64(latitudeE7) + 900_000_000) / cellE7), rows - 1) }

  /// Longitudes 180 and -180 are the same.
  static func column(longitudeE7: Int32) -> Int { Int((Int64(longitudeE7) + 1_800_000_000) / cellE7) % columns }

  static func cell(of place: PlaceRecord) -> UInt32 {
    UInt32(row(latitudeE7: place.latitudeE7) * columns + column(longitudeE7: place.longitudeE7))
  }

  /// The populated places by their cells.
  static func compiled(_ places: [PlaceRecord]) -> [GridRecord] {
    var records: [GridRecord] = []
    for (number, place) in places.enumerated() where place.level == Place.Level.city.rawValue {
      records.append(GridRecord(cell: cell(of: place), place: UInt32(number)))
    }
    records.sort { ($0.cell, $0.place) < ($1.cell, $1.place) }
    return records
  }
}

/// A populated place in its cell: 8 bytes. Records are sorted by their cells.
struct GridRecord {
  var cell: UInt32
  var place: UInt32
}

/// The search for the populated places around a point.
struct Nearby {
  /// A place and how far the point is outside of it, in km; within it, a negative number that orders.
  struct Found {
    var place: UInt32
    var outsideKm: Double
  }

  let sections: IndexSections
  let point: Coordinate

  init(_ sections: IndexSections, _ point: Coordinate) {
    self.sections = sections
    self.point = point
  }

  /// The places whose towns are nearest, best first, none further away than `GazetteerLimits.nearbyKm`. A town is taken
  /// for a disc that grows with the root of its inhabitants, so that a suburb's edge belongs to the city around it.
  func places(limit: Int) -> [Found] {
    var found: [Found] = []
    // Along a parallel a degree grows shorter towards the poles; near them all of it is near.
    let shrink = max(cos(point.latitude * .pi / 180), 0.001)
    let row = PlaceGrid.row(latitudeE7: point.latitudeE7)
    let column = PlaceGrid.column(longitudeE7: point.longitudeE7)
    let rows = Int(GazetteerLimits.nearbyKm / 55) + 1
    let columns = min(Int(GazetteerLimits.nearbyKm / (55 * shrink)) + 1, PlaceGrid.columns / 2)
    for y in max(row - rows, 0)...min(row + rows, PlaceGrid.rows - 1) {
      for x in (column - columns)...(column + columns) {
        let cell = y * PlaceGrid.columns + (x + PlaceGrid.columns) % PlaceGrid.columns
        for position in sections.gridCell(UInt32(cell)) { consider(position, &found, limit) }
      }
    }
    return found
  }

  private func consider(_ position: UInt32, _ found: inout [Found], _ limit: Int) {
    guard let number = sections.gridPlace(position), let record = sections.place(number),
      let place = Coordinate(latitudeE7: record.latitudeE7, longitudeE7: record.longitudeE7)
    else { return }
    let distanceKm = point.distanceKm(to: place)
    guard distanceKm <= GazetteerLimits.nearbyKm else { return }
    let radiusKm = Nearby.radiusKm(record.population)
    // Near its middle a city has all, its districts too; towards its edge the town has it whose middle is nearest for
    // its size.
    let share = distanceKm / radiusKm
    let outsideKm =
      share <= 0.35 ? -1 - log2(1 + Double(record.population)) : share < 1 ? share - 1 : distanceKm - radiusKm
    let candidate = Found(place: number, outsideKm: outsideKm)
    let index = found.firstIndex { candidate.outsideKm < $0.outsideKm } ?? found.count
    guard index < limit, !found.contains(where: { $0.place == number }) else { return }
    found.insert(candidate, at: index)
    if found.count > limit { found.removeLast() }
  }

  /// Sure within the town, half as sure ten kilometres outside of it.
  static func confidence(_ found: Found) -> Double { 1 / (1 + max(found.outsideKm, 0) / 10) }

  /// A town's radius by its inhabitants: some thousand on a square kilometre, and half a kilometre for the smallest.
  static func radiusKm(_ population: UInt32) -> Double { 0.5 + 0.018 * Double(population).squareRoot() }
}
