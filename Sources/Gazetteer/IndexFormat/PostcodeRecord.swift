/// A postcode of a country in the file: 20 bytes, little-endian, in this order. Records are sorted by key, so that the
/// countries of a code are neighbours.
package struct PostcodeRecord: BitwiseCopyable, Sendable {
  /// Maximum number of letters and digits of a code. GeoNames has no longer code. 37^10 takes 53 bits, and a country's
  /// number takes 10.
  @usableFromInline static let characters = 10
  /// Number of records in a block. `postcodeKeys` holds the key of each block's first record.
  package static let blockSize = 64
  private static let countryBits: UInt64 = 10

  /// The key in two halves. A 64-bit field would make the record 24 bytes long.
  private var keyLow: UInt32
  private var keyHigh: UInt32
  /// Latitude in 1e-7 degrees.
  package var latitudeE7: Int32
  /// Longitude in 1e-7 degrees.
  package var longitudeE7: Int32
  /// Record number of the city to which the code belongs. `PlaceRecord.none` if no city is near.
  package var place: UInt32

  /// Packs a record.
  ///
  /// - Parameter country: The country's number. There are 676 codes of two letters, so it always fits.
  package init(
    packed: UInt64, country: UInt16, latitudeE7: Int32, longitudeE7: Int32, place: UInt32 = PlaceRecord.none
  ) {
    let key = packed << Self.countryBits | UInt64(country)
    keyLow = UInt32(truncatingIfNeeded: key)
    keyHigh = UInt32(truncatingIfNeeded: key >> 32)
    self.latitudeE7 = latitudeE7
    self.longitudeE7 = longitudeE7
    self.place = place
  }

  /// The sort key: the packed code in the high bits, the country's number in the low bits.
  package var key: UInt64 { UInt64(keyHigh) << 32 | UInt64(keyLow) }
  /// The country's number.
  package var country: UInt16 { UInt16(key & (1 << Self.countryBits - 1)) }

  /// The code without separators.
  var code: String {
    var rest = key >> Self.countryBits
    var digits: [UInt8] = []
    while rest > 0 {
      let digit = UInt8(truncatingIfNeeded: rest % 37)
      if digit > 0 { digits.append(digit < 11 ? UInt8(ascii: "0") + digit - 1 : UInt8(ascii: "A") + digit - 11) }
      rest /= 37
    }
    return String(decoding: digits.reversed(), as: UTF8.self)
  }

  /// Returns the smallest key of a packed code.
  static func firstKey(_ packed: UInt64) -> UInt64 { packed << countryBits }

  /// Packs a code into a number. Letters and digits are digits of base 37, the first one the most significant, padded
  /// with zeros. Codes therefore sort as text does, and codes with the same beginning are neighbours.
  ///
  /// Case and the separators space, "-", "." and "/" make no difference. Returns nil for a code that is empty, has more
  /// than 10 letters and digits, or has other bytes.
  @inlinable
  package static func packed(_ bytes: some Collection<UInt8>) -> UInt64? {
    var packed: UInt64 = 0
    var count = 0
    for byte in bytes {
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0") + 1
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit = byte - UInt8(ascii: "A") + 11
      case UInt8(ascii: "a")...UInt8(ascii: "z"): digit = byte - UInt8(ascii: "a") + 11
      case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "/"): continue
      default: return nil
      }
      count += 1
      guard count <= characters else { return nil }
      packed = packed * 37 + UInt64(digit)
    }
    guard count > 0 else { return nil }
    for _ in count..<characters { packed *= 37 }
    return packed
  }
}
