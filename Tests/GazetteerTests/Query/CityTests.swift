import Domain
import Testing

@testable import Gazetteer

@Suite("Small cities from postcode data")
struct CityTests {
  @Test(
    "Cities known only from postcodes are found by name, in their regions",
    arguments: [
      ("Pohlheim", 50.52, 8.7, "Hesse"), ("Illerkirchberg", 48.32, 10.02, "Baden-Wurttemberg"),
      ("Herzebrock-Clarholz", 51.88, 8.24, "North Rhine-Westphalia"), ("Mavesyn Ridware", 52.76, -1.88, "England"),
      ("Quitzdorf am See", 51.28, 14.76, "Saxony"), ("Gemmelaincourt", 48.24, 5.98, "Grand Est"),
    ])
  func found(name: String, latitude: Double, longitude: Double, region: String) throws {
    let place = try #require(try World.first(name))
    #expect(place.name == name && place.region == region)
    #expect(abs(place.coordinate.latitude - latitude) < 0.1 && abs(place.coordinate.longitude - longitude) < 0.1)
  }

  @Test(
    "Large recipients with their own postcode are not cities",
    arguments: ["Stadtverwaltung", "Deutsche Post AG Niederlassung BRIEF", "Universitätsklinikum"])
  func offices(text: String) throws {
    #expect(try World.first(text) == nil)
  }

  @Test("A known city appears once, even if the postcode data has another name for it")
  func doubles() throws {
    let found = try World.index.get().locate(PlaceQuery("Neustadt an der Weinstraße", limit: 5, country: "DE"))
    #expect(found.count == 1)
  }

  @Test("A city of unknown population ranks like a city of 250 inhabitants", arguments: [0, 250])
  func rank(population: UInt32) {
    #expect(PlaceRecord.rank(level: .city, population: population) == PlaceRecord.rank(level: .city, population: 250))
    #expect(PlaceRecord.rank(level: .county, population: 0) < PlaceRecord.rank(level: .county, population: 1))
  }
}
