import Domain
import Glibc

/// A grid of cities: cells of half a degree, numbered from the south pole eastwards along each parallel.
package enum PlaceGrid {
  /// Number of cells along a parallel.
  static let columns = 720
  /// Number of cells from pole to pole.
  static let rows = 360
  private static let cellE7: Int64 = 5_000_000

  static func row(latitudeE7: Int32) -> Int { min(Int((Int64(latitudeE7) + 900_000_000) / cellE7), rows - 1) }

  /// Returns the column of a longitude. 180 and -180 degrees share one.
  static func column(longitudeE7: Int32) -> Int { Int((Int64(longitudeE7) + 1_800_000_000) / cellE7) % columns }

  /// Returns the number of the cell that contains a place.
  package static func cell(of place: PlaceRecord) -> UInt32 {
    UInt32(row(latitudeE7: place.latitudeE7) * columns + column(longitudeE7: place.longitudeE7))
  }
}

/// A city in its cell: 8 bytes. Records are sorted by cell.
package struct GridRecord: BitwiseCopyable, Sendable {
  /// The cell's number, from the south pole eastwards.
  package var cell: UInt32
  /// The city's record number.
  package var place: UInt32

  package init(cell: UInt32, place: UInt32) {
    (self.cell, self.place) = (cell, place)
  }
}

/// A search for the cities around a point.
struct Nearby {
  /// A city, and the distance of the point from the city's edge, in kilometres. Within the city, the distance is a
  /// negative sort key without a unit.
  struct Found {
    var place: UInt32
    var outsideKm: Double
  }

  /// Share of a city's radius that is its core. A point in the cores of several cities belongs to the largest one.
  private static let coreShare = 0.35
  /// Share of its radius that a part of a larger city keeps, because the larger city lies around the part.
  private static let partShare = 0.5
  /// Distance, in kilometres, by which a city without a known population must be nearer than the edge of another city.
  private static let unknownKm = 5.0

  let sections: IndexSections
  let point: Coordinate

  init(_ sections: IndexSections, _ point: Coordinate) {
    self.sections = sections
    self.point = point
  }

  /// Returns the cities nearest to the point, best first, none farther than `GazetteerLimits.nearbyKm`. A city counts
  /// as a disc that grows with its inhabitants. The edge of a suburb therefore belongs to the larger city around it. A
  /// city without a known population has no disc.
  func places(limit: Int, isWanted: (PlaceRecord) -> Bool) -> [Found] {
    var found: [Found] = []
    // A degree of longitude is shorter towards the poles. Close to a pole, the whole parallel is near.
    let shrink = max(cos(point.latitude * .pi / 180), 0.001)
    let row = PlaceGrid.row(latitudeE7: point.latitudeE7)
    let column = PlaceGrid.column(longitudeE7: point.longitudeE7)
    let rows = Int(GazetteerLimits.nearbyKm / 55) + 1
    let columns = min(Int(GazetteerLimits.nearbyKm / (55 * shrink)) + 1, PlaceGrid.columns / 2)
    for y in max(row - rows, 0)...min(row + rows, PlaceGrid.rows - 1) {
      for x in (column - columns)...(column + columns) {
        let cell = y * PlaceGrid.columns + (x + PlaceGrid.columns) % PlaceGrid.columns
        for position in sections.gridCell(UInt32(cell)) { consider(position, &found, limit, isWanted) }
      }
    }
    return found
  }

  private func consider(
    _ position: UInt32, _ found: inout [Found], _ limit: Int, _ isWanted: (PlaceRecord) -> Bool
  ) {
    guard let number = sections.gridPlace(position), let record = sections.place(number),
      let place = Coordinate(latitudeE7: record.latitudeE7, longitudeE7: record.longitudeE7)
    else { return }
    let distanceKm = point.distanceKm(to: place)
    guard distanceKm <= GazetteerLimits.nearbyKm, isWanted(record) else { return }
    let candidate = Found(place: number, outsideKm: Self.outsideKm(record, distanceKm))
    let index = found.firstIndex { candidate.outsideKm < $0.outsideKm } ?? found.count
    guard index < limit, !found.contains(where: { $0.place == number }) else { return }
    found.insert(candidate, at: index)
    if found.count > limit { found.removeLast() }
  }

  /// Returns `Found.outsideKm` of a city. A large city outranks its districts in its core. Outside of cores, the city
  /// whose centre is nearest relative to its radius wins.
  private static func outsideKm(_ record: PlaceRecord, _ distanceKm: Double) -> Double {
    guard record.population > 0 else { return distanceKm + unknownKm }
    let radiusKm = radiusKm(record.population) * (record.isPart != 0 ? partShare : 1)
    let share = distanceKm / radiusKm
    if share <= coreShare { return -1 - log2(1 + Double(record.population)) }
    return share < 1 ? share - 1 : distanceKm - radiusKm
  }

  /// Returns the confidence of a result: 1 within the city, 0.5 at 10 km from its edge.
  static func confidence(_ found: Found) -> Double { 1 / (1 + max(found.outsideKm, 0) / 10) }

  /// Returns a city's radius in kilometres: 0.5 for the smallest, 6.5 for 120,000 inhabitants. Large cities are denser,
  /// so the radius grows more slowly than the square root of the population.
  static func radiusKm(_ population: UInt32) -> Double { 0.5 + 0.022 * pow(Double(population), 0.48) }
}
