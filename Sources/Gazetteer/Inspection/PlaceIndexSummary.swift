package import Domain

/// Version, build time, counts, checksum and attribution of a gazetteer file.
package struct PlaceIndexSummary: Sendable, Equatable {
  /// Version of the layout.
  package let version: UInt32
  /// Build time, in seconds since 1970, UTC.
  package let builtAt: Int64
  /// Size of the file, in bytes.
  package let byteCount: Int
  /// Number of places by level: country, region, county and city.
  package let placeCounts: [Place.Level: Int]
  /// Number of distinct folded names.
  package let nameCount: Int
  /// Number of postcodes. A code of two countries counts twice.
  package let postcodeCount: Int
  /// Number of languages in which countries have names.
  package let languageCount: Int
  /// Checksum of the whole file in hexadecimal. The same source and build time produce the same checksum.
  package let checksum: String
  /// Attribution that the data's licences require with results.
  package let attribution: String

  /// Reads the file's places.
  ///
  /// - Throws: `PlaceIndexError` if the file cannot be opened.
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
