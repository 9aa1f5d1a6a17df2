import Domain
import GazetteerFixtures
import Testing

@testable import Gazetteer

/// Each limit of a query, tested one below, at and above its value.
@Suite("Query limits")
struct QueryLimitTests {
  private func first(_ text: String, in index: PlaceIndex, focus: Coordinate? = nil) -> Place? {
    index.locate(PlaceQuery(text, focus: focus, isDetailed: true)).first
  }

  private func words(_ word: String, _ count: Int) -> String {
    repeatElement(word, count: count).joined(separator: " ")
  }

  @Test(
    "A query of 256 bytes is read, and a longer one finds nothing", arguments: [(255, true), (256, true), (257, false)])
  func queryBytes(count: Int, isRead: Bool) throws {
    let text = "Twin" + String(repeating: " ", count: count - 4)
    #expect(try first(text, in: Hamlet.index())?.name == (isRead ? "Twin" : nil))
    #expect(GazetteerLimits.queryBytes == 256)
    // Two bytes for each character.
    let accents = String(repeating: "\u{301}", count: (count - 4) / 2) + (count % 2 == 0 ? "" : " ")
    #expect(try first("Twin" + accents, in: Hamlet.index())?.name == (isRead ? "Twin" : nil))
  }

  @Test("A name of 256 bytes is found, and a longer one is not indexed", arguments: [255, 256, 257])
  func nameBytes(count: Int) throws {
    let name = String(repeating: "x", count: count)
    let index = try Hamlet.index(of: [.city(name)])
    #expect(index.nameCount == (count > 256 ? 2 : 3))
    #expect(first(name, in: index)?.name == (count > 256 ? nil : name))
  }

  @Test(
    "A query of 48 words is read, and a longer one finds nothing", arguments: [(47, true), (48, true), (49, false)])
  func queryTokens(count: Int, isRead: Bool) throws {
    let index = try Hamlet.index(of: [.city("Beetown", 90_000)])
    #expect(GazetteerLimits.queryTokens == 48)
    #expect(first("Beetown " + words("1", count - 1), in: index)?.name == (isRead ? "Beetown" : nil))
  }

  @Test("A query returns at most 20 places", arguments: [(19, 19), (20, 20), (21, 20), (1_000, 20)])
  func placesPerQuery(limit: Int, count: Int) throws {
    let index = try Hamlet.index(of: (0..<25).map { .city("Twin", 1_000 + $0, at: (11 + Double($0), 21)) })
    #expect(index.locate(PlaceQuery("Twin", limit: limit)).count == count)
  }

  @Test(
    "A name of eight words is found, and a longer one is not indexed", arguments: [(7, true), (8, true), (9, false)])
  func nameTokens(count: Int, isFound: Bool) throws {
    #expect(GazetteerLimits.nameTokens == 8)
    let name = (0..<count).map { "word\(["a", "b", "c", "d", "e", "f", "g", "h", "i"][$0])" }.joined(separator: " ")
    let index = try Hamlet.index(of: [.city(name)])
    #expect(index.nameCount == (isFound ? 3 : 2))
    #expect(first(name, in: index)?.match == (isFound ? .exact : nil))
  }

  @Test("No character folds to more than five times its bytes, and the buffer holds the longest")
  func foldedBytes() {
    #expect(FoldedText.bytes(foldedFrom: 256) >= 5 * 256)
    FoldedText.withEmpty { text in
      for value in UInt32(0x20)...0x3FFFF {
        guard let scalar = Unicode.Scalar(value) else { continue }
        let bytes = Array(String(scalar).utf8)
        for reading in [[], FoldedText.Reading.umlautsExpanded] {
          bytes.withUnsafeBufferPointer { text.fold($0, reading: reading) }
          #expect(text.byteCount + 2 <= 5 * bytes.count && !text.isTruncated, "\(value)")
        }
      }
      let longest = Array(String(repeating: "&", count: GazetteerLimits.queryTokens).utf8)
      longest.withUnsafeBufferPointer { text.fold($0) }
      #expect(!text.isTruncated && text.tokenCount == GazetteerLimits.queryTokens)
    }
    // A word starts only if the buffer has space for the space before the word, the longest character and one more
    // byte.
    for (capacity, isTruncated) in [(12, true), (13, false), (14, false)] {
      FoldedText.withEmpty(bytes: capacity) { text in
        Array("beetown abc".utf8).withUnsafeBufferPointer { text.fold($0) }
        #expect(text.isTruncated == isTruncated, "\(capacity)")
      }
    }
  }

  @Test(
    "A query considers the first 128 names in its text",
    arguments: [(127, true), (128, true), (129, false)])
  func matches(count: Int, isFound: Bool) throws {
    #expect(GazetteerLimits.matches == 128)
    // Every sequence of one to eight among the nineteen words is a name, which makes 124 names.
    let index = try Hamlet.index(
      of: (1...8).map { .city(words("ay", $0)) } + [.city("bee"), .city("Ceetown", 90_000_000, at: (50, 60))])
    let text = words("ay", 19) + " " + words("bee", count - 125) + ", Ceetown"
    #expect((first(text, in: index)?.name == "Ceetown") == isFound)
  }

  @Test("A run of Han characters may hold more than 20 names", arguments: [19, 20, 21, 22])
  func exactMatches(count: UInt32) throws {
    #expect(GazetteerLimits.exactMatches == 20)
    let names = (0..<count).map { number in
      String(String.UnicodeScalarView([0, 1].compactMap { Unicode.Scalar(0x4E00 + 2 * number + $0) }))
    }
    let index = try Hamlet.index(of: names.dropLast().map { .city($0) } + [.city(names[names.count - 1], 90_000_000)])
    #expect(first(names.joined(), in: index)?.name == names.last)
  }

  @Test("A query considers its first 8 postcodes", arguments: [(7, true), (8, true), (9, false)])
  func postcodesPerQuery(count: Int, isFound: Bool) throws {
    #expect(GazetteerLimits.postcodesPerQuery == 8)
    let codes = (1..<count).map { "\(1_000 + $0)" } + ["7654321"]
    let index = try Hamlet.index(
      of: [.city("Twin", at: (11, 21)), .city("Other", at: (12, 22))]
        + codes.dropLast().map { .postcode($0, at: (12, 22)) } + [.postcode("7654321", at: (11, 21))])
    #expect((first(codes.joined(separator: ", "), in: index)?.name == "Twin") == isFound)
  }

  @Test(
    "A quarter matches together with a large city, of at least 100,000 inhabitants",
    arguments: [(99_999, false), (100_000, true)])
  func cityPopulation(population: Int, isAround: Bool) throws {
    #expect(GazetteerLimits.largeCityPopulation == 100_000)
    let index = try Hamlet.index(of: [.city("Twin"), .city("Bigton", population)])
    #expect((first("Twin, Bigton", in: index)?.name == "Twin") == isAround)
  }

  @Test(
    "A city matches together with a county near it only below a million inhabitants",
    arguments: [(999_999, true), (1_000_000, false)])
  func metropolis(population: Int, isInside: Bool) throws {
    #expect(GazetteerLimits.metropolis == 1_000_000)
    let county = Hamlet.Row(line: "D\tAA\t01\t11\t21\t0\tKing County\t\t")
    let index = try Hamlet.index(of: [.region("01", "Over"), county, .city("Bigton", population, region: "01")])
    let place = first("Bigton, King County", in: index)
    #expect((place?.name == "Bigton" && place?.match == .exact) == isInside)
  }

  @Test(
    "A text that abbreviates a direction matches names of at most 64 bytes",
    arguments: [(63, true), (64, true), (65, false)])
  func directedBytes(count: Int, isFound: Bool) throws {
    #expect(GazetteerLimits.directedBytes == 64)
    let rest = String(repeating: "a", count: count - "north ".utf8.count)
    let index = try Hamlet.index(of: [.city("North " + rest)])
    #expect((first("N " + rest, in: index)?.match == .exact) == isFound)
  }

  @Test("A run of Han characters matches names of two to eight characters", arguments: [1, 2, 8, 9])
  func runs(count: Int) throws {
    #expect(GazetteerLimits.shortestRunBytes == 6 && GazetteerLimits.runBytes == 24)
    let name = String("甲乙丙丁戊己庚辛壬".prefix(count))
    let index = try Hamlet.index(of: [.city(name, 900_000)])
    #expect(first(name, in: index)?.name == name)
    #expect(first(name + "子丑寅", in: index)?.name == ((2...8).contains(count) ? name : nil))
  }

  @Test(
    "A query considers the 1,024 largest places of a name", arguments: [(1_023, true), (1_024, true), (1_025, false)])
  func postingsPerName(count: Int, isFound: Bool) throws {
    #expect(GazetteerLimits.postingsPerName == 1_024)
    // The place in the named region has the fewest inhabitants.
    let index = try Hamlet.index(
      of: [.region("01", "Over")] + (1..<count).map { .city("Twin", 1_000 + $0) } + [.city("Twin", 1, region: "01")])
    #expect((first("Twin, Over", in: index)?.label == "Twin, Over, Aland") == isFound)
  }

  @Test(
    "A query considers 64 areas of a name as containers of a place", arguments: [(63, true), (64, true), (65, false)])
  func areasPerName(count: Int, isFound: Bool) throws {
    #expect(GazetteerLimits.areasPerName == 64)
    // A city of the name is found after any number of areas.
    let rows = (0..<count).map { Hamlet.Row.region("\($0)", "Common") } + [.city("Common", 900_000)]
    #expect(try Hamlet.index(of: rows).locate(PlaceQuery("Common", limit: 20)).contains { $0.level == .city })
    let index = try Hamlet.index(
      of: (1..<count).map { .region("\($0)", "Santa", 1_000 + $0) }
        + [.region("last", "Santa", 1), .city("Twin", region: "last")])
    #expect((first("Twin, Santa", in: index)?.match == .exact) == isFound)
  }

  @Test(
    "A query considers 4,096 places of all names together",
    arguments: [(4_094, true), (4_095, true), (4_096, true), (4_097, false)])
  func postingsPerQuery(number: Int, isFound: Bool) throws {
    #expect(GazetteerLimits.postingsPerQuery == 4_096)
    let names = ["Ay", "Bee", "Cee", "Dee"]
    var rows: [Hamlet.Row] = names.dropLast().flatMap { name in (0..<1_024).map { .city(name, 500 + $0) } }
    rows += (0..<number - 1 - 3 * 1_024).map { .city("Dee", 500 + $0) }
    let index = try Hamlet.index(of: rows + [.city("Effton", 90_000_000, at: (50, 60))])
    let text = (names + ["Effton"]).joined(separator: ", ")
    // A focus makes the query consider every place and not only the largest, because any place may be near.
    let place = first(text, in: index, focus: Coordinate(latitude: 80, longitude: 170))
    #expect((place?.name == "Effton") == isFound)
  }
}
