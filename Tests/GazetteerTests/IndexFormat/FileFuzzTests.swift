import Domain
import Foundation
import Fuzzing
import GazetteerFixtures
import Testing

@testable import Gazetteer

@Suite("Fuzzed index files")
struct FileFuzzTests {
  private let file = TemporaryFile()

  /// The boundaries of the file's parts.
  private struct Layout {
    let bytes: [UInt8]
    /// Boundaries in the header, of the directory's entries, and of the sections.
    var edges: [Int] = [0, 4, 8, 16, 24, 32, IndexLayout.headerBytes]

    init(_ bytes: [UInt8]) {
      self.bytes = bytes
      for entry in 0..<IndexLayout.Section.allCases.count {
        let at = IndexLayout.headerBytes + entry * IndexLayout.entryBytes
        let (element, offset, count) = (integer(at + 4, 4), integer(at + 8, 8), integer(at + 16, 8))
        edges += [at, at + 4, at + 8, at + 16, offset, offset + element * count]
      }
    }

    private func integer(_ at: Int, _ size: Int) -> Int {
      bytes[at..<at + size].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
  }

  private func layout() throws -> Layout {
    try Hamlet.write(to: file.path)
    return Layout([UInt8](try Data(contentsOf: URL(filePath: file.path))))
  }

  /// Returns the file with its true size in the header, because opening refuses a wrong size before any other fault.
  private func sized(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    guard bytes.count >= 24 else { return bytes }
    withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { bytes.replaceSubrange(16..<24, with: $0) }
    return bytes
  }

  /// Returns true if the file can be opened. Every query of an open file must then end with a result.
  private func opens(_ bytes: [UInt8]) throws -> Bool {
    try Data(bytes).write(to: URL(filePath: file.path), options: .atomic)
    let index: PlaceIndex
    do throws(PlaceIndexError) { index = try PlaceIndex(path: file.path) } catch {
      try #require(error.description.contains(file.path))
      return false
    }
    _ = (index.placeCount, index.countryCount, index.nameCount, index.builtAt, index.attribution)
    for text in ["Saint Mary, Midden", "Beetown", "müllheim aa", "Midden Midden OR, Aland", "東京", "State of Over"] {
      for country in [nil, "AA"] {
        try #require(index.locate(PlaceQuery(text, limit: 5, country: country)).count <= 5)
      }
    }
    let rows = try PlaceIndex.Rows(path: file.path, populationMin: 0)
    for row in 0..<min(rows.count, 100) { _ = rows[row] }
    _ = try PlaceIndexSummary(path: file.path)
    do throws(PlaceIndexError) { try IndexInspection(path: file.path).run() } catch {
      try #require(error.description.contains(file.path))
    }
    let mapped = try MappedFile(path: file.path)
    try lookUp(in: try IndexSections(mapped.bytes, path: file.path))
    withExtendedLifetime(mapped) {}
    return true
  }

  /// Looks up every record that is found by number or key.
  private func lookUp(in sections: IndexSections) throws {
    for number: UInt32 in [0, 1, 2, 3, 4, 9, 10, 0x7FFF_FFFF, .max] {
      _ = (sections.box(number), sections.postcode(number))
      let name = sections.name(of: UInt16(truncatingIfNeeded: number), language: LocalNameRecord.language("sv".utf8))
      _ = name.map { String(decoding: $0, as: UTF8.self) }
    }
    for code in ["A12B", "0", "ZZZZZZZZZZ"] {
      for number in sections.postcodes(try #require(PostcodeRecord.packed(Array(code.utf8)))).prefix(10) {
        _ = sections.postcode(number).flatMap { sections.place($0.place) }
      }
    }
  }

  @Test("A file that is cut, extended or changed at a boundary is refused or returns a result for every query")
  func edges() throws {
    let layout = try layout()
    #expect(try opens(sized(layout.bytes)) && sized(layout.bytes) == layout.bytes)
    for edge in layout.edges {
      for at in max(0, edge - 1)...min(layout.bytes.count, edge + 1) {
        let cut = Array(layout.bytes[..<at])
        #expect(try !opens(cut) || at == layout.bytes.count)
        _ = try opens(sized(cut))
        _ = try opens(sized(cut + [0] + layout.bytes[at...]))
        for byte: UInt8 in [0, 1, 0x80, 0xFF] where at < layout.bytes.count {
          var changed = layout.bytes
          changed[at] ^= byte
          _ = try opens(changed)
          changed.replaceSubrange(at..<min(at + 4, changed.count), with: repeatElement(byte, count: 4))
          _ = try opens(sized(changed))
        }
      }
    }
  }

  @Test("A file that is cut or changed anywhere is refused or returns a result for every query")
  func anywhere() throws {
    let layout = try layout()
    Fuzz.rounds(1_000) { random in
      var bytes = layout.bytes
      for _ in 0...random.below(3) {
        let at = min(max(random.one(of: layout.edges) + random.below(17) - 8, 0), bytes.count)
        switch random.below(6) {
        case 0: bytes.removeSubrange(at...)
        case 1: bytes.insert(contentsOf: repeatElement(random.byte(), count: random.below(130)), at: at)
        case 2: for index in at..<min(at + 1 + random.below(8), bytes.count) { bytes[index] = random.byte() }
        case 3: bytes.removeSubrange(at..<min(at + random.below(130), bytes.count))
        default: if !bytes.isEmpty { bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8)) }
        }
      }
      return try opens(random.below(10) == 0 ? bytes : sized(bytes))
    }
  }
}
