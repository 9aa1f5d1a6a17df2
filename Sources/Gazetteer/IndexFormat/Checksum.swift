/// A checksum over a file's 64-bit words. It detects damage but no deliberate forgery. Every step is a bijection, so
/// one changed word always changes the sum. Several changed words change it almost certainly.
package struct Checksum {
  /// The sum of all added words.
  package private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

  package init() {}

  /// Adds bytes to the sum.
  ///
  /// - Parameter bytes: A multiple of eight bytes. A remainder is ignored.
  package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    for offset in stride(from: 0, to: bytes.count & ~7, by: 8) {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      value = (value ^ word) &* 0xD6E8_FEB8_6659_FD93
      value ^= value >> 29
    }
  }

  /// Returns the checksum of a whole file. The file's own checksum counts as zero.
  static func of(_ file: UnsafeRawBufferPointer) -> UInt64 {
    guard file.count >= IndexLayout.headerBytes else { return 0 }
    var sum = Checksum()
    var header = Array(file[..<IndexLayout.headerBytes])
    header.replaceSubrange(
      IndexLayout.checksumOffset..<IndexLayout.checksumOffset + 8, with: repeatElement(0, count: 8))
    header.withUnsafeBytes { sum.add($0) }
    sum.add(UnsafeRawBufferPointer(rebasing: file[IndexLayout.headerBytes...]))
    return sum.value
  }
}
