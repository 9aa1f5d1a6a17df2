/// The characters of a folded text, so that edits count in characters of any script. Works without allocation.
struct EditDistance {
  let bytes: UnsafeRawBufferPointer
  /// Offset of each character, in bytes. An `InlineArray` needs a literal: `GazetteerLimits.fuzzyCharactersMax` + 1.
  private var starts: InlineArray<49, UInt16>
  private(set) var count = 0

  /// Finds the characters of a text. Returns nil for more than `GazetteerLimits.fuzzyCharactersMax`. The bytes must be
  /// UTF-8, as folded text is, and outlive this value.
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

  /// Returns the bytes of a range of characters.
  func slice(_ first: Int, _ end: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[Int(starts[first])..<Int(starts[end])])
  }

  /// Returns true if exactly one edit leads from one text to the other: a character inserted, removed or replaced, or
  /// two neighbours exchanged. (Damerau, 1964.)
  static func areOneEditApart(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    let shorter = min(a.count, b.count)
    var first = 0
    while first < shorter, a[first] == b[first] { first += 1 }
    // Move back to the beginning of a character. At the other end, move forward.
    while first > 0, first < a.count && a[first] & 0xC0 == 0x80 || first < b.count && b[first] & 0xC0 == 0x80 {
      first -= 1
    }
    var last = 0
    while last < shorter - first, a[a.count - 1 - last] == b[b.count - 1 - last] { last += 1 }
    while last > 0, a[a.count - last] & 0xC0 == 0x80 { last -= 1 }
    // The ranges that differ. In most comparisons they are too long for one edit.
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

  /// Returns true if the first characters are equal.
  static func haveSameFirstCharacter(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    let count = width(a, a.indices)
    return a.prefix(count).elementsEqual(b.prefix(count))
  }

  /// Returns the number of characters in a range.
  private static func characters(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int {
    var count = 0
    for index in range where bytes[index] & 0xC0 != 0x80 { count += 1 }
    return count
  }

  /// Returns the length of the first character, in bytes.
  private static func width(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int {
    var end = range.lowerBound + 1
    while end < range.upperBound, bytes[end] & 0xC0 == 0x80 { end += 1 }
    return end - range.lowerBound
  }
}
