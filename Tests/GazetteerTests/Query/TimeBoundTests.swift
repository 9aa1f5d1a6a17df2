import Domain
import Foundation
import Fuzzing
import Testing

@testable import Gazetteer

/// Texts that are built to take long, on the committed data. The limit applies to the thread's processor time, so that
/// the machine's load makes no difference.
@Suite("Query time limit")
struct TimeBoundTests {
  /// Twenty times the time of the slowest of these texts.
  private static let millisecondsMax = 100.0

  /// Looks up a text, forward and as autocomplete. Returns true if a place is found. Throws if a lookup takes too long
  /// or its places are invalid.
  @discardableResult
  private func lookUp(_ text: String, _ index: PlaceIndex) throws -> Bool {
    var isFound = false
    for kind in [PlaceQuery.Kind.forward, .autocomplete] {
      let start = Self.milliseconds
      let places = index.locate(PlaceQuery(text, kind: kind, limit: 20))
      try #require(Self.milliseconds - start < Self.millisecondsMax, "\(text)")
      try #require(places.count <= 20, "\(text)")
      try #require(places.allSatisfy { (0...1).contains($0.confidence) && !$0.label.isEmpty }, "\(text)")
      isFound = isFound || !places.isEmpty
    }
    return isFound
  }

  private static var milliseconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) * 1e-6
  }

  @Test("Every prefix of every public case is looked up in time")
  func prefixes() throws {
    let index = try World.index.get()
    for example in try AccuracyTests.cases() {
      for end in example.text.indices { try lookUp(String(example.text[...end]), index) }
    }
  }

  @Test("256 bytes of marks, signs and separators are looked up in time")
  func marks() throws {
    let index = try World.index.get()
    for piece in [
      "\u{301}", "\u{20DD}", ",", ", ", ".", "'", "’", "&", "-", "/", "(", "\u{200D}", "\u{202E}", "\u{FE0F}", "٬", "、",
      "a\u{301}", "a,", "a.", "a'", "1,", "1 ", "é", "ﬃ", "ﷺ", "\u{1F5FA}", "\u{1F1E9}\u{1F1EA}", "東", "京都", "한", "ガ",
    ] {
      try lookUp(String(repeating: piece, count: GazetteerLimits.queryBytes / piece.utf8.count), index)
    }
    // Longer than the query limit, so not read.
    #expect(try World.first(String(repeating: ",", count: 1_000)) == nil)
    #expect(try World.first(String(repeating: "\u{301}", count: 10_000)) == nil)
  }

  @Test("Texts made of the most frequent names are looked up in time")
  func frequent() throws {
    let (index, sections) = (try World.index.get(), try World.sections.get())
    var names: [(count: Int, name: String)] = []
    for number in 0..<UInt32(sections.nameCount) {
      guard let name = sections.name(number), name.postings.count > 30 else { continue }
      names.append((name.postings.count, String(decoding: name.bytes, as: UTF8.self)))
    }
    names.sort { $0 > $1 }
    #expect(names.count > 100)
    let frequent = names.prefix(100).map(\.name)
    for name in frequent { try lookUp(String(repeating: name + " ", count: 200 / (name.utf8.count + 1)), index) }
    Fuzz.rounds(300) { random in
      let separator = random.one(of: [" ", ", ", " 1 ", ""])
      var text = ""
      while text.utf8.count < 200 { text += random.one(of: frequent) + separator }
      return try lookUp(String(text.prefix(240)), index)
    }
  }

  @Test("Texts made of misspelt names are looked up in time")
  func misspelt() throws {
    let (index, sections) = (try World.index.get(), try World.sections.get())
    Fuzz.rounds(300) { random in
      var text = ""
      while text.utf8.count < 200 {
        text += name(&random, sections).dropLast() + random.one(of: ["x ", "q, ", " "])
      }
      return try lookUp(String(text.prefix(120)), index)
    }
  }

  @Test("Random bytes and random words of names are looked up in time")
  func random() throws {
    let (index, sections) = (try World.index.get(), try World.sections.get())
    Fuzz.rounds(1_000) { random in
      if random.below(2) == 0 {
        return try lookUp(String(decoding: (0..<random.below(200)).map { _ in random.byte() }, as: UTF8.self), index)
      }
      let words = (0..<8).flatMap { _ in name(&random, sections).split(separator: " ").prefix(1) }
      return try lookUp(words.joined(separator: random.one(of: [" ", ", "])), index)
    }
  }

  private func name(_ random: inout SeededRandom, _ sections: IndexSections) -> String {
    sections.name(UInt32(random.below(sections.nameCount))).map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
  }
}
