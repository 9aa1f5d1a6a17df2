/// The characters of a folded text: where each begins, so that edits are counted in characters whatever the script.
/// Works in memory of its own, without allocation.
struct EditDistance {
  let bytes: UnsafeRawBufferPointer
  /// A length in a type must be a literal; this one is `GazetteerLimits.fuzzyCharactersMax` + 1.
  private var starts: InlineArray<49, UInt16>
  private(set) var count = 0

  /// Nil for more than `GazetteerLimits.fuzzyCharactersMax` characters. The bytes must be UTF-8, as folded text is, and
  /// last as long as this.
  init?(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    starts = InlineArray(repeating: 0)
    for index in bytes.indices where bytes[index] & 0xC0 != 0x80 {
      guard count < GazetteerLimits.fuzzyCharactersMax else { return nil }
      starts[count] = UInt16(index)
      count += 1
    }
    starts[count] = UInt16(bytes.count)
  }

  /// The bytes of a range of characters.
  func slice(_ first: Int, _ end: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[Int(starts[first])..<Int(starts[end])])
  }

  /// Whether one edit, and not none, leads from one text to the other: a character more, fewer, or another, or two
  /// neighbours exchanged (Damerau, 1964).
  static func areOneEditApart(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    let shorter = min(a.count, b.count)
    var first = 0
    while first < shorter, a[first] == b[first] { first += 1 }
    // Back to where a character begins, and on from there at the other end.
    while first > 0, first < a.count && a[first] & 0xC0 == 0x80 || first < b.count && b[first] & 0xC0 == 0x80 {
      first -= 1
    }
    var last = 0
    while last < shorter - first, a[a.count - 1 - last] == b[b.count - 1 - last] { last += 1 }
    while last > 0, a[a.count - last] & 0xC0 == 0x80 { last -= 1 }
    // What is left between, most often too much.
    let (x, y) = (first..<(a.count - last), first..<(b.count - last))
    guard x.count <= 8, y.count <= 8 else { return false }
    switch (characters(a, x), characters(b, y)) {
    case (0, 1), (1, 0), (1, 1): return true
    case (2, 2):
      let (inA, inB) = (x.lowerBound + width(a, x), y.lowerBound + width(b, y))
      return a[x.lowerBound..<inA].elementsEqual(b[inB..<y.upperBound])
        && a[inA..<x.upperBound].elementsEqual(b[y.lowerBound..<inB])
    default: return false
    }
  }

  /// Whether the first character is the same.
  static func beginAlike(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    let count = width(a, a.indices)
    return a.prefix(count).elementsEqual(b.prefix(count))
  }

  /// How many characters there are.
  private static func characters(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int {
    var count = 0
    for index in range where bytes[index] & 0xC0 != 0x80 { count += 1 }
    return count
  }

  /// Bytes of the first character.
  private static func width(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int {
    var end = range.lowerBound + 1
    while end < range.upperBound, bytes[end] & 0xC0 == 0x80 { end += 1 }
    return end - range.lowerBound
  }
}
