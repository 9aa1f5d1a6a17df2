import Domain
import GazetteerFixtures
import Testing

@testable import Gazetteer

/// Rule R2 for codes that a region and a country share, and for names that a country and a city share.
@Suite("Code rules")
struct CodeRuleTests {
  @Test(
    "R2: A region's code selects the city of that name in the region",
    arguments: [
      ("Jordan, MN", "Jordan, Minnesota, United States"), ("Jordan MN", "Jordan, Minnesota, United States"),
      ("Carthage, TN", "Carthage, Tennessee, United States"), ("Salem, IN", "Salem, Indiana, United States"),
      ("12 Main St, Salem, IN", "Salem, Indiana, United States"), ("Lebanon, OR", "Lebanon, Oregon, United States"),
      ("Richmond, CA", "Richmond, California, United States"), ("Peru, IL", "Peru, Illinois, United States"),
    ])
  func regions(text: String, label: String) throws {
    let place = try World.first(text)
    #expect(place?.label == label && place?.level == .city, "\(text)")
  }

  @Test(
    "R2: A code means the country if the region has no such city, or only a tiny one",
    arguments: [
      ("London, CA", "London, Ontario, Canada"), ("Ontario, CA", "Ontario, Canada"),
      ("Vientiane, LA", "Vientiane, Vientiane Prefecture, Laos"), ("Haifa, IL", "Haifa, Israel"),
      ("Tunis, TN", "Tunis, Tunisia"), ("Hamburg, DE", "Hamburg, Germany"),
    ])
  func countries(text: String, label: String) throws {
    let place = try #require(try World.first(text))
    #expect("\(place.name), \(place.country)" == label || place.label == label, "\(text)")
  }

  /// Builds an index in which a country and a region of another country share a code.
  private func index(_ cities: String) throws -> PlaceIndex {
    try Hamlet.index(
      """
      gazetteer\t1\tdata © nobody
      C\tAA\t\t10\t20\t5000000\tAland\tAA\t
      C\tBB\t\t-33\t151\t7000000\tBeeland\tBB OV\t
      R\tAA\t02\t12\t22\t800000\tOver\tOV MN\t
      \(cities)

      """)
  }

  @Test(
    "R2: A city of the country must be 180 times larger than the city of the region",
    arguments: [(999, "AA"), (180_000, "AA"), (200_000, "BB")])
  func size(population: Int, country: String) throws {
    let index = try index(
      "P\tAA\t02\t12\t22\t1000\tTwin\t\t\nP\tBB\t\t-33.4\t151.2\t\(population)\tTwin\t\t")
    #expect(index.locate(PlaceQuery("Twin, OV")).first?.countryCode == country)
    #expect(index.locate(PlaceQuery("Twin, BB")).first?.countryCode == "BB")
  }

  @Test("R2: The rule considers the 64 largest cities of a name", arguments: [(62, "AA"), (63, "AA"), (64, "BB")])
  func cities(count: Int, country: String) throws {
    #expect(GazetteerLimits.citiesPerCode == 64)
    let larger = (0..<count).map { "P\tBB\t\t\(-33 + Double($0) / 10)\t151\t\(5_000 + 50 * $0)\tTwin\t\t" }
    let index = try index((["P\tAA\t02\t12\t22\t1000\tTwin\t\t"] + larger).joined(separator: "\n"))
    #expect(index.locate(PlaceQuery("Twin, OV")).first?.countryCode == country)
  }

  @Test("A city's alternate name of two letters ranks like a code", arguments: [("MN", "AA"), ("MNX", "BB")])
  func short(name: String, country: String) throws {
    #expect(GazetteerLimits.codeBytes == 2)
    let index = try index(
      """
      P\tAA\t02\t12\t22\t6000\tBeeland\t\t
      P\tBB\t\t-33.4\t151.2\t1200000\tBeetown\t\t\(name)
      """)
    let places = index.locate(PlaceQuery("Beeland, \(name)", limit: 2))
    #expect(places.first?.countryCode == country && places.first?.level == .city, "\(places.map(\.label))")
  }

  @Test(
    "A country's code is the result only if the text names no city in another country",
    arguments: [("Monterrey, N.L.", "Monterrey"), ("qwxyz, NL", "Netherlands"), ("Qwx, US", "United States")])
  func stray(text: String, name: String) throws {
    #expect(try World.first(text)?.name == name)
  }
}
