/// A country's name in one language, in the file: 12 bytes, little-endian, in this order. Records are sorted by
/// language, then by country.
package struct LocalNameRecord: BitwiseCopyable, Sendable {
  /// ISO 639-1 code in lower case, with the first letter in the low byte.
  package var language: UInt16
  /// The country's number.
  package var country: UInt16
  /// Offset of the name in the strings section, in bytes.
  package var nameOffset: UInt32
  /// Length of the name, in bytes.
  package var nameLength: UInt32

  package init(language: UInt16, country: UInt16, nameOffset: UInt32, nameLength: UInt32) {
    (self.language, self.country) = (language, country)
    (self.nameOffset, self.nameLength) = (nameOffset, nameLength)
  }

  /// The record's sort key.
  var key: UInt32 { Self.key(language: language, country: country) }

  /// Returns the sort key of a language and a country's number.
  package static func key(language: UInt16, country: UInt16) -> UInt32 { UInt32(language) << 16 | UInt32(country) }

  /// Converts two ASCII letters of any case. Returns nil for any other text.
  @inlinable
  package static func language(_ text: some Collection<UInt8>) -> UInt16? {
    CountryRecord.code(text).map { $0 | 0x2020 }
  }
}
