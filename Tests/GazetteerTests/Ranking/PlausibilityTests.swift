import Domain
import GazetteerFixtures
import Testing

@testable import Gazetteer

/// How much must speak for a place before it is said at all, at the edges of it.
@Suite("Limits of what is plausible")
struct PlausibilityTests {
  private func isFound(_ text: String, _ population: Int) throws -> Bool {
    let index = try Hamlet.index(of: [.town("Beetown", population)])
    return !index.locate(PlaceQuery(text)).isEmpty
  }

  @Test(
    "Beside other words a town of 4,095 is said, as the last word one of 65,535, in an address one of 1,023",
    arguments: [
      ("Beetown qwx", 4_095), ("qwx qwx qwx Beetown", 65_535), ("12 Beetown qwx", 1_023),
    ])
  func prominence(text: String, population: Int) throws {
    #expect(try !isFound(text, population - 1))
    #expect(try isFound(text, population))
    #expect(try isFound(text, population + 1))
  }

  @Test("Of other words a town must explain 35 in 100, in an address 10 in 100")
  func coverage() throws {
    // A word counts 16, a small one 6, one that says of which kind a place is 1, a number 4.
    #expect(try isFound("Beetown qwx of the city", 50_000), "16 of 45")
    #expect(try !isFound("Beetown of the and at to", 50_000), "16 of 46")
    let words = "Beetown" + String(repeating: " qwx", count: 8)
    #expect(try isFound(words + " 1 2 3", 50_000), "16 of 156")
    #expect(try isFound(words + " 1 2 3 4", 50_000), "16 of 160")
    #expect(try !isFound(words + " 1 2 3 4 5", 50_000), "16 of 164")
  }

  @Test("A postcode of four letters and digits is said alone, one of three is not")
  func postcode() throws {
    let index = try Hamlet.index(
      of: [
        .town("Beetown", 9_000), .postcode("987", at: (11, 21)), .postcode("9876", at: (11, 21)),
        .postcode("98765", at: (11, 21)),
      ])
    #expect(GazetteerLimits.postcodeLengthMin == 4)
    for (code, isFound) in [("987", false), ("9876", true), ("98765", true), ("987, Aland", true)] {
      #expect((index.locate(PlaceQuery(code)).first?.level == .postcode) == isFound, "\(code)")
    }
  }
}
