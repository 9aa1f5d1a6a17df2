/// One postcode of one country in the file: 20 bytes, little-endian, in this order. Records are sorted by their key, so
/// that the countries that have a code are neighbours.
package struct PostcodeRecord: BitwiseCopyable, Sendable {
  /// Characters of the longest code. GeoNames has none longer; 37^10 takes 53 bits, and a country's number takes 10.
  @usableFromInline static let characters = 10
  /// Records in a block: `postcodeKeys` has the key of the first one of each.
  package static let blockSize = 64
  private static let countryBits: UInt64 = 10

  /// The key in two halves: one number of 64 bits would make the record 24 bytes.
  private var keyLow: UInt32
  private var keyHigh: UInt32
  /// 1e-7 degrees.
  package var latitudeE7: Int32
  /// 1e-7 degrees.
  package var longitudeE7: Int32
  /// The populated place that the code belongs to, `PlaceRecord.none` where none is near.
  package var place: UInt32

  /// - Parameter country: the country's number. There are 676 codes of two letters, so it always fits.
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

  /// The packed code above, the country's number below.
  package var key: UInt64 { UInt64(keyHigh) << 32 | UInt64(keyLow) }
  /// The country's number.
  package var country: UInt16 { UInt16(key & (1 << Self.countryBits - 1)) }

  /// The code, without separators.
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

  /// The smallest key of a packed code.
  static func firstKey(_ packed: UInt64) -> UInt64 { packed << countryBits }

  /// A code as a number: letters and digits as digits of base 37, the first one the most significant, filled up with
  /// zeros, so that codes sort as text does and those of one beginning are neighbours. Case and the separators space,
  /// "-", "." and "/" make no difference. Nil for a code that is empty, longer than 10 letters and digits, or has other
  /// bytes.
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
