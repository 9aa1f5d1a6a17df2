import Gazetteer

extension PlaceGrid {
  /// Returns the records of the cities, sorted by cell.
  static func compiled(_ places: [PlaceRecord]) -> [GridRecord] {
    var records: [GridRecord] = []
    for (number, place) in places.enumerated() where place.isCity {
      records.append(GridRecord(cell: cell(of: place), place: UInt32(number)))
    }
    records.sort { ($0.cell, $0.place) < ($1.cell, $1.place) }
    return records
  }
}
