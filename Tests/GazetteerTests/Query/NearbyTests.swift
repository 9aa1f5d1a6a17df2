import Domain
import GazetteerFixtures
import Testing

@testable import Gazetteer

@Suite("Reverse queries")
struct NearbyTests {
  private func places(_ latitude: Double, _ longitude: Double, limit: Int = 1) throws -> [Place] {
    try World.index.get().locate(PlaceQuery("\(latitude), \(longitude)", kind: .reverse, limit: limit))
  }

  @Test(
    "A point finds the city around it, even if a larger city is near",
    arguments: [
      (48.137, 11.575, "Munich"), (47.6062, -122.3321, "Seattle"), (49.4454, 11.8587, "Amberg"),
      (-33.8688, 151.2093, "Sydney"), (48.2497, 11.6532, "Garching"), (49.4873, 8.3901, "Ludwigshafen am Rhein"),
    ])
  func nearest(latitude: Double, longitude: Double, name: String) throws {
    #expect(try places(latitude, longitude).first?.name == name)
  }

  @Test(
    "The edge of a part of a city belongs to the city, and the middle to the part",
    arguments: [(-1.5, "Town"), (0.3, "Part")])
  func part(kilometres: Double, name: String) throws {
    let file = TemporaryFile()
    try Hamlet.write(
      """
      gazetteer\t1\tdata © nobody
      C\tAA\t\t10\t20\t5000000\tAland\tAA\t
      P\tAA\t\t10\t20\t120000\tTown\t\t
      S\tAA\t\t10.045\t20\t20000\tPart\t\t

      """, to: file.path)
    let north = 10.045 + kilometres / 111.2
    let found = try PlaceIndex(path: file.path).locate(PlaceQuery("\(north), 20", kind: .reverse, limit: 1))
    #expect(found.first?.name == name)
  }

  @Test("A city of unknown population wins if the edge of the next city is over 5 km farther")
  func unknownPopulation() throws {
    let file = TemporaryFile()
    try Hamlet.write(
      """
      gazetteer\t1\tdata © nobody
      C\tAA\t\t10\t20\t5000000\tAland\tAA\t
      P\tAA\t\t10\t20\t10000\tTown\t\t
      P\tAA\t\t10.06\t20\t0\tNear\t\t
      P\tAA\t\t10.09\t20\t0\tFar\t\t

      """, to: file.path)
    let index = try PlaceIndex(path: file.path)
    #expect(index.locate(PlaceQuery("10.06, 20", kind: .reverse, limit: 1)).map(\.name) == ["Town"])
    #expect(index.locate(PlaceQuery("10.09, 20", kind: .reverse, limit: 1)).map(\.name) == ["Far"])
  }

  @Test("A point far out at sea finds no place", arguments: [(0.0, -30.0), (-48.0, -123.0), (90, 0), (-90, 180)])
  func none(latitude: Double, longitude: Double) throws {
    #expect(try places(latitude, longitude).isEmpty)
  }

  @Test("Reverse queries work across the antimeridian and the poles")
  func antimeridian() throws {
    let file = TemporaryFile()
    try Hamlet.write(
      """
      gazetteer\t1\tdata © nobody
      C\tAA\t\t10\t20\t5000000\tAland\tAA\t
      P\tAA\t\t10\t179.9\t900\tEve\t\t
      P\tAA\t\t10\t-179.9\t900\tMorning\t\t
      P\tAA\t\t89.9\t20\t900\tPole\t\t

      """, to: file.path)
    let index = try PlaceIndex(path: file.path)
    func names(_ point: String) -> [String] {
      index.locate(PlaceQuery(point, kind: .reverse, limit: 5)).map(\.name)
    }
    #expect(names("10, 179.95") == ["Eve", "Morning"])
    #expect(Set(names("10, -180")) == Set(names("10, 180")))
    #expect(names("89.9, -160") == ["Pole"])
  }

  @Test("The nearest city comes first, with the highest confidence")
  func order() throws {
    let found = try places(52.52, 13.405, limit: 10)
    #expect(found.count == 10 && found[0].confidence == 1)
    #expect(found.map(\.confidence) == found.map(\.confidence).sorted(by: >))
  }

  @Test("Queries for areas return each area around the nearest city once")
  func areas() throws {
    let index = try World.index.get()
    func names(_ levels: Set<Place.Level>) -> [String] {
      index.locate(PlaceQuery("47.6062, -122.3321", kind: .reverse, limit: 3, levels: levels)).map(\.name)
    }
    #expect(names([.country]) == ["United States"])
    #expect(names([.region]) == ["Washington"])
    #expect(names([.county]) == ["King County"])
    #expect(names([.city, .region]).prefix(2) == ["Seattle", "Washington"])
    #expect(names([.house]).isEmpty)
  }

  @Test("A country filter applies to reverse queries and to points")
  func country() throws {
    let index = try World.index.get()
    func names(_ country: String, _ kind: PlaceQuery.Kind) -> [String] {
      index.locate(PlaceQuery("42.32, -83.04", kind: kind, country: country)).map(\.name)
    }
    #expect(names("US", .reverse) == ["Detroit"] && names("CA", .reverse) == ["Windsor"])
    #expect(names("US", .forward) == ["42.32, -83.04"] && names("FR", .forward).isEmpty)
    #expect(names("FR", .reverse).isEmpty)
    // The point is more than 100 km from any city, inside the first country and outside the second.
    let desert = { index.locate(PlaceQuery("-25, 128", country: $0)).count }
    #expect(desert("AU") == 1 && desert("NZ") == 0 && index.locate(PlaceQuery("-25, 128")).count == 1)
  }

  @Test("A point has the level of a house and states its matched text")
  func narrow() throws {
    let index = try World.index.get()
    #expect(index.locate(PlaceQuery("47.6, -122.3", levels: [.city])).isEmpty)
    let place = index.locate(PlaceQuery("47.6, -122.3", levels: [.house], isDetailed: true)).first
    #expect(place?.detail?.matched == "47.6, -122.3" && place?.level == .house)
  }

  @Test("A reverse query for a text that is not a point finds nothing")
  func text() throws {
    #expect(try World.index.get().locate(PlaceQuery("Seattle", kind: .reverse)).isEmpty)
  }
}
