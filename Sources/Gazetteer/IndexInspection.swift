import OnTheMap

/// A look at every record of a place index, for an operator who wants to know whether a file is whole: opening checks
/// no more than the sections' places.
package struct IndexInspection {
  private let file: MappedFile
  private let sections: IndexSections
  private let path: String
  private let places: UInt32

  /// Opens the file. Throws `PlaceIndexError`.
  package init(path: String) throws(PlaceIndexError) {
    file = try MappedFile(path: path)
    sections = try IndexSections(file.bytes, path: path)
    places = UInt32(sections.placeCount)
    self.path = path
  }

  /// Throws `PlaceIndexError.damaged` with the first fault: a sum that does not fit the bytes, a reference to nowhere,
  /// an order that is broken, a name that cannot be found.
  package func run() throws(PlaceIndexError) {
    defer { withExtendedLifetime(file) {} }
    guard Checksum.of(file.bytes) == sections.checksum else { throw fault("its bytes do not fit its checksum") }
    try inspectPlaces()
    try inspectCountries()
    try inspectNames()
    try inspectPostcodes()
    try inspectSearches()
    try inspectAreas()
  }

  private func fault(_ part: String) -> PlaceIndexError { .damaged(path: path, part: part) }

  private func inspectPlaces() throws(PlaceIndexError) {
    var lastLevel = Place.Level.country
    for number in 0..<places {
      guard let place = sections.place(number), let level = Place.Level(rawValue: place.level), level <= .city,
        level >= lastLevel
      else { throw fault("place \(number): its level") }
      lastLevel = level
      guard Coordinate(latitudeE7: place.latitudeE7, longitudeE7: place.longitudeE7) != nil else {
        throw fault("place \(number): its point")
      }
      guard Int(place.country) < sections.countryCount else { throw fault("place \(number): its country") }
      guard isArea(place.region, .region, of: place) else { throw fault("place \(number): its region") }
      guard isArea(place.county, .county, of: place) else { throw fault("place \(number): its county") }
      guard isText(sections.name(of: place)) else { throw fault("place \(number): its name") }
    }
  }

  /// Whether a reference is none, or leads to an area of the level in the place's country.
  private func isArea(_ number: UInt32, _ level: Place.Level, of place: PlaceRecord) -> Bool {
    guard number != PlaceRecord.none else { return true }
    guard let area = sections.place(number) else { return false }
    return area.level == level.rawValue && area.country == place.country
  }

  private func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
    !bytes.isEmpty && String(validating: bytes, as: UTF8.self) != nil
  }

  private func inspectCountries() throws(PlaceIndexError) {
    for number in 0..<UInt32(sections.countryCount) {
      guard let country = sections.country(UInt16(clamping: number)),
        sections.place(number)?.level == Place.Level.country.rawValue,
        CountryRecord.code([UInt8(country.code & 0xFF), UInt8(country.code >> 8)]) == country.code,
        Int(country.sovereign) < sections.countryCount
      else { throw fault("country \(number)") }
    }
  }

  private func inspectNames() throws(PlaceIndexError) {
    var last = UnsafeRawBufferPointer(start: nil, count: 0)
    for number in 0..<UInt32(sections.nameCount) {
      guard let record = sections.names[number], let next = sections.names[number + 1], record.bytes < next.bytes
      else { throw fault("name \(number): its bytes") }
      let name = sections.nameBytes.slice(Int(record.bytes), Int(next.bytes))
      guard !name.isEmpty, number == 0 || last.lexicographicallyPrecedes(name) else {
        throw fault("name \(number): its order")
      }
      last = name
      var hash = NameHash()
      hash.add(name)
      guard sections.postings(of: name, hash: hash.value) == record.postings..<max(record.postings, next.postings)
      else { throw fault("name \(number): it is not found") }
    }
    for number in 0..<UInt32(sections.postings.count) {
      guard let posting = sections.posting(number), posting.place < places else { throw fault("posting \(number)") }
    }
  }

  private func inspectPostcodes() throws(PlaceIndexError) {
    var last: UInt64?
    for number in 0..<UInt32(sections.postcodeCount) {
      guard let record = sections.postcode(number), last.map({ $0 < record.key }) ?? true else {
        throw fault("postcode \(number): its order")
      }
      last = record.key
      guard Int(record.country) < sections.countryCount,
        Coordinate(latitudeE7: record.latitudeE7, longitudeE7: record.longitudeE7) != nil
      else { throw fault("postcode \(number): its country or point") }
      if record.place == PlaceRecord.none { continue }
      guard let place = sections.place(record.place), place.level == Place.Level.city.rawValue,
        place.country == record.country
      else { throw fault("postcode \(number): its place") }
    }
  }

  /// Boxes, and names of countries by language.
  private func inspectSearches() throws(PlaceIndexError) {
    for number in 0..<UInt32(sections.fuzzyNames.count) {
      guard let name = sections.fuzzyName(number), name < sections.nameCount else {
        throw fault("fuzzy name \(number)")
      }
    }
    var last: UInt32 = 0
    for number in 0..<UInt32(sections.gridPlaces.count) {
      guard let record = sections.gridPlaces[number], record.cell >= last, record.place < sections.placeCount else {
        throw fault("place \(number) of the grid")
      }
      last = record.cell
    }
  }

  private func inspectAreas() throws(PlaceIndexError) {
    guard sections.boxes.count <= Int(places) else { throw fault("boxes") }
    for number in 0..<UInt32(sections.boxes.count) {
      guard let level = sections.place(number)?.level, level < Place.Level.city.rawValue,
        sections.boxes[number] == BoxRecord.none || sections.box(number) != nil
      else { throw fault("box \(number)") }
    }
    var last: UInt32?
    for number in 0..<UInt32(sections.localNames.count) {
      guard let record = sections.localNames[number], last.map({ $0 < record.key }) ?? true,
        Int(record.country) < sections.countryCount
      else { throw fault("name \(number) of a country: its order or country") }
      last = record.key
      let name = sections.strings.slice(Int(record.nameOffset), Int(record.nameOffset) + Int(record.nameLength))
      guard isText(name) else { throw fault("name \(number) of a country: its bytes") }
    }
  }
}
