import Testing

@testable import Domain

@Suite("JSON of a place")
struct PlaceJSONTests {
  private func text(_ place: Place) -> String {
    String(decoding: JSONWriter.object { place.write(to: &$0) }.bytes, as: UTF8.self)
  }

  private func place(_ detail: Place.Detail?) throws -> Place {
    let coordinate = try #require(Coordinate(latitude: 47.60621, longitude: -122.33207))
    var place = Place(
      coordinate: coordinate, level: .city, match: .fallback, confidence: 0.98765,
      label: "Seattle, Washington, United States", name: "Seattle", region: "Washington", country: "United States",
      countryCode: "US")
    place.detail = detail
    return place
  }

  @Test("A place without detail has the members that a post needs")
  func plain() throws {
    #expect(
      try text(place(nil)) == """
        {"label":"Seattle, Washington, United States","latitude":47.60621,"longitude":-122.33207,"level":"city",\
        "match":"fallback","confidence":0.988,"name":"Seattle","region":"Washington","country":"United States",\
        "countryCode":"US"}
        """)
  }

  @Test("Detail adds members, among them a bounding box with west first, and degraded only if true")
  func detailed() throws {
    var detail = Place.Detail()
    (detail.county, detail.postcode, detail.matched, detail.unmatched) = ("King", "98101", "Seattle", "Foo Street")
    detail.attribution = "© somebody"
    #expect(
      try text(place(detail)).hasSuffix(
        """
        "region":"Washington","county":"King","postcode":"98101","country":"United States","countryCode":"US",\
        "matched":"Seattle","unmatched":"Foo Street","provider":"gazetteer"}
        """))
    detail.box = BoundingBox(south: 474_900_000, west: -1_224_500_000, north: 477_300_000, east: -1_222_200_000)
    detail.isDegraded = true
    #expect(
      try text(place(detail)).hasSuffix(
        """
        "countryCode":"US","boundingBox":[-122.45,47.49,-122.22,47.73],"matched":"Seattle",\
        "unmatched":"Foo Street","provider":"gazetteer","degraded":true}
        """))
  }

  @Test("Each attribution of several places is listed once")
  func attribution() throws {
    var (one, other) = (Place.Detail(), Place.Detail())
    (one.attribution, other.attribution) = ("© a", "© b")
    #expect(
      try Place.attribution(of: [place(one), place(nil), place(other), place(one), place(.init())]) == "© a; © b")
    #expect(Place.attribution(of: []).isEmpty)
  }
}
