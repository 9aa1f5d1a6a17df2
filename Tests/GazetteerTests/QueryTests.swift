import OnTheMap
import Testing

@testable import Gazetteer

/// What texts mean, on the data of the world; the rules by name are in `RuleTests` and `LineageRuleTests`.
@Suite("Queries")
struct QueryTests {
  @Test(
    "A text is found where people mean it",
    arguments: [
      ("Costa Rica", "Costa Rica", "CR"), ("Seattle, WA", "Seattle, Washington, United States", "US"),
      ("Paris, TX", "Paris, Texas, United States", "US"), ("München", "Munich, Bavaria, Germany", "DE"),
      ("Muenchen", "Munich, Bavaria, Germany", "DE"), ("東京", "Tokyo, Japan", "JP"), ("Singapore", "Singapore", "SG"),
      ("sao paulo brazil", "São Paulo, Brazil", "BR"), ("London", "London, England, United Kingdom", "GB"),
      ("NYC", "New York City, New York, United States", "US"), ("Москва", "Moscow, Russia", "RU"),
      ("Côte d'Ivoire", "Ivory Coast", "CI"), ("Mexico City", "Mexico City, Mexico", "MX"),
      ("Seattle, King County, WA, USA", "Seattle, Washington, United States", "US"),
      ("king county wa", "King County, Washington, United States", "US"),
    ])
  func finds(text: String, label: String, country: String) throws {
    let place = try #require(try World.first(text))
    #expect(place.label == label)
    #expect(place.countryCode == country)
    #expect(place.match == .exact)
    #expect((0.4...1).contains(place.confidence))
  }

  @Test(
    "Nonsense is not found",
    arguments: [
      "dsadjkasdjasd", "xqj37", "", " ", "123", ",,,", "!?", "\u{1F5FA}", String(repeating: "a", count: 300),
    ])
  func nonsense(text: String) throws {
    #expect(try World.index.get().locate(PlaceQuery(text)) == [])
  }

  @Test(
    "Coordinates are answered by the point",
    arguments: [
      ("47.6, -122.3", 47.6, -122.3), ("47.6 -122.3", 47.6, -122.3), ("geo:47.6,-122.3;u=35", 47.6, -122.3),
      ("47.6N 122.3W", 47.6, -122.3), ("S 33.5, E 151", -33.5, 151.0), (" 0, 0 ", 0, 0),
    ])
  func coordinates(text: String, latitude: Double, longitude: Double) throws {
    let place = try #require(try World.first(text))
    #expect(place.coordinate == Coordinate(latitude: latitude, longitude: longitude))
    #expect(place.confidence == 1)
  }

  @Test("Points outside the earth are no coordinates", arguments: ["91.5, 0.5", "47.6, 181.5", "47.6,"])
  func noCoordinates(text: String) throws {
    #expect(try World.first(text) == nil)
  }

  @Test("The limit bounds the answers, and the best comes first")
  func limit() throws {
    let index = try World.index.get()
    let places = index.locate(PlaceQuery("Springfield", limit: 5))
    #expect(places.count == 5)
    #expect(index.locate(PlaceQuery("Springfield")) == [places[0]])
    #expect(places[0].confidence < 0.6)
  }

  @Test("Queries from many threads at once get the same answers")
  func concurrency() async throws {
    let index = try World.index.get()
    let texts = ["Seattle, WA", "Paris", "12 Oxford St, Cambridge, MA", "東京", "nonsense xyz"]
    let expected = texts.map { index.locate(PlaceQuery($0, limit: 3)) }
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 {
        group.addTask { (0..<200).allSatisfy { _ in texts.map { index.locate(PlaceQuery($0, limit: 3)) } == expected } }
      }
      for await isEqual in group { #expect(isEqual) }
    }
  }
}
