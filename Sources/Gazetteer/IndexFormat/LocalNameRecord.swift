/// What a country is called in one language, in the file: 12 bytes, little-endian, in this order. Records are sorted by
/// language, then by country.
package struct LocalNameRecord: BitwiseCopyable, Sendable {
  /// ISO 639-1, lower case, the first letter in the low byte.
  package var language: UInt16
  /// The country's number.
  package var country: UInt16
  /// Where the name begins in the strings.
  package var nameOffset: UInt32
  /// Bytes of the name.
  package var nameLength: UInt32

  package init(language: UInt16, country: UInt16, nameOffset: UInt32, nameLength: UInt32) {
    (self.language, self.country) = (language, country)
    (self.nameOffset, self.nameLength) = (nameOffset, nameLength)
  }

  /// What records are sorted by.
  var key: UInt32 { Self.key(language: language, country: country) }

  /// The sort key of a language and a country's number.
  package static func key(language: UInt16, country: UInt16) -> UInt32 { UInt32(language) << 16 | UInt32(country) }

  /// Nil unless the text is two ASCII letters; their case makes no difference.
  @inlinable
  package static func language(_ text: some Collection<UInt8>) -> UInt16? {
    CountryRecord.code(text).map { $0 | 0x2020 }
  }
}
