import Domain
import Glibc

/// A grid of populated places: cells of half a degree, numbered from the south pole eastwards along each parallel.
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

/// A populated place in its cell: 8 bytes. Records are sorted by cell.
package struct GridRecord: BitwiseCopyable, Sendable {
  /// The cell's number, from the south pole eastwards.
  package var cell: UInt32
  /// The place's record number.
  package var place: UInt32

  package init(cell: UInt32, place: UInt32) {
    (self.cell, self.place) = (cell, place)
  }
}

/// A search for the populated places around a point.
struct Nearby {
  /// A place and the point's distance from its edge, in km. Negative within the place: a sort key without a unit.
  struct Found {
    var place: UInt32
    var outsideKm: Double
  }

  /// Share of a city's radius within which it outranks its districts and neighbours; the largest city wins.
  private static let coreShare = 0.35
  /// Share of its radius that a part of a town keeps. The town lies around it.
  private static let partShare = 0.5
  /// Kilometres by which a place without a known population must be nearer than the edge of a town.
  private static let unknownKm = 5.0

  let sections: IndexSections
  let point: Coordinate

  init(_ sections: IndexSections, _ point: Coordinate) {
    self.sections = sections
    self.point = point
  }

  /// Returns the places whose towns are nearest, best first, none farther than `GazetteerLimits.nearbyKm`. A town
  /// counts as a disc that grows with its inhabitants, so that a suburb's edge belongs to the city around it. A place
  /// without a known population has no disc.
  func places(limit: Int, isWanted: (PlaceRecord) -> Bool) -> [Found] {
    var found: [Found] = []
    // Along a parallel a degree is shorter towards the poles. Near them all of the parallel is near.
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

  /// Returns the distance of a point from a place's edge, as in `Found`. Near its centre a city outranks its districts.
  /// Towards its edge the town wins whose centre is nearest for its size.
  private static func outsideKm(_ record: PlaceRecord, _ distanceKm: Double) -> Double {
    guard record.population > 0 else { return distanceKm + unknownKm }
    let radiusKm = radiusKm(record.population) * (record.isPart != 0 ? partShare : 1)
    let share = distanceKm / radiusKm
    if share <= coreShare { return -1 - log2(1 + Double(record.population)) }
    return share < 1 ? share - 1 : distanceKm - radiusKm
  }

  /// Returns the confidence of a result: 1 within the town, 0.5 at ten kilometres from its edge.
  static func confidence(_ found: Found) -> Double { 1 / (1 + max(found.outsideKm, 0) / 10) }

  /// Returns a town's radius in kilometres: half a kilometre for the smallest, 6.5 for 120,000 inhabitants. Large towns
  /// are denser, so the radius grows a little less than the square root.
  static func radiusKm(_ population: UInt32) -> Double { 0.5 + 0.022 * pow(Double(population), 0.48) }
}
