/// The file: a header, a directory of sections, the sections. Little-endian throughout; every section begins at a
/// multiple of 64 bytes. After the idea of "GZT1", a gazetteer that is used in place without being read in.
///
///      0  magic, 4 bytes              24  time of the build, seconds since 1970, 8
///      4  version of the layout, 4    32  number of sections, 4
///      8  version of the folding, 4   36  reserved, 4
///     16  size of the file, 8         40  checksum of the file with zeros here, 8
///                                     48  reserved, 16
///                                     64  directory, 24 bytes a section: id 4, element size 4, offset 8, count 8
enum IndexLayout {
  static let magic: [UInt8] = Array("GZT1".utf8)
  static let version: UInt32 = 4
  static let alignment = 64
  static let headerBytes = 64
  static let entryBytes = 24
  static let checksumOffset = 40

  /// Numbers of sections are never used again. A reader ignores numbers it does not know, so that sections for
  /// misspelt names and reverse search can join without a new version.
  enum Section: UInt32, CaseIterable {
    case places = 1
    case countries, names, slots, postings, nameBytes, strings, attribution, postcodes, boxes, localNames
    case filter = 15
    case fuzzyBuckets, fuzzyNames, gridPlaces, blockRanks, postcodeKeys

    var elementBytes: Int {
      switch self {
      case .places: 32
      case .postcodes: 20
      case .boxes: 16
      case .localNames: 12
      case .countries, .names, .filter, .gridPlaces, .postcodeKeys: 8
      case .slots, .postings, .fuzzyBuckets, .fuzzyNames: 4
      case .blockRanks: 2
      case .nameBytes, .strings, .attribution: 1
      }
    }
  }
}

/// A Bloom filter over the names' hashes, each in one word (Putze, Sanders, Singler, 2007): most sequences of words are
/// no name, and it tells so from a part of the file that stays in the processor's cache.
enum NameFilter {
  /// Eight bits for each name, as a power of two of words.
  static func words(for names: Int) -> Int {
    var count = 1
    while count * 8 < names { count *= 2 }
    return count
  }

  @inline(__always)
  static func word(_ hash: UInt64, of count: Int) -> Int { Int(truncatingIfNeeded: hash >> 20) & (count - 1) }

  @inline(__always)
  static func bits(_ hash: UInt64) -> UInt64 { 1 << (hash >> 58) | 1 << (hash >> 52 & 63) }
}

/// An open hash table of names, with linear probing. A slot of 32 bits holds the number of a name + 1 below, in as few
/// bits as the largest number takes, and a part of the name's hash above; 0 is free.
enum NameSlots {
  /// The bits of a number + 1.
  static func numberBits(_ names: Int) -> UInt32 { UInt32(32 - UInt32(truncatingIfNeeded: names).leadingZeroBitCount) }

  /// What a slot has in common with a hash above the number: bits that do not say where in the table it is.
  @inline(__always)
  static func tag(_ hash: UInt64, _ numberBits: UInt32) -> UInt32 {
    UInt32(truncatingIfNeeded: hash >> 32) >> numberBits
  }

  /// At most three quarters are taken, so the search for a free one stays short.
  static func compiled(_ hashes: [UInt64]) -> [UInt32] {
    var size = 16
    while size * 3 < hashes.count * 4 { size *= 2 }
    let numberBits = numberBits(hashes.count)
    var slots = [UInt32](repeating: 0, count: size)
    for (number, hash) in hashes.enumerated() {
      var slot = Int(truncatingIfNeeded: hash) & (size - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (size - 1) }
      slots[slot] = tag(hash, numberBits) << numberBits | UInt32(number + 1)
    }
    return slots
  }
}

/// The hash of folded names, equal in every process: FNV-1a with a final mix, since its low bits alone are poor.
struct NameHash {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Adds the bytes of a slice; a name's hash may be taken piece by piece.
  @inline(__always)
  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }

  @inline(__always)
  var value: UInt64 {
    var mixed = state
    mixed = (mixed ^ (mixed >> 32)) &* 0xD6E8_FEB8_6659_FD93
    mixed = (mixed ^ (mixed >> 32)) &* 0xD6E8_FEB8_6659_FD93
    return mixed ^ (mixed >> 32)
  }
}
