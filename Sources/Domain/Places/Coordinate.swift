import Glibc

/// Point on the earth (WGS 84), in units of 1e-7 degrees (about 1 cm). The wire, the disk and memory have the same
/// integers, so a round trip changes no digit.
package struct Coordinate: Sendable, Hashable {
  /// Latitude, -900,000,000 … 900,000,000.
  package let latitudeE7: Int32
  /// Longitude, -1,800,000,000 … 1,800,000,000.
  package let longitudeE7: Int32

  /// Returns nil if a value is outside its range.
  package init?(latitudeE7: Int32, longitudeE7: Int32) {
    guard (-900_000_000...900_000_000).contains(latitudeE7), (-1_800_000_000...1_800_000_000).contains(longitudeE7)
    else { return nil }
    self.latitudeE7 = latitudeE7
    self.longitudeE7 = longitudeE7
  }

  /// Rounds degrees to 1e-7. Nil if the latitude is not within ±90, or the longitude not within ±180.
  package init?(latitude: Double, longitude: Double) {
    guard (-90.0...90.0).contains(latitude), (-180.0...180.0).contains(longitude) else { return nil }
    self.init(latitudeE7: Int32((latitude * 1e7).rounded()), longitudeE7: Int32((longitude * 1e7).rounded()))
  }

  /// Latitude in degrees, -90 … 90.
  package var latitude: Double { Double(latitudeE7) / 1e7 }
  /// Longitude in degrees, -180 … 180.
  package var longitude: Double { Double(longitudeE7) / 1e7 }
}

extension Coordinate {
  /// Returns the great-circle distance on a sphere with a radius of 6,371 km, by the haversine formula. The distance on
  /// the ellipsoid differs by at most 0.6 %.
  package func distanceKm(to other: Coordinate) -> Double {
    let toRadians = Double.pi / 180
    let (a, b) = (latitude * toRadians, other.latitude * toRadians)
    let (dLatitude, dLongitude) = (b - a, (other.longitude - longitude) * toRadians)
    let h =
      sin(dLatitude / 2) * sin(dLatitude / 2) + cos(a) * cos(b) * sin(dLongitude / 2) * sin(dLongitude / 2)
    return 2 * 6_371 * asin(min(1, h.squareRoot()))
  }
}
