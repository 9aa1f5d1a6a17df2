import Domain

/// What a country is called in one language, in the file: 12 bytes, little-endian, in this order. Records are sorted by
/// language, then by country.
struct LocalNameRecord {
  /// ISO 639-1, lower case, the first letter in the low byte.
  var language: UInt16
  /// The country's number.
  var country: UInt16
  /// Where the name begins in the strings.
  var nameOffset: UInt32
  /// Bytes of the name.
  var nameLength: UInt32

  /// What records are sorted by.
  var key: UInt32 { Self.key(language: language, country: country) }

  static func key(language: UInt16, country: UInt16) -> UInt32 { UInt32(language) << 16 | UInt32(country) }

  /// Nil unless the text is two ASCII letters; their case makes no difference.
  static func language(_ text: some Collection<UInt8>) -> UInt16? {
    CountryRecord.code(text).map { $0 | 0x2020 }
  }
}

/// All names of countries by language while an index is built.
struct LocalNames {
  private var names: [UInt32: [UInt8]] = [:]

  /// Of two names in one language the first one counts.
  mutating func add(_ name: SourceRow.Field, language: UInt16, country: UInt16) {
    let key = LocalNameRecord.key(language: language, country: country)
    if names[key] == nil { names[key] = Array(name) }
  }

  /// The sorted records. Their names are appended to the strings, equal ones once.
  func compiled(_ strings: inout [UInt8]) -> [LocalNameRecord] {
    var offsets: [[UInt8]: UInt32] = [:]
    return names.sorted { $0.key < $1.key }.map { key, name in
      let offset = offsets[name] ?? UInt32(strings.count)
      if offsets.updateValue(offset, forKey: name) == nil { strings += name }
      return LocalNameRecord(
        language: UInt16(key >> 16), country: UInt16(truncatingIfNeeded: key), nameOffset: offset,
        nameLength: UInt32(name.count))
    }
  }
}
