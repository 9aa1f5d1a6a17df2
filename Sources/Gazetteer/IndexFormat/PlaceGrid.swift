import Domain
import Glibc

/// Populated places by where they are: cells of half a degree, from the south pole eastwards along each parallel.
package enum PlaceGrid {
  /// Cells along a parallel, and from pole to pole.
  static let columns = 720
  static let rows = 360
  private static let cellE7: Int64 = 5_000_000

  static func row(latitudeE7: Int32) -> Int { min(Int((Int64(latitudeE7) + 900_000_000) / cellE7), rows - 1) }

  /// Longitudes 180 and -180 are the same.
  static func column(longitudeE7: Int32) -> Int { Int((Int64(longitudeE7) + 1_800_000_000) / cellE7) % columns }

  /// The number of the cell that a place lies in.
  package static func cell(of place: PlaceRecord) -> UInt32 {
    UInt32(row(latitudeE7: place.latitudeE7) * columns + column(longitudeE7: place.longitudeE7))
  }
}

/// A populated place in its cell: 8 bytes. Records are sorted by their cells.
package struct GridRecord: BitwiseCopyable, Sendable {
  /// The cell's number, from the south pole eastwards.
  package var cell: UInt32
  /// The place's record number.
  package var place: UInt32

  package init(cell: UInt32, place: UInt32) {
    (self.cell, self.place) = (cell, place)
  }
}

/// The search for the populated places around a point.
struct Nearby {
  /// A place and how far the point is outside of it, in km; within it, a negative number that orders.
  struct Found {
    var place: UInt32
    var outsideKm: Double
  }

  /// Within this share of its radius a town has all, and the largest has it.
  private static let coreShare = 0.35
  /// What a part of a town keeps of its radius: around it is the town.
  private static let partShare = 0.5
  /// Kilometres by which a place of which nobody tells the inhabitants must be nearer than the edge of a town.
  private static let unknownKm = 5.0

  let sections: IndexSections
  let point: Coordinate

  init(_ sections: IndexSections, _ point: Coordinate) {
    self.sections = sections
    self.point = point
  }

  /// The places whose towns are nearest, best first, none further away than `GazetteerLimits.nearbyKm`. A town is
  /// taken for a disc that grows with its inhabitants, so that a suburb's edge belongs to the city around it; a place
  /// of which they are not known has none.
  func places(limit: Int, isWanted: (PlaceRecord) -> Bool) -> [Found] {
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

  /// How far a point is outside of a place, as `Found` says it. Near its middle a city has all, its districts too;
  /// towards its edge the town has it whose middle is nearest for its size.
  private static func outsideKm(_ record: PlaceRecord, _ distanceKm: Double) -> Double {
    guard record.population > 0 else { return distanceKm + unknownKm }
    let radiusKm = radiusKm(record.population) * (record.isPart != 0 ? partShare : 1)
    let share = distanceKm / radiusKm
    if share <= coreShare { return -1 - log2(1 + Double(record.population)) }
    return share < 1 ? share - 1 : distanceKm - radiusKm
  }

  /// Sure within the town, half as sure ten kilometres outside of it.
  static func confidence(_ found: Found) -> Double { 1 / (1 + max(found.outsideKm, 0) / 10) }

  /// A town's radius by its inhabitants: half a kilometre for the smallest, 6.5 for 120,000. Large towns are denser, so
  /// that it grows a little less than with the root.
  static func radiusKm(_ population: UInt32) -> Double { 0.5 + 0.022 * pow(Double(population), 0.48) }
}
