import Domain
import GazetteerFixtures
import Testing

@testable import Gazetteer

@Suite("Distance limits")
struct DistanceLimitTests {
  /// Returns the point `km` kilometres north of 11, 21.
  private func point(_ km: Double) throws -> (Double, Double) {
    let city = try #require(Coordinate(latitude: 11, longitude: 21))
    let degree = try #require(Coordinate(latitude: 12, longitude: 21)).distanceKm(to: city)
    // The source keeps seven decimals.
    return ((11e7 + km / degree * 1e7).rounded() / 1e7, 21)
  }

  @Test(
    "A postcode with a city's name matches within 40 km, and stays unmatched beyond 40 km",
    arguments: [(39.99, true), (40.01, false)])
  func postcode(km: Double, isNear: Bool) throws {
    #expect(GazetteerLimits.postcodeKm == 40)
    let index = try Hamlet.index(of: [.city("Beetown", 9_000), .postcode("98765", at: point(km))])
    let place = try #require(index.locate(PlaceQuery("Beetown 98765", isDetailed: true)).first)
    #expect(place.detail?.unmatched.isEmpty == isNear)
    #expect(place.match == (isNear ? .exact : .fallback))
  }

  @Test(
    "A query for a city and its postcode finds the postcode's point within 15 km, and beyond 15 km the city's",
    arguments: [(14.99, Place.Level.postcode), (15.01, .city)])
  func postcodePoint(km: Double, level: Place.Level) throws {
    #expect(GazetteerLimits.postcodePointKm == 15)
    let index = try Hamlet.index(of: [.city("Beetown", 9_000), .postcode("98765", at: point(km))])
    let place = try #require(index.locate(PlaceQuery("Beetown 98765")).first)
    #expect(place.level == level && (place.coordinate.latitude > 11) == (level == .postcode))
  }

  @Test("A reverse query finds cities within 100 km", arguments: [(99.99, true), (100.01, false)])
  func nearby(km: Double, isNear: Bool) throws {
    #expect(GazetteerLimits.nearbyKm == 100)
    let index = try Hamlet.index(of: [.city("Beetown", 9_000)])
    let point = try point(km)
    let places = index.locate(PlaceQuery("\(point.0), \(point.1)", kind: .reverse))
    #expect(places.map(\.name) == (isNear ? ["Beetown"] : []))
  }
}
