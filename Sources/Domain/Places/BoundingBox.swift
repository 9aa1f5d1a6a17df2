/// A part of the earth between two parallels and two meridians, in 1e-7 degrees. Where it crosses the antimeridian,
/// `west` is greater than `east`.
package struct BoundingBox: Sendable, Hashable {
  /// 1e-7 degrees, as the others.
  package let south: Int32
  /// 1e-7 degrees.
  package let west: Int32
  /// 1e-7 degrees.
  package let north: Int32
  /// 1e-7 degrees.
  package let east: Int32

  /// Nil unless the corners are on the earth and south is not north of north.
  package init?(south: Int32, west: Int32, north: Int32, east: Int32) {
    guard Coordinate(latitudeE7: south, longitudeE7: west) != nil,
      Coordinate(latitudeE7: north, longitudeE7: east) != nil, south <= north
    else { return nil }
    self.south = south
    self.west = west
    self.north = north
    self.east = east
  }

  /// Whether a point is within it, its sides among it.
  package func contains(_ point: Coordinate) -> Bool {
    guard (south...north).contains(point.latitudeE7) else { return false }
    return west <= east
      ? (west...east).contains(point.longitudeE7) : point.longitudeE7 >= west || point.longitudeE7 <= east
  }
}
