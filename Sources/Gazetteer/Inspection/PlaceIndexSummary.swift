package import Domain

/// What is in a place index.
package struct PlaceIndexSummary: Sendable, Equatable {
  /// Of the layout.
  package let version: UInt32
  /// Seconds since 1970 (UTC).
  package let builtAt: Int64
  /// Of the file.
  package let byteCount: Int
  /// Countries, regions, counties and populated places.
  package let placeCounts: [Place.Level: Int]
  /// Distinct folded names.
  package let nameCount: Int
  /// Postcodes of countries: a code that two countries have counts twice.
  package let postcodeCount: Int
  /// Languages in which countries have names.
  package let languageCount: Int
  /// Of the whole file, in hexadecimal digits; the same source and time give the same.
  package let checksum: String
  /// What the licences of the data ask to be shown beside answers.
  package let attribution: String

  /// Reads the file's places. Throws `PlaceIndexError` when the file cannot be opened.
  package init(path: String) throws(PlaceIndexError) {
    let file = try MappedFile(path: path)
    let sections = try IndexSections(file.bytes, path: path)
    version = IndexLayout.version
    builtAt = sections.builtAt
    byteCount = file.bytes.count
    var counts: [Place.Level: Int] = [.country: 0, .region: 0, .county: 0, .city: 0]
    for number in 0..<UInt32(sections.placeCount) {
      if let level = sections.place(number).flatMap({ Place.Level(rawValue: $0.level) }) {
        counts[level, default: 0] += 1
      }
    }
    placeCounts = counts
    nameCount = sections.nameCount
    postcodeCount = sections.postcodeCount
    var languages: Set<UInt16> = []
    for number in 0..<UInt32(sections.localNames.count) {
      if let record = sections.localNames[number] { languages.insert(record.language) }
    }
    languageCount = languages.count
    checksum = hexadecimal(sections.checksum, digits: 16)
    attribution = sections.attribution
    withExtendedLifetime(file) {}
  }
}
