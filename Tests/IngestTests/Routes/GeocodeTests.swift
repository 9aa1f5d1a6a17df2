import Foundation
import Testing

@Suite("Geocoding routes", .bothFronts)
struct GeocodeTests {
  @Test("A plus in the query means a space")
  func plus() async throws {
    let response = try await IngestFixture().client.get("/v2/geocode?q=Costa+Rica")
    #expect(response["query"] == "Costa Rica")
  }

  @Test("Every option is applied, an unknown one ignored, and the response has an attribution")
  func options() async throws {
    let client = try IngestFixture().client
    let path = "/v2/geocode?q=Oslo&limit=2&country=no&focus=59.9,10.7&lang=de-AT&level=city,postcode&autocomplete=true"
    let response = try await client.get(path + "&colour=blue")
    #expect(response.status == 200 && response["query"] == "Oslo")
    let places = try #require(response.object["places"] as? [[String: Any]])
    #expect((1...2).contains(places.count) && places[0]["countryCode"] as? String == "NO")
    #expect(response.object["attribution"] is String)
  }
}
