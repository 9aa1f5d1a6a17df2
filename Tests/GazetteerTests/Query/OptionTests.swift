import Domain
import Testing

@testable import Gazetteer

@Suite("Postcodes, options and details of a query")
struct OptionTests {
  @Test(
    "A postcode is found alone, with its city, and in every notation of its country",
    arguments: [
      ("94043", "94043", "US"), ("10115 Berlin", "10115", "DE"), ("D-10115 Berlin", "10115", "DE"),
      ("SW1A 2AA", "SW1A", "GB"), ("EN52LP", "EN5", "GB"), ("K1A 0B1", "K1A", "CA"), ("1011HB", "1011", "NL"),
      ("1011 HB Amsterdam", "1011", "NL"), ("75001 Paris", "75001", "FR"), ("100-0001", "1000001", "JP"),
      ("L-4135", "L4135", "LU"), ("101 Reykjavik", "101", "IS"), ("94043-1234, CA", "94043", "US"),
      ("SE1", "SE1", "GB"), ("k1a", "K1A", "CA"),
    ])
  func postcode(text: String, code: String, country: String) throws {
    let place = try #require(try World.index.get().locate(PlaceQuery(text, isDetailed: true)).first)
    #expect(place.detail?.postcode == code && place.countryCode == country)
    #expect(place.level == .postcode && place.match == .exact)
  }

  @Test("A postcode in an address selects one of several cities of the same name")
  func namesakes() throws {
    #expect(try World.first("500 Main St, Springfield 62701")?.region == "Illinois")
    #expect(try World.first("500 Main St, Springfield 01103")?.region == "Massachusetts")
  }

  @Test("A short postcode needs its country, a country filter, or a letter and no other word")
  func short() throws {
    #expect(try World.first("101", country: "IS")?.countryCode == "IS")
    #expect(try World.first("W1A", country: "GB")?.countryCode == "GB")
    // A code of two characters, and a code with other words.
    #expect(try World.first("N1")?.level != .postcode && World.first("SE1 for ever")?.level != .postcode)
    #expect(try World.first("N1", country: "GB")?.level == .postcode)
  }

  @Test("A country filter excludes postcodes of other countries")
  func otherCountry() throws {
    #expect(try World.first("94043", country: "FR")?.countryCode == "FR")
    #expect(try World.first("94043", country: "IS") == nil)
  }

  @Test("A query returns only places of the wanted levels")
  func levels() throws {
    let index = try World.index.get()
    func level(_ text: String, _ levels: Set<Place.Level>) -> Place.Level? {
      index.locate(PlaceQuery(text, levels: levels)).first?.level
    }
    #expect(level("New York", []) == .city)
    #expect(level("New York", [.region]) == .region)
    #expect(level("94043", [.city]) == nil)
    #expect(level("Georgia", [.region, .city]) == .region)
  }

  @Test("A detailed result states its matched and its unmatched words")
  func words() throws {
    let query = PlaceQuery("12 Foo Street, Böston,  MA 02108", isDetailed: true)
    let detail = try #require(try World.index.get().locate(query).first?.detail)
    #expect(detail.matched == "Böston,  MA 02108")
    #expect(detail.unmatched == "12 Foo Street")
    #expect(detail.county == "Suffolk County")
    #expect(detail.attribution.contains("GeoNames"))
    #expect(try World.first("Boston")?.detail == nil)
  }

  @Test(
    "Text that names no place finds nothing",
    arguments: [
      "hello world", "my house", "on the internet", "asdf asdf", "somewhere over the rainbow", "none of your business",
      "lorem ipsum dolor sit amet", "at home", "outer space", "planet earth", "behind you",
    ])
  func nonsense(text: String) throws {
    #expect(try World.first(text) == nil)
  }
}
