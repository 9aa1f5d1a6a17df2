/// Area between two parallels and two meridians, in 1e-7 degrees. If it crosses the antimeridian, `west` is greater
/// than `east`.
package struct BoundingBox: Sendable, Hashable {
  /// Southern side, in 1e-7 degrees.
  package let south: Int32
  /// Western side, in 1e-7 degrees.
  package let west: Int32
  /// Northern side, in 1e-7 degrees.
  package let north: Int32
  /// Eastern side, in 1e-7 degrees.
  package let east: Int32

  /// Returns nil if a corner is not on the earth, or if `south` is greater than `north`.
  package init?(south: Int32, west: Int32, north: Int32, east: Int32) {
    guard Coordinate(latitudeE7: south, longitudeE7: west) != nil,
      Coordinate(latitudeE7: north, longitudeE7: east) != nil, south <= north
    else { return nil }
    self.south = south
    self.west = west
    self.north = north
    self.east = east
  }

  /// Returns true if the point is within the box or on one of its sides.
  package func contains(_ point: Coordinate) -> Bool {
    guard (south...north).contains(point.latitudeE7) else { return false }
    return west <= east
      ? (west...east).contains(point.longitudeE7) : point.longitudeE7 >= west || point.longitudeE7 <= east
  }
}
