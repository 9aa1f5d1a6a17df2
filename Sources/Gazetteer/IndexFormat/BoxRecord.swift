/// The extent of an area's places in the file: 16 bytes, little-endian, in 1e-7 degrees. Record n belongs to place n.
/// Areas come first, so cities have no record.
///
/// `south` is greater than `north` if an area has no places. `west` is greater than `east` if the box crosses the
/// antimeridian.
package struct BoxRecord: BitwiseCopyable, Equatable, Sendable {
  /// The box of an area without places.
  package static let none = BoxRecord(south: .max, west: 0, north: .min, east: 0)

  /// The lowest latitude, in 1e-7 degrees.
  package var south: Int32
  /// The longitude at which the arc begins, in 1e-7 degrees.
  package var west: Int32
  /// The greatest latitude, in 1e-7 degrees.
  package var north: Int32
  /// The longitude at which the arc ends, in 1e-7 degrees.
  package var east: Int32

  /// Returns the sides of the box on which a place lies, one bit each. Nil for a place outside of the box.
  func sides(at place: PlaceRecord) -> UInt8? {
    let (latitude, longitude) = (place.latitudeE7, place.longitudeE7)
    let isBetween = west <= longitude && longitude <= east
    let isAround = west > east && (west <= longitude || longitude <= east)
    guard south <= latitude, latitude <= north, isBetween || isAround else { return nil }
    return (latitude == south ? 1 : 0) | (longitude == west ? 2 : 0) | (latitude == north ? 4 : 0)
      | (longitude == east ? 8 : 0)
  }

  package init(south: Int32, west: Int32, north: Int32, east: Int32) {
    (self.south, self.west, self.north, self.east) = (south, west, north, east)
  }
}
