import Domain
import GazetteerFixtures
import Testing

@testable import Gazetteer

@Suite("Limits of distance")
struct DistanceLimitTests {
  /// A point so far north of 11, 21.
  private func point(_ km: Double) throws -> (Double, Double) {
    let town = try #require(Coordinate(latitude: 11, longitude: 21))
    let degree = try #require(Coordinate(latitude: 12, longitude: 21)).distanceKm(to: town)
    // The source has seven decimals.
    return ((11e7 + km / degree * 1e7).rounded() / 1e7, 21)
  }

  @Test(
    "A postcode within 40 km of a town goes with its name; beyond it, one of them is left over",
    arguments: [(39.99, true), (40.01, false)])
  func postcode(km: Double, isNear: Bool) throws {
    #expect(GazetteerLimits.postcodeKm == 40)
    let index = try Hamlet.index(of: [.town("Beetown", 9_000), .postcode("98765", at: point(km))])
    let place = try #require(index.locate(PlaceQuery("Beetown 98765", isDetailed: true)).first)
    #expect(place.detail?.unmatched.isEmpty == isNear)
    #expect(place.match == (isNear ? .exact : .fallback))
  }

  @Test(
    "A postcode within 15 km of a town is the answer, beyond it the town is",
    arguments: [(14.99, Place.Level.postcode), (15.01, .city)])
  func postcodePoint(km: Double, level: Place.Level) throws {
    #expect(GazetteerLimits.postcodePointKm == 15)
    let index = try Hamlet.index(of: [.town("Beetown", 9_000), .postcode("98765", at: point(km))])
    let place = try #require(index.locate(PlaceQuery("Beetown 98765")).first)
    #expect(place.level == level && (place.coordinate.latitude > 11) == (level == .postcode))
  }

  @Test("A town within 100 km of a point is found, one beyond it is not", arguments: [(99.99, true), (100.01, false)])
  func nearby(km: Double, isNear: Bool) throws {
    #expect(GazetteerLimits.nearbyKm == 100)
    let index = try Hamlet.index(of: [.town("Beetown", 9_000)])
    let point = try point(km)
    let places = index.locate(PlaceQuery("\(point.0), \(point.1)", kind: .reverse))
    #expect(places.map(\.name) == (isNear ? ["Beetown"] : []))
  }
}
