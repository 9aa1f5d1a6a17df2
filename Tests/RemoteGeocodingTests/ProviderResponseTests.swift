import Domain
import Foundation
import StubServers
import Testing

@testable import RemoteGeocoding

@Suite("Provider responses")
struct ProviderResponseTests {
  private func places(
    _ text: String, _ provider: Provider, limit: Int = 5, country: String? = nil
  ) throws(ProviderFailure) -> [Place] {
    try ProviderResponse.places(in: Data(text.utf8), of: provider, limit: limit, country: country)
  }

  @Test("A Nominatim place has string coordinates and a box of south, north, west, east")
  func nominatim() throws {
    let place = try #require(places(ProviderSamples.nominatimHouse, .nominatim).first)
    #expect(place.coordinate == Coordinate(latitudeE7: 599_138_688, longitudeE7: 107_522_454))
    #expect(place.level == .house && place.match == .exact)
    #expect(place.label == "7, Storgata, Sentrum, Oslo, 0155, Norway" && place.name == "7 Storgata")
    #expect(place.country == "Norway" && place.countryCode == "NO")
    let detail = try #require(place.detail)
    #expect(
      detail.box
        == BoundingBox(south: 599_137_000, west: 107_520_000, north: 599_140_000, east: 107_525_000))
    #expect(detail.provider == "nominatim" && detail.postcode == "0155" && detail.county == "Oslo fylke")
    #expect(detail.attribution.contains("OpenStreetMap") && !detail.isDegraded)
  }

  @Test("A Photon place has a box of west, north, east, south, and a label made of its parts")
  func photon() throws {
    let place = try #require(places(ProviderSamples.photonHouse, .photon).first)
    #expect(place.coordinate == Coordinate(latitude: 50.9485, longitude: 10.7105))
    #expect(place.level == .house && place.countryCode == "DE" && place.region == "Thüringen")
    #expect(place.label == "Ringstraße 3, Mitte, Gotha, Thüringen, Deutschland" && place.name == "Ringstraße 3")
    #expect(
      place.detail?.box
        == BoundingBox(south: 509_400_000, west: 107_000_000, north: 509_600_000, east: 107_200_000))
    #expect(place.detail?.attribution.contains("openstreetmap.org/copyright") == true)
  }

  @Test("A Pelias place has a box of west, south, east, north, and a three-letter country code")
  func pelias() throws {
    let place = try #require(places(ProviderSamples.peliasHouse, .pelias).first)
    #expect(place.level == .house && place.match == .exact && place.confidence == 0.95)
    #expect(place.countryCode == "FR" && place.name == "5 Rue Haute" && place.label == "5 Rue Haute, Dijon, France")
    #expect(
      place.detail?.box
        == BoundingBox(south: 473_200_000, west: 50_400_000, north: 473_300_000, east: 50_500_000))
    #expect(place.detail?.attribution == "https://geo.example.org/attribution")
    let wider = ProviderSamples.peliasHouse.replacing("\"match_type\":\"exact\"", with: "\"match_type\":\"fallback\"")
    #expect(try places(wider, .pelias).first?.match == .fallback)
  }

  @Test("An empty list means that the provider knows no place")
  func empty() throws {
    #expect(try places("[]", .nominatim).isEmpty)
    for provider in [Provider.photon, .pelias] {
      #expect(try places("{\"type\":\"FeatureCollection\",\"features\":[]}", provider).isEmpty)
    }
  }

  @Test("Coordinates may be numbers or strings, and malformed members are left out")
  func lenient() throws {
    let odd = """
      [{"lat":1.5,"lon":-2,"osm_id":12,"display_name":"Odd","place_rank":"27","boundingbox":"none","address":[]},
      {"lat":"1.5","lon":"-2","osm_id":"12","display_name":"No address"},
      {"lat":"north","lon":"2","display_name":"Nowhere"},{"lat":"91","lon":"2","display_name":"Off the earth"},
      {"lat":"1","lon":"2"},null,7]
      """
    let found = try places(odd, .nominatim)
    #expect(found.map(\.label) == ["Odd", "No address"])
    #expect(found[0].level == .street && found[0].detail?.box == nil && found[0].countryCode.isEmpty)
    #expect(found[1].level == .city && found[1].match == .fallback)
  }

  @Test("A box may span the whole world or cross the antimeridian")
  func antimeridian() throws {
    for (west, east) in [("-180.0", "180.0"), ("176.9", "-178.2")] {
      let text = """
        [{"lat":"-17.7","lon":"178.0","addresstype":"country","display_name":"Fiji","boundingbox":["-21.9","-12.2",
        "\(west)","\(east)"],"address":{"country":"Fiji","country_code":"fj"}}]
        """
      let box = try #require(places(text, .nominatim).first?.detail?.box)
      #expect(Double(box.west) == (Double(west) ?? 0) * 1e7 && Double(box.east) == (Double(east) ?? 0) * 1e7)
    }
  }

  private static let kinds: [(String, Place.Level)] = [
    ("\"addresstype\":\"country\"", .country), ("\"addresstype\":\"state\"", .region),
    ("\"addresstype\":\"county\"", .county), ("\"addresstype\":\"town\"", .city),
    ("\"addresstype\":\"postcode\"", .postcode), ("\"addresstype\":\"road\"", .street),
    ("\"addresstype\":\"amenity\",\"place_rank\":30", .house), ("\"place_rank\":4", .country),
    ("\"place_rank\":5", .region), ("\"place_rank\":9", .region), ("\"place_rank\":10", .county),
    ("\"place_rank\":12", .county), ("\"place_rank\":13", .city), ("\"place_rank\":25", .city),
    ("\"place_rank\":26", .street), ("\"place_rank\":27", .street), ("\"place_rank\":28", .house),
    ("\"type\":\"city\"", .city), ("\"addresstype\":\"road\",\"address\":{\"house_number\":\"1\"}", .house),
  ]

  @Test(
    "A place's level follows from its kind, or else from its rank", arguments: ProviderResponseTests.kinds)
  func levels(member: String, level: Place.Level) throws {
    let place = try #require(
      places("[{\"lat\":\"1\",\"lon\":\"2\",\"display_name\":\"A\",\(member)}]", .nominatim).first)
    #expect(place.level == level)
    #expect((place.match == .exact) == (level >= .street))
  }

  @Test("A label is one safe line, short enough for the job link")
  func labels() throws {
    let hostile = "A\\u0000\\u202Eb\\n" + String(repeating: "ü", count: 2_000)
    let place = try #require(
      places("[{\"lat\":\"1\",\"lon\":\"2\",\"display_name\":\"\(hostile)\"}]", .nominatim).first)
    for text in [place.label, place.name] {
      #expect(text.isSafeLine && text.utf8.count <= 2 * Limits.placeBytesMax && text.hasPrefix("A\u{FFFD}"))
    }
    #expect(RemoteLimits.textBytesMax == 2 * Limits.placeBytesMax)
  }

  @Test("The decoder returns at most `limit` places, and only those of the wanted country")
  func filter() throws {
    let one = "{\"lat\":\"1\",\"lon\":\"2\",\"display_name\":\"A\",\"address\":{\"country_code\":\"de\"}}"
    let other = one.replacing("\"de\"", with: "\"fr\"")
    #expect(try places("[\(other),\(one),\(one)]", .nominatim, limit: 2).map(\.countryCode) == ["FR", "DE"])
    #expect(try places("[\(other),\(one),\(one)]", .nominatim, limit: 1, country: "DE").map(\.countryCode) == ["DE"])
    #expect(try places("[\(other)]", .nominatim, country: "DE").isEmpty)
  }

  @Test(
    "Malformed responses are failures and not empty results",
    arguments: [
      "", "<html><body>Service</body></html>", "{}", "null", "[1,2]", "[{}]", "{\"features\":7}", "{\"error\":\"x\"}",
      String(ProviderSamples.nominatimHouse.dropLast(40)), String(ProviderSamples.photonHouse.dropLast(3)),
    ])
  func malformed(text: String) {
    for provider in Provider.allCases {
      #expect(throws: ProviderFailure.malformed) { try places(text, provider) }
    }
  }

  @Test("A response of 100,000 nested arrays is a failure, without a stack overflow")
  func nested() { malformed(text: String(repeating: "[", count: 100_000)) }

  @Test("Responses in another encoding than UTF-8 are refused")
  func encoding() {
    let latin = Data(ProviderSamples.photonHouse.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
    #expect(throws: ProviderFailure.malformed) {
      try ProviderResponse.places(in: latin, of: .photon, limit: 1, country: nil)
    }
  }

  @Test(
    "Country codes of two and three letters map to alpha-2, in any case",
    arguments: [("us", "US"), ("FRA", "FR"), ("rou", "RO")])
  func codes(code: String, expected: String) { #expect(CountryCode.alpha2(code) == expected) }

  @Test("Unknown country codes map to an empty code", arguments: ["", "U", "ZZZ", "1A", "ÅL", "USAA"])
  func noCodes(code: String) { #expect(CountryCode.alpha2(code).isEmpty) }
}
