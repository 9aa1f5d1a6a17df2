import Domain
import Foundation
import Fuzzing
import GazetteerFixtures
import Testing

@testable import Gazetteer

@Suite("Inspection of an index file")
struct InspectionTests {
  private let file = TemporaryFile()

  private func written() throws -> [UInt8] {
    try Hamlet.write(to: file.path)
    return [UInt8](try Data(contentsOf: URL(filePath: file.path)))
  }

  /// Returns the error that inspection finds in these bytes, or nil. With `fixesChecksum` the checksum matches the
  /// bytes.
  private func fault(_ bytes: [UInt8], fixesChecksum: Bool = false) throws -> PlaceIndexError? {
    var bytes = bytes
    if fixesChecksum {
      let sum = bytes.withUnsafeBytes { Checksum.of($0) }
      withUnsafeBytes(of: sum.littleEndian) {
        bytes.replaceSubrange(IndexLayout.checksumOffset..<IndexLayout.checksumOffset + 8, with: $0)
      }
    }
    try Data(bytes).write(to: URL(filePath: file.path), options: .atomic)
    do throws(PlaceIndexError) { try IndexInspection(path: file.path).run() } catch { return error }
    return nil
  }

  /// The offset of a section's first record.
  private func offset(of section: IndexLayout.Section, in bytes: [UInt8]) throws -> Int {
    try range(of: section, in: bytes).lowerBound
  }

  /// The bytes of a section's records.
  private func range(of section: IndexLayout.Section, in bytes: [UInt8]) throws -> Range<Int> {
    try bytes.withUnsafeBytes { bytes in
      let entries = (0..<IndexLayout.Section.allCases.count).map {
        IndexLayout.headerBytes + $0 * IndexLayout.entryBytes
      }
      let entry = try #require(entries.first { bytes.integer(at: $0, as: UInt32.self) == section.rawValue })
      let start = Int(bytes.integer(at: entry + 8, as: UInt64.self))
      return start..<start + Int(bytes.integer(at: entry + 16, as: UInt64.self)) * section.elementBytes
    }
  }

  @Test("A built file passes inspection, and its summary states its contents")
  func whole() throws {
    #expect(try fault(written()) == nil)
    let summary = try PlaceIndexSummary(path: file.path)
    #expect(summary.placeCounts == [.country: 2, .region: 2, .county: 1, .city: 5])
    #expect(summary.version == IndexLayout.version && summary.builtAt == 1_750_000_000)
    #expect(summary.postcodeCount == 2 && summary.languageCount == 1)
    #expect(summary.checksum.count == 16)
    #expect(summary.byteCount == (try Data(contentsOf: URL(filePath: file.path)).count))
    #expect(summary.attribution == "data © nobody")
    #expect(try summary.nameCount == PlaceIndex(path: file.path).nameCount)
  }

  @Test("The checksum detects a change of any byte")
  func everyByte() throws {
    let bytes = try written()
    for at in 0..<bytes.count {
      var changed = bytes
      changed[at] ^= 0x10
      let isFound = changed.withUnsafeBytes { file in
        guard let sections = try? IndexSections(file, path: "changed") else { return true }
        return Checksum.of(file) != sections.checksum
      }
      #expect(isFound, "byte \(at)")
    }
  }

  @Test(
    "Inspection names an invalid record even if the checksum matches",
    arguments: [
      (IndexLayout.Section.places, 3, UInt8(0x7F), "place 0: its point"), (.places, 12, 0xFF, "place 0: its name"),
      (.places, 31, 0x7F, "place 0: its county"), (.places, 21, 0x7F, "place 0: its country"),
      (.places, 26, 9, "place 0: its level"), (.countries, 0, 0x00, "country 0"), (.countries, 2, 9, "country 0"),
      (.names, 0, 0x7F, "names: their start"), (.names, 4, 0x7F, "name 0: "),
      (.names, 8, 0x7F, "name 0: "), (.nameOrder, 0, 0x7F, "name 0: its position"), (.slots, 0, 0x7F, "name"),
      (.names, 12, 0x7F, "posting 3"), (.names, 15, 0x30, "posting 3"),
      (.postcodes, 7, 0x7F, "postcode 0: its code"), (.postcodes, 27, 0x00, "postcode 1: its order"),
      (.places, 24, 0x01, "place 0: its rank"), (.places, 52, 0x00, "country 1"),
      (.attribution, 0, 0xFF, "attribution"),
      (.localNames, 0, 0x5F, "name 0 of a country: its order, language"),
      (.postcodes, 0, 0x7F, "postcode 0: its country or point"), (.postcodes, 16, 0x03, "postcode 0: its place"),
      (.boxes, 0, 0x00, "box"), (.localNames, 2, 0x7F, "name 0 of a country"),
    ])
  func records(section: IndexLayout.Section, byte: Int, value: UInt8, part: String) throws {
    let bytes = try written()
    var changed = bytes
    changed[try offset(of: section, in: bytes) + byte] = value
    if section == .boxes {
      let at = try offset(of: section, in: bytes)
      changed.replaceSubrange(at..<at + 4, with: [0xFF, 0xFF, 0xFF, 0x7F])
    }
    if section == .slots {
      let at = try offset(of: section, in: bytes)
      for slot in 0..<16 * 4 { changed[at + slot * 4] = 0 }
    }
    guard case .damaged(_, let found) = try fault(changed, fixesChecksum: true) else {
      Issue.record("\(section) is not inspected.")
      return
    }
    #expect(found.hasPrefix(part), "\(found)")
  }

  /// Returns true if inspection finds a flipped bit of the byte at `at` although the checksum matches.
  private func isFound(_ bytes: [UInt8], at: Int) throws -> Bool {
    var changed = bytes
    changed[at] ^= 1 << UInt8(at % 8)
    return if case .damaged = try fault(changed, fixesChecksum: true) { true } else { false }
  }

  @Test(
    "Inspection finds any flipped bit in a search structure even if the checksum matches",
    arguments: [
      IndexLayout.Section.beginnings, .slots, .nameOrder, .blockRanks, .fuzzyBuckets, .fuzzyNames, .gridPlaces, .boxes,
      .postcodeKeys,
    ])
  func everyBit(section: IndexLayout.Section) throws {
    let bytes = try written()
    let range = try range(of: section, in: bytes)
    #expect(!range.isEmpty)
    for at in range {
      try #require(try isFound(bytes, at: at), "byte \(at - range.lowerBound)")
    }
  }

  @Test("Inspection finds any flipped bit in a name or its length even if the checksum matches")
  func everyNameBit() throws {
    let bytes = try written()
    let range = try range(of: .names, in: bytes)
    let postings = try bytes.withUnsafeBytes { file in
      let sections = try IndexSections(file, path: file.debugDescription)
      return (0..<UInt32(sections.nameCount)).compactMap { sections.name($0)?.postings }
    }
    for at in range where !postings.contains(where: { $0.contains(UInt32(at - range.lowerBound) / 4) }) {
      try #require(try isFound(bytes, at: at), "byte \(at - range.lowerBound)")
    }
  }

  @Test("Inspection finds missing fuzzy names and a city that is marked as eclipsed")
  func missing() throws {
    let bytes = try written()
    var changed = bytes
    let buckets = try range(of: .fuzzyBuckets, in: bytes)
    changed.replaceSubrange(buckets, with: repeatElement(0, count: buckets.count))
    let entry = try #require(
      (0..<IndexLayout.Section.allCases.count).map { IndexLayout.headerBytes + $0 * IndexLayout.entryBytes }
        .first { bytes[$0] == IndexLayout.Section.fuzzyNames.rawValue })
    changed.replaceSubrange(entry + 16..<entry + 24, with: repeatElement(0, count: 8))
    guard case .damaged(_, "fuzzy names: 0 for 14 names") = try fault(changed, fixesChecksum: true) else {
      Issue.record("\(String(describing: try fault(changed, fixesChecksum: true)))")
      return
    }
    // The only posting of the name "beetown".
    let city = try bytes.withUnsafeBytes { file in
      let name = Array("beetown".utf8)
      let entry = try name.withUnsafeBytes {
        try #require(try IndexSections(file, path: file.debugDescription).name($0, hash: NameHash.of($0)))
      }
      return Int(entry.postings.lowerBound) * 4 + 3
    }
    changed = bytes
    changed[try range(of: .names, in: bytes).lowerBound + city] |= 0x40
    guard case .damaged(_, let part) = try fault(changed, fixesChecksum: true) else {
      Issue.record("Inspection overlooks an eclipsed city.")
      return
    }
    #expect(part.hasPrefix("posting"))
  }

  @Test("A lookup in the name table ends after 256 slots, in any damaged file")
  func probes() throws {
    #expect(NameHashTable.probesMax == 256)
    let names = (0..<4_000).map { Hamlet.Row.city("Town \($0)", 1_000) }
    try Hamlet.write(Hamlet.lines(of: names), to: file.path)
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: file.path)))
    let slots = try range(of: .slots, in: bytes)
    #expect(slots.count / 4 > NameHashTable.probesMax)
    for slot in stride(from: slots.lowerBound, to: slots.upperBound, by: 4)
    where bytes[slot..<slot + 4] == [0, 0, 0, 0] {
      bytes[slot + 3] = 0xFF
    }
    try bytes.withUnsafeBytes { file in
      let sections = try IndexSections(file, path: file.debugDescription)
      // A missing name: the lookup probes the allowed number of slots, and not all of them.
      let name = Array("nowhere".utf8)
      #expect(name.withUnsafeBytes { sections.name($0, hash: NameHash.of($0)) } == nil)
    }
    #expect(try fault(bytes, fixesChecksum: true) != nil)
  }

  @Test("Inspection finds a section that has too few records")
  func counts() throws {
    let bytes = try written()
    for (section, part) in [
      (IndexLayout.Section.gridPlaces, "the grid"), (.boxes, "boxes: one for each area"),
      (.blockRanks, "the ranks of blocks"), (.postcodeKeys, "the keys of postcodes"),
      (.fuzzyNames, "fuzzy"), (.names, "name"), (.nameOrder, "names: their end"),
    ] {
      // The directory states one record fewer.
      var changed = bytes
      let entry = try #require(
        (0..<IndexLayout.Section.allCases.count).map { IndexLayout.headerBytes + $0 * IndexLayout.entryBytes }
          .first { bytes[$0] == section.rawValue })
      changed[entry + 16] -= 1
      guard case .damaged(_, let found) = try fault(changed, fixesChecksum: true) else {
        Issue.record("Inspection overlooks a shorter \(section).")
        continue
      }
      #expect(found.hasPrefix(part), "\(section): \(found)")
    }
  }

  @Test("Inspection ends for any damaged file")
  func anything() throws {
    let bytes = try written()
    Fuzz.rounds(1_000) { random in
      var changed = bytes
      for _ in 0...random.below(4) { changed[random.below(changed.count)] = random.byte() }
      _ = try fault(changed, fixesChecksum: random.below(2) == 0)
      return true
    }
  }

  @Test("The committed data passes inspection")
  func world() throws {
    try IndexInspection(path: World.path()).run()
  }
}
