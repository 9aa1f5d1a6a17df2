import Domain
import GazetteerFixtures
import Testing

@testable import Gazetteer

/// The evidence that a place needs to be returned, tested at its limits.
@Suite("Plausibility limits")
struct PlausibilityTests {
  private func isFound(_ text: String, _ population: Int) throws -> Bool {
    let index = try Hamlet.index(of: [.city("Beetown", population)])
    return !index.locate(PlaceQuery(text)).isEmpty
  }

  @Test(
    "A city with other words needs 4,095 inhabitants, 65,535 as the last word, 1,023 in an address",
    arguments: [
      ("Beetown qwx", 4_095), ("qwx qwx qwx Beetown", 65_535), ("12 Beetown qwx", 1_023),
    ])
  func prominence(text: String, population: Int) throws {
    #expect(try !isFound(text, population - 1))
    #expect(try isFound(text, population))
    #expect(try isFound(text, population + 1))
  }

  @Test("A city's name must cover 35 percent of the text's weight, or 10 percent in an address")
  func coverage() throws {
    // The weights: a word 16, a small word 6, a word for a kind of place 1, a number 4.
    #expect(try isFound("Beetown qwx of the city", 50_000), "16 of 45")
    #expect(try !isFound("Beetown of the and at to", 50_000), "16 of 46")
    let words = "Beetown" + String(repeating: " qwx", count: 8)
    #expect(try isFound(words + " 1 2 3", 50_000), "16 of 156")
    #expect(try isFound(words + " 1 2 3 4", 50_000), "16 of 160")
    #expect(try !isFound(words + " 1 2 3 4 5", 50_000), "16 of 164")
  }

  @Test("A postcode alone needs four letters or digits")
  func postcode() throws {
    let index = try Hamlet.index(
      of: [
        .city("Beetown", 9_000), .postcode("987", at: (11, 21)), .postcode("9876", at: (11, 21)),
        .postcode("98765", at: (11, 21)),
      ])
    #expect(GazetteerLimits.postcodeLengthMin == 4)
    for (code, isFound) in [("987", false), ("9876", true), ("98765", true), ("987, Aland", true)] {
      #expect((index.locate(PlaceQuery(code)).first?.level == .postcode) == isFound, "\(code)")
    }
  }
}
