import Domain

/// Layout of the file: a header, a directory of sections, the sections. All numbers are little-endian, and every
/// section begins at a multiple of 64 bytes. Programs map the file into memory and use it in place.
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
  /// Version of the layout. A reader refuses any other.
  package static let version: UInt32 = 5
  /// Alignment of sections, in bytes.
  package static let alignment = 64
  /// Size of the header, in bytes.
  package static let headerBytes = 64
  /// Size of a section's entry in the directory, in bytes.
  package static let entryBytes = 24
  /// Offset of the checksum in the header, in bytes.
  package static let checksumOffset = 40

  /// The sections' numbers, which are never reused. A reader ignores unknown numbers, so a new section needs no new
  /// version.
  package enum Section: UInt32, CaseIterable, Sendable {
    case places = 1
    case countries
    case strings = 7
    case attribution, postcodes, boxes, localNames
    case fuzzyBuckets = 16
    case gridPlaces = 18
    case blockRanks, postcodeKeys, names, nameOrder, slots, beginnings, fuzzyNames

    /// Size of one record, in bytes.
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

/// A Bloom filter over the hashes of names with several words and of their beginnings (Putze, Sanders, Singler, 2007).
/// Each hash sets two bits in one 64-bit word of the filter. Most sequences of tokens are not a name. The filter stays
/// in the processor's cache and shows after which token a search can stop.
package enum NamePrefixFilter {
  /// Returns the filter's size in 64-bit words: a power of two, with at least eight bits for each beginning.
  package static func words(for beginnings: Int) -> Int {
    var count = 1
    while count * 8 < beginnings { count *= 2 }
    return count
  }

  /// Returns the index of the filter's word for a hash.
  @inline(__always)
  package static func word(_ hash: UInt64, of count: Int) -> Int { Int(truncatingIfNeeded: hash >> 20) & (count - 1) }

  /// Returns the bits that a hash sets in its word.
  @inline(__always)
  package static func bits(_ hash: UInt64) -> UInt64 { 1 << (hash >> 58) | 1 << (hash >> 52 & 63) }

  /// Calls `body` with the hash of each beginning of two or more words, including the whole name.
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

/// A hash table of names with linear probing from the start of a cache line. A search usually touches only one line.
/// The low bits of a 32-bit slot hold the name's position, in as few bits as the largest position needs. The high bits
/// hold a part of the name's hash. 0 marks a free slot.
package enum NameHashTable {
  /// Number of slots in a cache line of 64 bytes.
  package static let line = 16
  /// Maximum number of slots that a search visits, so that a damaged file cannot slow the search down. Ten million
  /// names need only a fraction of this number.
  package static let probesMax = 16 * line

  /// Returns the number of bits of a position.
  package static func positionBits(_ words: Int) -> UInt32 {
    UInt32(32 - UInt32(truncatingIfNeeded: words).leadingZeroBitCount)
  }

  /// Returns the part of a hash that a slot holds above the position. These bits are independent of those that select
  /// the line.
  @inline(__always)
  package static func tag(_ hash: UInt64, _ positionBits: UInt32) -> UInt32 {
    UInt32(truncatingIfNeeded: hash >> 32) >> positionBits
  }

  /// Returns the slot at which the search for a hash begins.
  @inline(__always)
  package static func first(_ hash: UInt64, of slots: Int) -> Int {
    let lines = UInt64(truncatingIfNeeded: slots / line)
    return Int(truncatingIfNeeded: ((hash & 0xFFFF_FFFF) &* lines) >> 32) * line
  }
}

/// A hash of folded names that is equal in every process: FNV-1a with a final mix, because the low bits of FNV-1a are
/// poor.
package struct NameHash: Sendable {
  private var state = FNV1a()

  package init() {}

  /// Adds the bytes of a slice. A name's hash may be computed piece by piece.
  @inline(__always)
  package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    for byte in bytes { state.add(byte) }
  }

  /// Returns the hash of a whole name.
  package static func of(_ name: UnsafeRawBufferPointer) -> UInt64 {
    var hash = NameHash()
    hash.add(name)
    return hash.value
  }

  /// The hash of all added bytes.
  @inline(__always)
  package var value: UInt64 {
    var mixed = state.value
    mixed = (mixed ^ (mixed >> 32)) &* 0xD6E8_FEB8_6659_FD93
    mixed = (mixed ^ (mixed >> 32)) &* 0xD6E8_FEB8_6659_FD93
    return mixed ^ (mixed >> 32)
  }
}
