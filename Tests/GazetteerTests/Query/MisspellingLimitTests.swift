import Domain
import GazetteerFixtures
import Testing

@testable import Gazetteer

@Suite("Fuzzy search limits")
struct MisspellingLimitTests {
  private func match(_ text: String, _ rows: [Hamlet.Row]) throws -> Place.Match? {
    try Hamlet.index(of: rows).locate(PlaceQuery(text)).first?.match
  }

  @Test("Fuzzy search finds names of 5 to 48 characters", arguments: [4, 5, 48, 49])
  func characters(count: Int) throws {
    #expect(GazetteerLimits.fuzzyCharactersMin == 5 && GazetteerLimits.fuzzyCharactersMax == 48)
    for letters in ["abcdefghij", "жзийклмноп"] {
      let name = String((0..<count).map { Array(letters)[$0 * 7 % 10] })
      let wrong = String(name.dropLast(2)) + (letters.first == "a" ? "z" : "я") + String(name.suffix(1))
      #expect(try match(wrong, [.city(name, 9_000)]) == ((5...48).contains(count) ? .fuzzy : nil), "\(wrong)")
    }
  }

  @Test("Fuzzy search finds names of up to six words", arguments: [5, 6, 7])
  func tokens(count: Int) throws {
    #expect(GazetteerLimits.fuzzyTokens == 6)
    let words = ["abc", "def", "ghi", "jkl", "pqr", "stu", "vwx"].prefix(count)
    let wrong = (words.dropLast() + ["zz" + String(words[count - 1].last ?? " ")]).joined(separator: " ")
    let right = (words.dropLast() + ["z" + words[count - 1].suffix(2)]).joined(separator: " ")
    #expect(try match(right, [.city(words.joined(separator: " "), 90_000)]) == (count > 6 ? nil : .fuzzy))
    #expect(try match(wrong, [.city(words.joined(separator: " "), 90_000)]) == nil)
  }

  @Test("Fuzzy search finds names of up to two words in an address", arguments: [1, 2, 3])
  func addressTokens(count: Int) throws {
    #expect(GazetteerLimits.addressFuzzyTokens == 2)
    let words = ["abcdef", "ghijkl", "pqrstu"].prefix(count)
    let wrong = (["zbcdef"] + words.dropFirst()).joined(separator: " ")
    let rows: [Hamlet.Row] = [.region("01", "Over"), .city(words.joined(separator: " "), 90_000, region: "01")]
    #expect((try match("12 Foo, \(wrong), Over", rows) == .fuzzy) == (count <= 2))
  }

  @Test(
    "Fuzzy search finds alternate names only of cities with at least 15,000 inhabitants",
    arguments: [(14_999, false), (15_000, true), (15_001, true)])
  func population(count: UInt32, isFound: Bool) throws {
    #expect(GazetteerLimits.fuzzyPopulationMin == 15_000)
    #expect(try match("Beetuwn", [.city("Ceeville", Int(count), alias: "Beetown")]) == (isFound ? .fuzzy : nil))
    #expect(try match("Ceevulle", [.city("Ceeville", Int(count), alias: "Beetown")]) == .fuzzy)
  }

  @Test(
    "A city of 1,000 inhabitants with the exact name beats a large city with a similar name",
    arguments: [(999, "Bergen"), (1_000, "Bergan"), (1_001, "Bergan")])
  func certain(population: Int, name: String) throws {
    #expect(GazetteerLimits.certainPopulation == 1_000)
    let index = try Hamlet.index(of: [.city("Bergan", population), .city("Bergen", 9_000_000)])
    #expect(index.locate(PlaceQuery("Bergan")).first?.name == name)
  }

  @Test("A query compares at most 1,024 names")
  func comparisons() throws {
    #expect(GazetteerLimits.comparisonsPerQuery == 1_024)
    // All names have the same first half and the same length. Their order is that of their numbers.
    let letters = Array("abcdefghij")
    let names = (0..<1_200).map { number in
      "towntown" + [1_000, 100, 10, 1].map { String(repeating: letters[number / $0 % 10], count: 2) }.joined()
    }
    let index = try Hamlet.index(of: names.map { .city($0, 9_000) })
    for (number, isFound) in [(0, true), (900, true), (1_190, false)] {
      // The edited text is no other name, and its second half is that of no name.
      let wrong = names[number].dropLast() + "z"
      #expect((index.locate(PlaceQuery(String(wrong))).first?.name == names[number]) == isFound, "\(number)")
    }
  }
}
