import Domain
import Fuzzing
import GazetteerFixtures
import Testing

@testable import Gazetteer

@Suite("Autocomplete")
struct PrefixSearchTests {
  @Test(
    "Autocomplete returns the largest place that fits the prefix",
    arguments: [
      ("san fran", "San Francisco, California, United States"), ("Seatt", "Seattle, Washington, United States"),
      ("Paris, Fran", "Paris, Île-de-France, France"), ("münc", "Munich, Bavaria, Germany"), ("東", "Tokyo, Japan"),
    ])
  func completed(text: String, label: String) throws {
    let places = try World.index.get().locate(PlaceQuery(text, kind: .autocomplete, limit: 5))
    #expect(places.first?.label == label)
  }

  @Test("A forward query does not complete a prefix")
  func forwardQuery() throws {
    #expect(try World.first("san franc")?.name != "San Francisco")
  }

  @Test("Autocomplete finds the same names as a scan of all names, highest rank first")
  func best() throws {
    let sections = try World.sections.get()
    var random = SeededRandom(seed: 3)
    for _ in 0..<4 {
      let number = UInt32(random.below(sections.nameCount))
      let name = try #require(sections.name(number)).bytes
      let text = Array(name.prefix(3 + random.below(3)))
      let ranks = (0..<UInt32(sections.nameCount)).lazy
        .filter { sections.name($0)?.bytes.starts(with: text) ?? false }
        .map { rank(of: $0, sections) }
        .sorted(by: >)
      let found = text.withUnsafeBytes { PrefixSearch(sections: sections).names(beginningWith: $0, limit: 8) }
      #expect(found.map { rank(of: $0, sections) } == Array(ranks.prefix(8)))
    }
  }

  @Test("Autocomplete considers at most 16 names", arguments: [(15, 15), (16, 16), (17, 16)])
  func names(count: Int, expected: Int) throws {
    #expect(GazetteerLimits.completions == 16)
    let names = "abcdefghijklmnopq".prefix(count).map { Hamlet.Row.city("Town\($0)", 1_000) }
    #expect(try Hamlet.index(of: names).locate(PlaceQuery("tow", kind: .autocomplete, limit: 20)).count == expected)
  }

  @Test("A name's rank is the highest rank of its first eight places", arguments: [(7, true), (8, false)])
  func places(areas: Int, isFirst: Bool) throws {
    #expect(GazetteerLimits.completionPostings == 8)
    // Areas come first, so the city after seven areas is the eighth place.
    let index = try Hamlet.index(
      of: (0..<areas).map { .region("\($0)", "Townz") }
        + "abcdefghijklmnop".map { .city("Town\($0)", 1_000) } + [.city("Townz", 9_000_000)])
    let first = index.locate(PlaceQuery("tow", kind: .autocomplete)).first
    #expect((first?.name == "Townz") == isFirst)
  }

  private func rank(of name: UInt32, _ sections: IndexSections) -> Int {
    (sections.name(name)?.postings ?? 0..<0).prefix(GazetteerLimits.completionPostings)
      .compactMap { sections.posting($0) }
      .compactMap { posting in
        sections.place(posting.place).map { Int($0.rank) - posting.demotion(level: $0.level) }
      }
      .reduce(0, max)
  }
}
