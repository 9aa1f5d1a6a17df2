import Domain

/// An inspection of every record of a gazetteer file, for operators, and for workers before they load a new file.
/// Opening a file checks only the bounds of its sections.
package struct IndexInspection {
  let sections: IndexSections
  let places: UInt32
  private let file: MappedFile
  private let path: String

  /// Opens the file.
  ///
  /// - Throws: `PlaceIndexError`.
  package init(path: String) throws(PlaceIndexError) {
    file = try MappedFile(path: path)
    sections = try IndexSections(file.bytes, path: path)
    places = UInt32(sections.placeCount)
    self.path = path
  }

  /// Inspects the whole file.
  ///
  /// - Throws: `PlaceIndexError.damaged` with the first fault: a wrong checksum, an invalid reference, a wrong order,
  ///   or a name that cannot be found.
  package func run() throws(PlaceIndexError) {
    defer { withExtendedLifetime(file) {} }
    guard Checksum.of(file.bytes) == sections.checksum else { throw fault("its bytes do not fit its checksum") }
    try inspectPlaces()
    try inspectCountries()
    try inspectNames()
    try inspectPostings()
    try inspectFuzzyNames()
    try inspectPostcodes()
    try inspectPostcodeKeys()
    try inspectGrid()
    try inspectBoxes()
    try inspectLocalNames()
    guard String(validating: attribution, as: UTF8.self) != nil else { throw fault("attribution") }
  }

  private var attribution: UnsafeRawBufferPointer {
    sections.attributionBytes.slice(0, sections.attributionBytes.count)
  }

  func fault(_ part: String) -> PlaceIndexError { .damaged(path: path, part: part) }

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
      guard PlaceRecord.rank(level: level, population: place.population) == place.rank else {
        throw fault("place \(number): its rank")
      }
      guard isArea(place.region, .region, of: place) else { throw fault("place \(number): its region") }
      guard isArea(place.county, .county, of: place) else { throw fault("place \(number): its county") }
      guard isText(sections.name(of: place)) else { throw fault("place \(number): its name") }
    }
  }

  /// Returns true if a reference is `none`, or leads to an area of the level in the place's country.
  private func isArea(_ number: UInt32, _ level: Place.Level, of place: PlaceRecord) -> Bool {
    guard number != PlaceRecord.none else { return true }
    guard let area = sections.place(number) else { return false }
    return area.level == level.rawValue && area.country == place.country
  }

  private func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
    !bytes.isEmpty && String(validating: bytes, as: UTF8.self) != nil
  }

  private func inspectCountries() throws(PlaceIndexError) {
    var codes: Set<UInt16> = []
    for number in 0..<UInt32(sections.countryCount) {
      guard let country = sections.country(UInt16(clamping: number)), let place = sections.place(number),
        place.level == Place.Level.country.rawValue, UInt32(place.country) == number,
        CountryRecord.code([UInt8(country.code & 0xFF), UInt8(country.code >> 8)]) == country.code,
        Int(country.sovereign) < sections.countryCount, codes.insert(country.code).inserted
      else { throw fault("country \(number)") }
    }
    guard sections.place(UInt32(sections.countryCount))?.level != Place.Level.country.rawValue else {
      throw fault("country \(sections.countryCount)")
    }
  }

  private func inspectPostcodeKeys() throws(PlaceIndexError) {
    let size = PostcodeRecord.blockSize
    guard sections.postcodeKeys.count == (sections.postcodeCount + size - 1) / size else {
      throw fault("the keys of postcodes")
    }
    for block in 0..<UInt32(sections.postcodeKeys.count) {
      guard sections.postcodeKeys[block] == sections.postcode(block * UInt32(size))?.key else {
        throw fault("the key of postcodes \(block)")
      }
    }
  }

  private func inspectPostcodes() throws(PlaceIndexError) {
    var last: UInt64?
    for number in 0..<UInt32(sections.postcodeCount) {
      guard let record = sections.postcode(number), last.map({ $0 < record.key }) ?? true else {
        throw fault("postcode \(number): its order")
      }
      last = record.key
      guard let packed = PostcodeRecord.packed(record.code.utf8),
        record.key == PostcodeRecord.firstKey(packed) + UInt64(record.country)
      else { throw fault("postcode \(number): its code") }
      guard Int(record.country) < sections.countryCount,
        Coordinate(latitudeE7: record.latitudeE7, longitudeE7: record.longitudeE7) != nil
      else { throw fault("postcode \(number): its country or point") }
      if record.place == PlaceRecord.none { continue }
      guard let place = sections.place(record.place), place.isCity,
        place.country == record.country
      else { throw fault("postcode \(number): its place") }
    }
  }

  /// Checks that each city is in the grid once, in its own cell.
  private func inspectGrid() throws(PlaceIndexError) {
    var last: (cell: UInt32, place: UInt32)?
    for number in 0..<UInt32(sections.gridPlaces.count) {
      guard let record = sections.gridPlaces[number], let place = sections.place(record.place),
        place.isCity, record.cell == PlaceGrid.cell(of: place),
        last.map({ $0 < (record.cell, record.place) }) ?? true
      else { throw fault("place \(number) of the grid") }
      last = (record.cell, record.place)
    }
    let cities = (0..<places).lazy.filter { sections.place($0)?.level == Place.Level.city.rawValue }.count
    guard sections.gridPlaces.count == cities else { throw fault("the grid: places are missing") }
  }

  /// Checks that each area's box contains the area's cities, and that a city lies on each of its four sides. Uses
  /// little memory, because workers inspect files too.
  private func inspectBoxes() throws(PlaceIndexError) {
    let areas = sections.boxes.count
    guard areas == (0..<places).lazy.filter({ sections.place($0)?.level != Place.Level.city.rawValue }).count else {
      throw fault("boxes: one for each area")
    }
    // One bit for each side.
    var touched = [UInt8](repeating: 0, count: areas)
    for number in UInt32(areas)..<places {
      guard let place = sections.place(number) else { continue }
      for area in [UInt32(place.country), place.region, place.county] where area < areas {
        guard let box = sections.boxes[area], let sides = box.sides(at: place) else {
          throw fault("box \(area): place \(number) is not within it")
        }
        touched[Int(area)] |= sides
      }
    }
    for (area, sides) in touched.enumerated() {
      let isNone = sections.boxes[UInt32(area)] == BoxRecord.none
      guard sides == 0b1111 || sides == 0 && isNone else { throw fault("box \(area): its sides") }
    }
  }

  private func inspectLocalNames() throws(PlaceIndexError) {
    var last: UInt32?
    for number in 0..<UInt32(sections.localNames.count) {
      guard let record = sections.localNames[number], last.map({ $0 < record.key }) ?? true,
        Int(record.country) < sections.countryCount,
        LocalNameRecord.language([UInt8(record.language & 0xFF), UInt8(record.language >> 8)]) == record.language
      else { throw fault("name \(number) of a country: its order, language or country") }
      last = record.key
      let name = sections.strings.slice(Int(record.nameOffset), Int(record.nameOffset) + Int(record.nameLength))
      guard isText(name) else { throw fault("name \(number) of a country: its bytes") }
    }
  }
}
