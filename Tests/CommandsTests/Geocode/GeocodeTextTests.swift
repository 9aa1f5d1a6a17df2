import Testing

@testable import Commands
@testable import Domain

@Suite("Geocode output for people")
struct GeocodeTextTests {
  private func place(_ name: String, confidence: Double) throws -> Place {
    let coordinate = try #require(Coordinate(latitude: 42.36, longitude: -71.06))
    return Place(
      coordinate: coordinate, level: .city, match: .fallback, confidence: confidence, label: name, name: name,
      region: "", country: "", countryCode: "US")
  }

  @Test("A partial match names its matched and its unmatched text")
  func understood() throws {
    var best = try place("Boston", confidence: 0.95)
    #expect(GeocodeText(places: [best], showsAll: false).remarks.isEmpty)
    var detail = Place.Detail()
    (detail.matched, detail.unmatched, detail.isDegraded) = ("Boston", "12 Foo Street", true)
    best.detail = detail
    let remarks = GeocodeText(places: [best], showsAll: false).remarks
    #expect(remarks.first == "matched only \"Boston\", not \"12 Foo Street\"")
    #expect(remarks.count == 2)
  }

  @Test("Further places are shown if the best place is uncertain, or on request")
  func alternatives() throws {
    let other = try place("Other", confidence: 0.3)
    for (confidence, showsAll, count) in [(0.9, false, 1), (0.899, false, 2), (1, true, 2)] {
      let places = [try place("Best", confidence: confidence), other]
      #expect(GeocodeText(places: places, showsAll: showsAll).lines.count == count)
    }
    #expect(GeocodeText(places: [], showsAll: true).lines.isEmpty)
  }
}
