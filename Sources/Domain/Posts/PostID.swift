/// Id of a post: an integer, written as 10 characters of 0-9, A-Z, a-z.
///
/// The integer is a Snowflake (Twitter, 2010): milliseconds since 2020 in the upper bits, a counter in the lower 18.
/// Rows are therefore appended at one end of the table, and need no second index. Ten characters of base 62 suffice
/// until 2121.
package struct PostID: RawRepresentable, Sendable, Hashable, Comparable, CustomStringConvertible {
  package let rawValue: UInt64

  /// Returns a fast hash, which is safe because ingest alone assigns ids.
  package func _rawHashValue(seed: Int) -> Int { rawValue.hash(seed: seed) }

  /// Returns nil if the value does not fit 10 characters.
  package init?(rawValue: UInt64) {
    guard rawValue <= PostID.rawValueMax else { return nil }
    self.rawValue = rawValue
  }

  /// Parses 10 characters of 0-9, A-Z, a-z. Nil for any other text.
  package init?(_ text: some StringProtocol) {
    var text = String(text)
    guard let id = text.withUTF8({ PostID(utf8: UnsafeRawBufferPointer($0)) }) else { return nil }
    self = id
  }

  /// Parses 10 bytes of 0-9, A-Z, a-z. Nil for any other bytes.
  package init?(utf8 bytes: UnsafeRawBufferPointer) {
    guard bytes.count == PostID.length else { return nil }
    var value: UInt64 = 0
    for byte in bytes {
      guard let digit = PostID.value(of: byte) else { return nil }
      value = value * 62 + digit
    }
    rawValue = value
  }

  /// Returns the next id, which is greater than `last` even if the clock goes back or stands still.
  ///
  /// - Parameter unixMs: Milliseconds since 1970, UTC. Ids end in 2121.
  package static func following(_ last: PostID?, unixMs: Int64) -> PostID {
    let clock = UInt64(max(0, unixMs - epochUnixMs)) << 18
    let value = max(clock, (last?.rawValue ?? 0) + 1)
    precondition(value <= rawValueMax, "The clock is past the year 2121: ids need more characters.")
    return PostID(unchecked: value)
  }

  /// The id's 10 characters.
  package var description: String {
    String(unsafeUninitializedCapacity: PostID.length) { bytes in
      let ascii = ascii
      for index in ascii.indices { bytes[index] = ascii[index] }
      return PostID.length
    }
  }

  /// The id's 10 characters, in ASCII.
  var ascii: InlineArray<10, UInt8> {
    var ascii = InlineArray<10, UInt8>(repeating: 0)
    var rest = rawValue
    for index in ascii.indices.reversed() {
      ascii[index] = PostID.digit(UInt8(truncatingIfNeeded: rest % 62))
      rest /= 62
    }
    return ascii
  }

  package static func < (a: PostID, b: PostID) -> Bool { a.rawValue < b.rawValue }

  private init(unchecked value: UInt64) { rawValue = value }

  private static func value(of digit: UInt8) -> UInt64? {
    switch digit {
    case 0x30...0x39: UInt64(digit - 0x30)
    case 0x41...0x5A: UInt64(digit - 0x41 + 10)
    case 0x61...0x7A: UInt64(digit - 0x61 + 36)
    default: nil
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    switch value {
    case 0..<10: value + 0x30
    case 10..<36: value - 10 + 0x41
    default: value - 36 + 0x61
    }
  }

  private static let length = 10
  private static let rawValueMax: UInt64 = 839_299_365_868_340_223  // 62^10 - 1
  private static let epochUnixMs: Int64 = 1_577_836_800_000  // 2020-01-01
}
