import Domain

/// The file: a header, a directory of sections, the sections. Little-endian throughout; every section begins at a
/// multiple of 64 bytes. After the idea of "GZT1", a gazetteer that is used in place without being read in.
///
///      0  magic, 4 bytes              24  time of the build, seconds since 1970, 8
///      4  version of the layout, 4    32  number of sections, 4
///      8  version of the folding, 4   36  reserved, 4
///     16  size of the file, 8         40  checksum of the file with zeros here, 8
///                                     48  reserved, 16
///                                     64  directory, 24 bytes a section: id 4, element size 4, offset 8, count 8
package enum IndexLayout {
  /// The first bytes of every file.
  package static let magic: [UInt8] = Array("GZT1".utf8)
  /// Version of the layout. A reader refuses every other one.
  package static let version: UInt32 = 5
  /// Bytes: every section begins at a multiple of them.
  package static let alignment = 64
  /// Bytes of the header.
  package static let headerBytes = 64
  /// Bytes of a section's entry in the directory.
  package static let entryBytes = 24
  /// Where the checksum stands in the header, in bytes.
  package static let checksumOffset = 40

  /// Numbers of sections are never used again. A reader ignores numbers it does not know, so that new ones can join
  /// without a new version.
  package enum Section: UInt32, CaseIterable, Sendable {
    case places = 1
    case countries
    case strings = 7
    case attribution, postcodes, boxes, localNames
    case fuzzyBuckets = 16
    case gridPlaces = 18
    case blockRanks, postcodeKeys, names, nameOrder, slots, beginnings, fuzzyNames

    /// Bytes of one record.
    package var elementBytes: Int {
      switch self {
      case .places: 32
      case .postcodes: 20
      case .boxes: 16
      case .localNames: 12
      case .countries, .beginnings, .gridPlaces, .postcodeKeys: 8
      case .names, .nameOrder, .slots, .fuzzyBuckets, .fuzzyNames: 4
      case .blockRanks: 2
      case .strings, .attribution: 1
      }
    }
  }
}

/// A Bloom filter over the hashes of how names of several words begin, each in one word of the filter (Putze, Sanders,
/// Singler, 2007). Most sequences of words are no name: it tells, from a part of the file that stays in the processor's
/// cache, with which word a search may end.
package enum NamePrefixFilter {
  /// Eight bits for each beginning, as a power of two of words.
  package static func words(for beginnings: Int) -> Int {
    var count = 1
    while count * 8 < beginnings { count *= 2 }
    return count
  }

  /// The word of the filter that a hash is in.
  @inline(__always)
  package static func word(_ hash: UInt64, of count: Int) -> Int { Int(truncatingIfNeeded: hash >> 20) & (count - 1) }

  /// The bits of that word that a hash sets.
  @inline(__always)
  package static func bits(_ hash: UInt64) -> UInt64 { 1 << (hash >> 58) | 1 << (hash >> 52 & 63) }

  /// Calls the body with the hash of each beginning of two words and more, up to the whole name.
  package static func forEach(of name: UnsafeRawBufferPointer, _ body: (UInt64) -> Void) {
    var hash = NameHash()
    var (start, words) = (0, 0)
    for end in 1...max(name.count, 1) where end >= name.count || name[end] == UInt8(ascii: " ") {
      hash.add(UnsafeRawBufferPointer(rebasing: name[start..<min(end, name.count)]))
      (start, words) = (end, words + 1)
      if words > 1 { body(hash.value) }
    }
  }
}

/// A hash table of names with linear probing from the beginning of a line of the processor's cache, so that a search
/// mostly touches one. A slot of 32 bits holds where the name lies below, in as few bits as the largest position takes,
/// and a part of the name's hash above; 0 is free.
package enum NameHashTable {
  /// Slots in a line of 64 bytes.
  package static let line = 16
  /// Slots that a search looks at, so that a damaged file costs no time either: many times as many as ten million names
  /// ask for.
  package static let probesMax = 16 * line

  /// The bits of a position.
  package static func positionBits(_ words: Int) -> UInt32 {
    UInt32(32 - UInt32(truncatingIfNeeded: words).leadingZeroBitCount)
  }

  /// What a slot has in common with a hash above the position: bits that do not say in which line it is.
  @inline(__always)
  package static func tag(_ hash: UInt64, _ positionBits: UInt32) -> UInt32 {
    UInt32(truncatingIfNeeded: hash >> 32) >> positionBits
  }

  /// The slot at which the search for a hash begins.
  @inline(__always)
  package static func first(_ hash: UInt64, of slots: Int) -> Int {
    let lines = UInt64(truncatingIfNeeded: slots / line)
    return Int(truncatingIfNeeded: ((hash & 0xFFFF_FFFF) &* lines) >> 32) * line
  }
}

/// The hash of folded names, equal in every process: FNV-1a with a final mix, since its low bits alone are poor.
package struct NameHash: Sendable {
  private var state = FNV1a()

  package init() {}

  /// Adds the bytes of a slice; a name's hash may be taken piece by piece.
  @inline(__always)
  package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    for byte in bytes { state.add(byte) }
  }

  /// The hash of a whole name.
  package static func of(_ name: UnsafeRawBufferPointer) -> UInt64 {
    var hash = NameHash()
    hash.add(name)
    return hash.value
  }

  /// The hash of all bytes that were added.
  @inline(__always)
  package var value: UInt64 {
    var mixed = state.value
    mixed = (mixed ^ (mixed >> 32)) &* 0xD6E8_FEB8_6659_FD93
    mixed = (mixed ^ (mixed >> 32)) &* 0xD6E8_FEB8_6659_FD93
    return mixed ^ (mixed >> 32)
  }
}
