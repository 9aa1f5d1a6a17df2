import Fuzzing
import Testing

@testable import Domain

@Suite("Coordinates")
struct CoordinateTests {
  @Test(
    "Degrees are rounded to 1e-7",
    arguments: [
      (0, 0, 0, 0), (90, 180, 900_000_000, 1_800_000_000), (-90, -180, -900_000_000, -1_800_000_000),
      (47.606_210_04, -122.332_069_96, 476_062_100, -1_223_320_700), (-0.000_000_04, 0.000_000_06, 0, 1),
    ] as [(Double, Double, Int32, Int32)])
  func degrees(latitude: Double, longitude: Double, latitudeE7: Int32, longitudeE7: Int32) {
    let point = Coordinate(latitude: latitude, longitude: longitude)
    #expect(point?.latitudeE7 == latitudeE7)
    #expect(point?.longitudeE7 == longitudeE7)
  }

  @Test("Coordinates outside the earth are refused")
  func outside() {
    #expect(Coordinate(latitude: 90.000_000_1, longitude: 0) == nil)
    #expect(Coordinate(latitude: 0, longitude: 180.000_000_1) == nil)
    #expect(Coordinate(latitude: .nan, longitude: 0) == nil)
    #expect(Coordinate(latitude: 0, longitude: -.infinity) == nil)
    #expect(Coordinate(latitudeE7: 900_000_001, longitudeE7: 0) == nil)
    #expect(Coordinate(latitudeE7: -900_000_001, longitudeE7: 0) == nil)
    #expect(Coordinate(latitudeE7: 0, longitudeE7: 1_800_000_001) == nil)
    #expect(Coordinate(latitudeE7: .min, longitudeE7: .min) == nil)
    #expect(Coordinate(latitudeE7: -900_000_000, longitudeE7: 1_800_000_000) != nil)
  }

  @Test("Coordinates survive a round trip through degrees")
  func roundTrip() {
    var random = SeededRandom(seed: 3)
    for _ in 0..<5_000 {
      let latitudeE7 = Int32.random(in: -900_000_000...900_000_000, using: &random)
      let longitudeE7 = Int32.random(in: -1_800_000_000...1_800_000_000, using: &random)
      let point = Coordinate(latitudeE7: latitudeE7, longitudeE7: longitudeE7)
      #expect(point != nil)
      #expect(point.flatMap { Coordinate(latitude: $0.latitude, longitude: $0.longitude) } == point)
    }
  }

  @Test(
    "Distances match an atlas",
    arguments: [
      (51.5074, -0.1278, 40.7128, -74.0060, 5_570, 5), (52.5200, 13.4050, 48.8566, 2.3522, 878, 2),
      (-33.8688, 151.2093, -36.8485, 174.7633, 2_156, 5), (0, 0, 0, 180, 20_015, 1), (90, 0, -90, 0, 20_015, 1),
      (0, 179.5, 0, -179.5, 111.2, 0.1), (10, 20, 10, 20, 0, 0), (0, 0, 1, 0, 111.2, 0.1),
    ])
  func distance(a: Double, b: Double, c: Double, d: Double, km: Double, within: Double) {
    let (here, there) = (Coordinate.at(a, b), Coordinate.at(c, d))
    #expect(abs(here.distanceKm(to: there) - km) <= within)
    #expect(abs(here.distanceKm(to: there) - there.distanceKm(to: here)) < 1e-9)
  }
}

@Suite("Placement check")
struct PlacementCheckTests {
  private let seattle = Place.sample(47.6062, -122.3321)

  @Test("A post without coordinates and without a known place is rejected, and the reason quotes its text")
  func rejected() {
    guard case .rejected(let reason) = PlacementCheck.verdict(place: "Nowhereville", coordinate: nil, found: nil) else {
      Issue.record("The post is not rejected.")
      return
    }
    #expect(reason.code == "place_not_found")
    #expect(reason.detail.contains("\"Nowhereville\""))
  }

  @Test("A post without coordinates gets the coordinates of the place")
  func found() {
    #expect(
      PlacementCheck.verdict(place: "seattle", coordinate: nil, found: seattle)
        == .published(
          .init(
            coordinate: seattle.coordinate, label: seattle.label, countryCode: "US", agreement: .notGiven,
            match: seattle.match)))
  }

  @Test("Coordinates without a known place are published under the typed text")
  func unverified() {
    let point = Coordinate.at(1, 2)
    #expect(
      PlacementCheck.verdict(place: "my boat", coordinate: point, found: nil)
        == .published(.init(coordinate: point, label: "my boat", countryCode: "", agreement: .unverified)))
  }

  /// A degree of latitude is 111.195 km.
  @Test(
    "Given coordinates are kept, and agree within the tolerance of the place's level",
    arguments: zip(Place.Level.allCases, [3_000.0, 800, 150, 60, 40, 10, 10]))
  func tolerance(level: Place.Level, km: Double) {
    let place = Place.sample(0, 10, level: level)
    #expect(PlacementCheck.toleranceKm(level) == km)
    for (share, agreement) in [(0.0, Verdict.Agreement.verified), (0.999, .verified), (1.001, .mismatch)] {
      let given = Coordinate.at(share * km / 111.194_926_6, 10)
      guard case .published(let published) = PlacementCheck.verdict(place: "x", coordinate: given, found: place) else {
        Issue.record("The post is rejected.")
        continue
      }
      #expect(published.coordinate == given && published.agreement == agreement, "\(level) at \(share) of \(km) km")
    }
  }

  @Test("A pin far from the place found keeps the words of its owner, and gets no country")
  func ownWords() {
    let point = Coordinate.at(30, -40)
    #expect(
      PlacementCheck.verdict(place: "Seattle, my boat", coordinate: point, found: seattle)
        == .published(
          .init(
            coordinate: point, label: "Seattle, my boat", countryCode: "", agreement: .mismatch, match: seattle.match)))
    let near = Coordinate.at(47.7, -122.3)
    #expect(
      PlacementCheck.verdict(place: "seattle", coordinate: near, found: seattle)
        == .published(
          .init(
            coordinate: near, label: seattle.label, countryCode: "US", agreement: .verified, match: seattle.match)))
  }

  @Test("A narrower place never has a wider tolerance")
  func monotonic() {
    let tolerances = Place.Level.allCases.sorted().map(PlacementCheck.toleranceKm)
    #expect(tolerances == tolerances.sorted(by: >))
  }
}
