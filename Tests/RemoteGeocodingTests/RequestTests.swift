import Domain
import Foundation
import Testing

@testable import RemoteGeocoding

@Suite("Provider requests")
struct RequestTests {
  private func request(_ provider: Provider, _ query: PlaceQuery, key: String = "") throws -> String? {
    let configuration = try RemoteConfiguration(provider: provider, url: "https://geo.example.org/at/", key: key)
    return ProviderRequest(query, of: configuration)?.url.absoluteString
  }

  @Test("Each provider gets the query in its own parameters")
  func words() throws {
    let focus = Coordinate(latitude: 47.5, longitude: -122.25)
    let query = PlaceQuery("1 Main St", limit: 5, country: "US", focus: focus)
    #expect(
      try request(.nominatim, query)
        == "https://geo.example.org/at/search?q=1%20Main%20St&format=jsonv2&addressdetails=1&limit=5"
        + "&accept-language=en&countrycodes=us")
    #expect(
      try request(.photon, query)
        == "https://geo.example.org/at/api?q=1%20Main%20St&limit=5&lang=en&lat=47.5&lon=-122.25&countrycode=US")
    #expect(
      try request(.pelias, query, key: "k&y")
        == "https://geo.example.org/at/v1/search?text=1%20Main%20St&size=5&lang=en&focus.point.lat=47.5"
        + "&focus.point.lon=-122.25&boundary.country=US&api_key=k%26y")
  }

  @Test("Query text is escaped, so that it adds no parameter")
  func escaping() throws {
    #expect(
      try request(.photon, PlaceQuery("a+b&limit=40#c%20 é")) == """
        https://geo.example.org/at/api?q=a%2Bb%26limit%3D40%23c%2520%20%C3%A9&limit=1&lang=en
        """)
  }

  @Test("Photon gets only languages that it supports")
  func languages() throws {
    #expect(try request(.photon, PlaceQuery("a", language: "de"))?.contains("lang=de") == true)
    #expect(try request(.photon, PlaceQuery("a", language: "sv"))?.contains("lang") == false)
    #expect(try request(.nominatim, PlaceQuery("a", language: "sv"))?.contains("accept-language=sv") == true)
  }

  @Test("Autocomplete and reverse queries never go to a provider", arguments: Provider.allCases)
  func kinds(provider: Provider) throws {
    #expect(try request(provider, PlaceQuery("1 Main St", kind: .autocomplete)) == nil)
    #expect(try request(provider, PlaceQuery("47.6, -122.3", kind: .reverse)) == nil)
  }
}
