import Domain
import GazetteerFixtures
import Testing

@testable import Gazetteer

/// Rule R2 where a code is a region's and a country's, or a name is a country's and a town's.
@Suite("Rules of codes")
struct CodeRuleTests {
  @Test(
    "R2: A region's code decides where a town of the name lies in it",
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
    "R2: A country's code is read where its region has no such town, or a town of hardly any size",
    arguments: [
      ("London, CA", "London, Ontario, Canada"), ("Ontario, CA", "Ontario, Canada"),
      ("Vientiane, LA", "Vientiane, Vientiane Prefecture, Laos"), ("Haifa, IL", "Haifa, Israel"),
      ("Tunis, TN", "Tunis, Tunisia"), ("Hamburg, DE", "Hamburg, Germany"),
    ])
  func countries(text: String, label: String) throws {
    let place = try #require(try World.first(text))
    #expect("\(place.name), \(place.country)" == label || place.label == label, "\(text)")
  }

  /// A country whose code is also that of another's region.
  private func index(_ towns: String) throws -> PlaceIndex {
    try Hamlet.index(
      """
      gazetteer\t1\tdata © nobody
      C\tAA\t\t10\t20\t5000000\tAland\tAA\t
      C\tBB\t\t-33\t151\t7000000\tBeeland\tBB OV\t
      R\tAA\t02\t12\t22\t800000\tOver\tOV MN\t
      \(towns)

      """)
  }

  @Test(
    "R2: The other town must be 180 times larger",
    arguments: [(999, "AA"), (180_000, "AA"), (200_000, "BB")])
  func size(population: Int, country: String) throws {
    let index = try index(
      "P\tAA\t02\t12\t22\t1000\tTwin\t\t\nP\tBB\t\t-33.4\t151.2\t\(population)\tTwin\t\t")
    #expect(index.locate(PlaceQuery("Twin, OV")).first?.countryCode == country)
    #expect(index.locate(PlaceQuery("Twin, BB")).first?.countryCode == "BB")
  }

  @Test("R2: The 64 largest towns of a name are looked at", arguments: [(62, "AA"), (63, "AA"), (64, "BB")])
  func towns(count: Int, country: String) throws {
    #expect(GazetteerLimits.townsPerCode == 64)
    let larger = (0..<count).map { "P\tBB\t\t\(-33 + Double($0) / 10)\t151\t\(5_000 + 50 * $0)\tTwin\t\t" }
    let index = try index((["P\tAA\t02\t12\t22\t1000\tTwin\t\t"] + larger).joined(separator: "\n"))
    #expect(index.locate(PlaceQuery("Twin, OV")).first?.countryCode == country)
  }

  @Test("A town's other name of two letters is no more than a code", arguments: [("MN", "AA"), ("MNX", "BB")])
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
    "A country's code beside a town that lies elsewhere is not the answer, beside what is no name it is",
    arguments: [("Monterrey, N.L.", "Monterrey"), ("qwxyz, NL", "Netherlands"), ("Qwx, US", "United States")])
  func stray(text: String, name: String) throws {
    #expect(try World.first(text)?.name == name)
  }
}
