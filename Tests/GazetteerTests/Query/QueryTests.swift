import Domain
import GazetteerFixtures
import Testing

@testable import Gazetteer

/// Expected places of texts, on the committed data. `RuleTests` and `LineageRuleTests` test the named rules.
@Suite("Forward queries")
struct QueryTests {
  @Test(
    "Well-known texts find the expected place",
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
    "Nonsense finds nothing",
    arguments: [
      "dsadjkasdjasd", "xqj37", "", " ", "123", ",,,", "!?", "\u{1F5FA}", String(repeating: "a", count: 300),
    ])
  func nonsense(text: String) throws {
    #expect(try World.index.get().locate(PlaceQuery(text)) == [])
  }

  @Test(
    "Coordinates find their own point",
    arguments: [
      ("47.6, -122.3", 47.6, -122.3), ("47.6 -122.3", 47.6, -122.3), ("geo:47.6,-122.3;u=35", 47.6, -122.3),
      ("47.6N 122.3W", 47.6, -122.3), ("S 33.5, E 151", -33.5, 151.0), (" 0, 0 ", 0, 0),
    ])
  func coordinates(text: String, latitude: Double, longitude: Double) throws {
    let place = try #require(try World.first(text))
    #expect(place.coordinate == Coordinate(latitude: latitude, longitude: longitude))
    #expect(place.confidence == 1)
  }

  @Test(
    "A short or former name finds the large city, not a smaller city or its region",
    arguments: [
      ("Halle", "Halle (Saale)"), ("Leon", "León de los Aldama"), ("Chittagong", "Chattogram"),
      ("New York", "New York City"),
    ])
  func shortNames(text: String, name: String) throws {
    #expect(try World.first(text)?.name == name)
  }

  @Test(
    "The first letter of a direction matches the whole word",
    arguments: [
      ("N Korea", "North Korea"), ("W Virginia", "West Virginia"), ("S Africa", "South Africa"),
      ("Charleston, W. Virginia", "Charleston"), ("S Dakota", "South Dakota"),
    ])
  func directions(text: String, name: String) throws {
    let place = try #require(try World.first(text))
    #expect(place.name == name && place.match == .exact)
  }

  @Test(
    "A quarter or suburb is found together with its large city",
    arguments: [
      ("Soho, London", "Soho"), ("Brooklyn, New York City", "Brooklyn"), ("Ixelles, Brussels", "Ixelles"),
      ("Çankaya, Ankara", "Çankaya"), ("Konak, Izmir", "Konak"), ("Kensington, London", "Kensington"),
      ("Burnaby, Vancouver", "Burnaby"), ("Oakland, San Francisco", "Oakland"),
    ])
  func quarters(text: String, name: String) throws {
    let place = try #require(try World.first(text))
    #expect(place.name == name && place.match == .exact)
  }

  @Test(
    "A city matches together with a larger city near it",
    arguments: [(199_999, true), (200_000, false), (200_001, false)])
  func suburbs(population: Int, isWhole: Bool) throws {
    let index = try Hamlet.index(
      of: [.city("Bigton", 200_000, at: (11.1, 21)), .city("Twin", population, at: (11, 21))])
    let place = index.locate(PlaceQuery("Twin, Bigton")).first
    #expect((place?.name == "Twin" && place?.match == .exact) == isWhole)
  }

  @Test("A quarter near the named city wins over any number of larger namesakes", arguments: [1, 5, 6, 40])
  func namesakes(count: Int) throws {
    let index = try Hamlet.index(
      of: (0..<count).map { .city("Twin", 50_000 + $0, at: (-30 + Double($0), 90)) }
        + [.city("Twin", 2_000, at: (11, 21)), .city("Bigton", 300_000, at: (11.1, 21))])
    let place = index.locate(PlaceQuery("Twin, Bigton")).first
    #expect(place?.coordinate == Coordinate(latitude: 11, longitude: 21) && place?.match == .exact)
  }

  @Test("A limited query returns the first places of the full result", arguments: [1, 2, 5, 20])
  func limitedResult(limit: Int) throws {
    let index = try World.index.get()
    for text in ["Paris", "Springfield", "San Antonio", "Victoria"] {
      let all = index.locate(PlaceQuery(text, limit: 20))
      let first = index.locate(PlaceQuery(text, limit: limit))
      #expect(first == Array(all.prefix(limit)) && first.count == min(limit, all.count), "\(text)")
    }
  }

  @Test("A repeated name shares its confidence among its namesakes")
  func repeatedName() throws {
    let index = try Hamlet.index(
      of: [.city("Twin", 50_000, at: (-30, 90)), .city("Twin", 50_000, at: (30, 20))])
    let places = index.locate(PlaceQuery("Twin, Twin", limit: 5))
    #expect(places.count == 2 && places.allSatisfy { $0.confidence == 0.5 }, "\(places.map(\.confidence))")
  }

  @Test(
    "A city with another country's postcode is the result",
    arguments: [
      ("Ulaanbaatar 14200", "MN"), ("Dushanbe 734000", "TJ"), ("Chania 73100", "GR"), ("Mostar 88000", "BA"),
      ("Tel Aviv 6100000", "IL"), ("Doha PO Box 22275", "QA"),
    ])
  func foreignPostcodes(text: String, country: String) throws {
    #expect(try World.first(text)?.countryCode == country)
  }

  @Test(
    "A number in a phrase is not a postcode", arguments: ["meet me at 1900", "Class of 2024", "page 6600 and back"])
  func numbers(text: String) throws {
    #expect(try World.first(text)?.level != .postcode)
  }

  @Test("A place's confidence does not depend on the limit", arguments: ["Paris", "Springfield", "Hull"])
  func confidence(text: String) throws {
    let index = try World.index.get()
    let all = (1...5).map { index.locate(PlaceQuery(text, limit: $0)).first?.confidence }
    #expect(Set(all).count == 1, "\(all)")
  }

  @Test("No label appears twice", arguments: ["Seattle", "Paris, FR", "Columbia, SC", "廿日市市"])
  func labels(text: String) throws {
    let labels = try World.index.get().locate(PlaceQuery(text, limit: 10)).map(\.label)
    #expect(Set(labels).count == labels.count, "\(labels)")
  }

  @Test(
    "Points outside the earth are not coordinates",
    arguments: ["91.5, 0.5", "47.6, 181.5", "47.6,", "geo:91,0", "geo:x", "(47.6, 181.5)"])
  func noCoordinates(text: String) throws {
    #expect(try World.first(text) == nil)
  }

  @Test("The limit bounds the number of places, and the best comes first")
  func limit() throws {
    let index = try World.index.get()
    let places = index.locate(PlaceQuery("Springfield", limit: 5))
    #expect(places.count == 5)
    #expect(index.locate(PlaceQuery("Springfield")) == [places[0]])
    #expect(places[0].confidence < 0.6)
  }

  @Test("Concurrent queries return the same places")
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
