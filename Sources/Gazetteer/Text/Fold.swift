/// The folding of characters before names are compared. It removes case, accents, width and punctuation. The builder
/// and the queries must fold alike, so the file holds the version of these rules.
package struct Fold: Sendable {
  /// Version of the rules. Raise it with every change of these rules, of `FoldedText` or of the table.
  package static let version: UInt32 = 3
  static let standard = Fold()

  /// Result of a character that disappears.
  static let nothing = UInt32(UInt8(ascii: "'"))
  /// Result of a character that ends a token.
  static let space = UInt32(UInt8(ascii: " "))
  /// Result of a character that ends a segment.
  static let comma = UInt32(UInt8(ascii: ","))

  /// Number of a page in `cells`, by the high byte of a scalar of the basic plane. 0 stands for an unchanged page.
  private var pages = [UInt8](repeating: 0, count: 256)
  /// Pages of 256 results. A result holds up to four bytes of UTF-8, the first in the low byte; 0 stands for unchanged.
  private var cells = [UInt32](repeating: 0, count: 256)

  private init() {
    let text = Self.table.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }
    for line in text.split(separator: "\n") {
      let scalars = Array(line.unicodeScalars)
      guard let equals = scalars.firstIndex(of: "=") else { continue }
      if equals == 0 {
        for pair in stride(from: 1, to: scalars.count - 1, by: 2) {
          set(scalars[pair + 1], to: Self.packed([scalars[pair]]))
        }
      } else {
        let result = Self.packed(scalars[..<equals])
        for character in scalars[(equals + 1)...] { set(character, to: result) }
      }
    }
    // Combining marks (Latin and Greek, Hebrew points, Arabic vowels), variation selectors and word joiners.
    let marks: [ClosedRange<UInt16>] = [
      0x300...0x36F, 0x591...0x5BD, 0x5BF...0x5BF, 0x5C1...0x5C2, 0x5C4...0x5C5, 0x64B...0x65F, 0x670...0x670,
      0x180B...0x180F, 0x2060...0x2060, 0xFE00...0xFE0F,
    ]
    for scalar in marks.joined().compactMap(Unicode.Scalar.init) { set(scalar, to: Self.nothing) }
  }

  /// Returns the result for a scalar, or 0 if it is unchanged.
  @inline(__always)
  func callAsFunction(_ scalar: UInt32) -> UInt32 {
    // Tags and the further variation selectors are not letters.
    guard scalar < 0x10000 else { return scalar >> 12 == 0xE0 ? Fold.nothing : 0 }
    return cells[Int(pages[Int(scalar >> 8)]) << 8 | Int(scalar & 0xFF)]
  }

  private mutating func set(_ character: Unicode.Scalar, to result: UInt32) {
    let page = Int(character.value >> 8)
    if pages[page] == 0 {
      pages[page] = UInt8(cells.count >> 8)
      cells += [UInt32](repeating: 0, count: 256)
    }
    cells[Int(pages[page]) << 8 | Int(character.value & 0xFF)] = result
  }

  private static func packed(_ scalars: some Sequence<Unicode.Scalar>) -> UInt32 {
    var result: UInt32 = 0
    for (index, byte) in scalars.flatMap({ UTF8.encode($0).map(Array.init) ?? [] }).enumerated() {
      result |= UInt32(byte) << (8 * UInt32(index))
    }
    return result
  }
}
