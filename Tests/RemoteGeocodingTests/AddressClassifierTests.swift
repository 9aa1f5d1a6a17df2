import Domain
import Testing

@testable import RemoteGeocoding

@Suite("Address classifier")
struct AddressClassifierTests {
  private func needsRemoteLookup(
    _ text: String, _ level: Place.Level = .city, _ match: Place.Match = .fallback
  ) -> Bool {
    var place = Place.sample("Oslo, Norway")
    (place.level, place.match) = (level, match)
    return AddressClassifier.needsRemoteLookup(PlaceQuery(text), found: [place])
  }

  @Test(
    "An unmatched house number or street word needs a remote lookup",
    arguments: [
      "7 Storgata, Oslo", "Storgata 7, 0155 Oslo", "Karl Johans gate 12b, Oslo", "Oslo Storgata 12-14",
      "Akersgata, Oslo", "12 Main Street, Oslo", "Rue Haute, Oslo", "Kirkeveien 5/3 Oslo", "ул. Ленина, Oslo",
    ])
  func streets(text: String) { #expect(needsRemoteLookup(text)) }

  @Test(
    "Cities, postcodes and nonsense need no remote lookup",
    arguments: [
      "Oslo", "Oslo, Norway", "0155 Oslo", "Oslo 0155", "Oslo Norway 10115", "greater Oslo area", "Street, Oslo",
      "Oslo 1234567 apples", "7",
    ])
  func none(text: String) { #expect(!needsRemoteLookup(text)) }

  @Test(
    "A complete match or a street match needs no remote lookup", arguments: [Place.Match.exact, .prefix, .fuzzy])
  func whole(match: Place.Match) {
    #expect(!needsRemoteLookup("7 Storgata, Oslo", .city, match))
    #expect(!needsRemoteLookup("7 Storgata, Oslo", .street))
  }

  @Test("The gazetteer's unmatched words decide, if the place has details")
  func unmatched() {
    var place = Place.sample("Oslo, Norway")
    (place.level, place.match, place.detail) = (.city, .fallback, Place.Detail())
    place.detail?.unmatched = "hello"
    #expect(!AddressClassifier.needsRemoteLookup(PlaceQuery("7 Storgata, Oslo"), found: [place]))
    place.detail?.unmatched = "7 Storgata"
    #expect(AddressClassifier.needsRemoteLookup(PlaceQuery("7 Storgata, Oslo"), found: [place]))
  }

  @Test("The text, kind and levels of a query decide if the gazetteer finds no place")
  func empty() {
    #expect(AddressClassifier.needsRemoteLookup(PlaceQuery("7 Storgata, Nowhere"), found: []))
    #expect(!AddressClassifier.needsRemoteLookup(PlaceQuery("Nowhere"), found: []))
    #expect(!AddressClassifier.needsRemoteLookup(PlaceQuery("7 Storgata, Nowhere", kind: .autocomplete), found: []))
    #expect(!AddressClassifier.needsRemoteLookup(PlaceQuery("7 Storgata, Nowhere", levels: [.city]), found: []))
    #expect(AddressClassifier.needsRemoteLookup(PlaceQuery("7 Storgata, Nowhere", levels: [.city, .house]), found: []))
  }
}
