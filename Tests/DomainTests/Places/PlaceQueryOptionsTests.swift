import Fuzzing
import Testing

@testable import Domain

@Suite("Options of a place query")
struct PlaceQueryOptionsTests {
  private func query(_ option: PlaceQuery.Option, _ value: String) throws(InvalidOption) -> PlaceQuery {
    var query = PlaceQuery("Oslo", limit: 3)
    try query.set(option, to: value)
    return query
  }

  @Test("Options ignore surrounding space and letter case, and a boolean may be a word or a digit")
  func accepted() throws {
    #expect(try query(.text, " Bergen\n").text == "Bergen")
    #expect(try query(.limit, "20").limit == 20)
    #expect(try query(.country, " us ").country == "US")
    #expect(try query(.focus, "47.6, -122.3").focus == Coordinate(latitude: 47.6, longitude: -122.3))
    #expect(try query(.language, "DE").language == "de")
    #expect(try query(.language, "de-AT").language == "de")
    #expect(try query(.level, "City, postcode").levels == [.city, .postcode])
    #expect(try query(.autocomplete, "true").kind == .autocomplete)
    #expect(try query(.autocomplete, "0").kind == .forward)
  }

  @Test("A blank value leaves an option unchanged", arguments: PlaceQuery.Option.allCases.filter { $0 != .text })
  func empty(option: PlaceQuery.Option) throws {
    #expect(try query(option, " ") == PlaceQuery("Oslo", limit: 3))
  }

  @Test(
    "An invalid option changes nothing, and its error has the expected and the actual value",
    arguments: [
      (PlaceQuery.Option.text, "", "1 to 256 bytes"), (.text, String(repeating: "x", count: 257), "1 to 256 bytes"),
      (.limit, "0", "1 to 20"), (.limit, "21", "1 to 20"), (.limit, "x", "1 to 20"), (.country, "USA", "two letters"),
      (.country, "1!", "two letters"), (.country, "ü", "two letters"), (.focus, "47.6", "LAT,LON"),
      (.focus, "91,0", "LAT,LON"), (.focus, "0x1,2", "LAT,LON"), (.focus, "1,2,3", "LAT,LON"),
      (.focus, "nan,0", "LAT,LON"), (.language, "german", "two letters"), (.level, "town", "city"),
      (.level, ",", "city"), (.autocomplete, "yes", "true or false"),
    ])
  func wrong(option: PlaceQuery.Option, value: String, expected: String) {
    var changed = PlaceQuery("Oslo", limit: 3)
    let error = #expect(throws: InvalidOption.self) { try changed.set(option, to: value) }
    #expect(changed == PlaceQuery("Oslo", limit: 3))
    #expect(error?.sentence("--x").contains(expected) == true && error?.option == option)
    #expect((error?.actual.utf8.count ?? .max) <= Limits.quotedTextBytesMax)
  }

  @Test("A text of exactly the longest length is accepted")
  func longest() throws {
    let text = String(repeating: "x", count: Limits.placeBytesMax)
    #expect(try query(.text, text).text == text)
  }

  @Test("A coordinate's text has no exponent and parses to the same coordinate")
  func point() throws {
    let small = try #require(Coordinate(latitudeE7: -1, longitudeE7: 1_800_000_000))
    #expect(small.text == "-0.0000001, 180")
    Fuzz.rounds(1_000) { random in
      let latitude = Int32(random.below(1_800_000_001)) - 900_000_000
      let longitude = Int32(truncatingIfNeeded: random.below(3_600_000_001) - 1_800_000_000)
      guard let point = Coordinate(latitudeE7: latitude, longitudeE7: longitude) else { return false }
      try #require(Coordinate(text: point.text) == point)
      return true
    }
  }
}
