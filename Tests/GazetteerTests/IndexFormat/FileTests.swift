import Domain
import Foundation
import Fuzzing
import GazetteerFixtures
import Testing

@testable import Gazetteer

@Suite("Index file format")
struct FileTests {
  private let file = TemporaryFile()

  private func written() throws -> [UInt8] {
    try Hamlet.write(to: file.path)
    return [UInt8](try Data(contentsOf: URL(filePath: file.path)))
  }

  private func replace(_ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(filePath: file.path), options: .atomic)
  }

  @Test("An index states its counts, its build time and its attribution")
  func counts() throws {
    let index = try Hamlet.index()
    #expect(index.placeCount == 10)
    #expect(index.countryCount == 2)
    #expect(index.builtAt == 1_750_000_000)
    #expect(index.attribution == "data © nobody")
  }

  @Test("Each record type has the size that the layout states")
  func sizes() {
    #expect(MemoryLayout<PlaceRecord>.size == IndexLayout.Section.places.elementBytes)
    #expect(MemoryLayout<CountryRecord>.size == IndexLayout.Section.countries.elementBytes)
    #expect(MemoryLayout<BoxRecord>.stride == IndexLayout.Section.boxes.elementBytes)
    #expect(MemoryLayout<LocalNameRecord>.stride == IndexLayout.Section.localNames.elementBytes)
    #expect(MemoryLayout<PostcodeRecord>.stride == IndexLayout.Section.postcodes.elementBytes)
  }

  @Test("A record's level is decoded from its number", arguments: [Place.Level.country, .region, .county, .city])
  func levels(level: Place.Level) throws {
    let record = PlaceRecord(
      latitudeE7: 0, longitudeE7: 0, population: 0, nameOffset: 0, region: 0, country: 0, nameLength: 0, rank: 0,
      level: level.rawValue)
    #expect(record.isRegion == (level == .region) && record.isCounty == (level == .county))
    #expect(record.isCity == (level == .city))
  }

  @Test("A set of matches has one bit for each possible match")
  func matches() { #expect(GazetteerLimits.matches == UInt128.bitWidth) }

  @Test("A truncated file is refused")
  func truncated() throws {
    let bytes = try written()
    for length in stride(from: 0, to: bytes.count, by: 64) {
      try replace(Array(bytes[..<length]))
      #expect(throws: PlaceIndexError.self) { try PlaceIndex(path: file.path) }
    }
  }

  @Test("A missing file, a directory and a foreign file give different errors")
  func foreign() throws {
    #expect(throws: PlaceIndexError.unreadable(path: "/nowhere/places", code: ENOENT)) {
      try PlaceIndex(path: "/nowhere/places")
    }
    #expect(throws: PlaceIndexError.unreadable(path: "/", code: EINVAL)) { try PlaceIndex(path: "/") }
    try replace([UInt8](repeating: UInt8(ascii: "x"), count: 4096))
    #expect(throws: PlaceIndexError.foreign(path: file.path)) { try PlaceIndex(path: file.path) }
  }

  @Test(
    "A file of another layout or folding version is refused",
    arguments: [(4, IndexLayout.version), (8, Fold.version)])
  func incompatible(offset: Int, expected: UInt32) throws {
    var bytes = try written()
    bytes[offset] = 99
    try replace(bytes)
    #expect(throws: PlaceIndexError.incompatible(path: file.path, found: 99, expected: expected)) {
      try PlaceIndex(path: file.path)
    }
  }

  @Test("Flipped bits lead to an error or a wrong result, never to a crash")
  func damaged() throws {
    let bytes = try written()
    var random = SeededRandom(seed: 42)
    for _ in 0..<20_000 {
      var damaged = bytes
      for _ in 0...(random.next() % 4) {
        damaged[Int(random.next() % UInt64(bytes.count))] ^= 1 << UInt8(random.next() % 8)
      }
      damaged.withUnsafeBytes { file in
        guard let sections = try? IndexSections(file, path: "damaged") else { return }
        _ = (sections.box(0), sections.name(of: 0, language: LocalNameRecord.language("sv".utf8)))
        for number in sections.postcodes(PostcodeRecord.packed(Array("A12B".utf8)) ?? 0).prefix(10) {
          _ = sections.postcode(number)
        }
        for text in ["Saint Mary, Midden", "Beetown", "Aland", "müllheim aa", "Midden Midden OR", "東京"] {
          guard let constraints = Constraints(PlaceQuery("", limit: 5, isDetailed: true), sections) else { continue }
          var text = text
          withUnsafePointer(to: sections) { index in
            text.withUTF8 { text in
              FoldedText.withEmpty { folded in
                folded.fold(text)
                _ = Search(index: index, text: folded, source: text, constraints: constraints).places()
              }
            }
          }
        }
      }
    }
  }
}
