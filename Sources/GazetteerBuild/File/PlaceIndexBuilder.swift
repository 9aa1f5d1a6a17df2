import Domain
import Gazetteer

/// A compiler of the gazetteer's source (Data/TSV.md) into the file that `PlaceIndex` opens. Keeps all rows in memory
/// until it writes the file. The same lines and time produce the same bytes.
package struct PlaceIndexBuilder {
  private var places: [PlaceRecord] = []
  private var countries: [CountryRecord] = []
  private var strings: [UInt8] = []
  /// Offsets of displayed names in `strings`. Many cities share a name.
  private var nameOffsets: [[UInt8]: UInt32] = [:]
  private var names = NameTable()
  private var postcodes = PostcodeTable()
  private var localNames = LocalNames()
  private var attribution: [UInt8] = []
  private var lines = 0
  private var lastLevel = Place.Level.country
  /// Indexes of countries by code, and of regions by keys such as "USWA".
  private var countryNumbers: [UInt16: UInt16] = [:]
  private var regionNumbers: [[UInt8]: UInt32] = [:]
  /// Indexes of counties by keys such as "USWA/1a".
  private var countyNumbers: [[UInt8]: UInt32] = [:]
  /// The sovereign states' codes, by the territory's index, until all countries are known.
  private var sovereigns: [(territory: Int, state: UInt16)] = []

  /// Creates an empty builder.
  package init() {}

  /// Number of places added.
  package var placeCount: Int { places.count }
  /// Number of skipped postcode lines. Their code is empty, has more than 10 letters and digits, or has other
  /// characters than letters, digits and separators.
  package var skippedPostcodeCount: Int { postcodes.skippedCount }

  /// Reads lines until the end of a file or pipe. The caller closes the descriptor.
  ///
  /// - Parameter progress: Called with the number of bytes read, after each chunk of at most a megabyte.
  /// - Throws: `GazetteerBuildError.source`, `.tooLarge` or `.unreadable`.
  package mutating func read(
    fileDescriptor: Int32, progress: @escaping (Int) -> Void = { _ in }
  ) throws(GazetteerBuildError) {
    var reader = LineReader(fileDescriptor, name: "descriptor \(fileDescriptor)")
    reader.progress = progress
    try reader.forEach { line, _ throws(GazetteerBuildError) in try add(line) }
  }

  /// Writes the index under a temporary name, flushes it and renames it to the path. Processes that have the old file
  /// open keep it.
  ///
  /// - Parameter builtAt: The build time, in seconds since 1970, which the file stores.
  /// - Throws: `GazetteerBuildError.unwritable`, or `.source` if there are no places.
  package consuming func write(to path: String, builtAt: Int64) throws(GazetteerBuildError) {
    guard !places.isEmpty else { throw .source(line: lines, reason: "there are no places") }
    for (territory, state) in sovereigns {
      countries[territory].sovereign = countryNumbers[state] ?? UInt16(territory)
    }
    let compiled = names.compiled(places)
    let postcodeRecords = postcodes.compiled(places)
    let local = localNames.compiled(&strings)
    var file = IndexFile(builtAt: builtAt)
    file.add(.places, places)
    file.add(.countries, countries)
    file.add(.names, compiled.words)
    file.add(.nameOrder, compiled.order)
    file.add(.slots, compiled.slots)
    file.add(.beginnings, compiled.beginnings)
    file.add(.strings, strings)
    let fuzzy = FuzzyTable.compiled(compiled, places)
    file.add(.fuzzyBuckets, fuzzy.buckets)
    file.add(.fuzzyNames, fuzzy.names)
    file.add(.gridPlaces, PlaceGrid.compiled(places))
    file.add(.blockRanks, NameBlockRanks.compiled(compiled, places))
    file.add(.attribution, attribution)
    file.add(.postcodes, postcodeRecords)
    file.add(.postcodeKeys, PostcodeTable.keys(postcodeRecords))
    file.add(.boxes, BoxRecord.all(places))
    file.add(.localNames, local)
    try file.write(to: path)
  }

  /// Adds one line of the source, in the order that Data/TSV.md requires.
  ///
  /// - Throws: `GazetteerBuildError.source` or `.tooLarge`.
  mutating func add(_ line: UnsafeBufferPointer<UInt8>) throws(GazetteerBuildError) {
    lines += 1
    if lines == 1 {
      let head = Array("gazetteer\t1\t".utf8)
      guard line.starts(with: head) else { throw .source(line: 1, reason: "not a gazetteer source of version 1") }
      attribution = Array(line.dropFirst(head.count))
      return
    }
    if line.first == UInt8(ascii: "Z") { return try addPostcode(line) }
    if line.first == UInt8(ascii: "L") { return try addLocalName(line) }
    let row = try SourceRow(line, number: lines)
    guard row.level >= lastLevel else {
      throw .source(line: lines, reason: "countries come first, then regions, counties, cities and postcodes")
    }
    lastLevel = row.level
    guard places.count < GazetteerBuildLimits.places else {
      throw .tooLarge(items: "places", limit: GazetteerBuildLimits.places)
    }
    guard strings.count + names.byteCount < GazetteerBuildLimits.tableBytes else {
      throw .tooLarge(items: "names", limit: GazetteerBuildLimits.tableBytes)
    }
    guard let code = CountryRecord.code(row.country) else {
      throw .source(line: lines, reason: "the country's code is not two letters")
    }
    if row.level == .country { try addCountry(code, row) }
    guard let country = countryNumbers[code] else {
      throw .source(line: lines, reason: "no earlier line has the country")
    }
    addPlace(row, country)
  }

  private mutating func addPlace(_ row: SourceRow, _ country: UInt16) {
    let number = UInt32(places.count)
    let regionKey = Array(row.country) + row.region
    let countyKey = regionKey + [UInt8(ascii: "/")] + row.county
    if row.level == .region { regionNumbers[regionKey] = number }
    if row.level == .county, !row.county.isEmpty { countyNumbers[countyKey] = number }
    let region = row.level == .country ? nil : regionNumbers[regionKey]
    let county = row.county.isEmpty ? nil : countyNumbers[countyKey]
    let record = PlaceRecord(
      latitudeE7: row.coordinate.latitudeE7, longitudeE7: row.coordinate.longitudeE7, population: row.population,
      nameOffset: offset(of: row.name), region: region ?? PlaceRecord.none, country: country,
      nameLength: UInt16(row.name.count), rank: PlaceRecord.rank(level: row.level, population: row.population),
      level: row.level.rawValue, isPart: row.isPart ? 1 : 0,
      county: row.level == .county ? number : county ?? PlaceRecord.none)
    places.append(record)
    names.add(row, number: number, rank: Int(record.rank))
  }

  /// Returns the offset of a displayed name in `strings`, and appends the name if it is new.
  private mutating func offset(of name: SourceRow.Field) -> UInt32 {
    let name = Array(name)
    if let offset = nameOffsets[name] { return offset }
    let offset = UInt32(strings.count)
    nameOffsets[name] = offset
    strings += name
    return offset
  }

  private mutating func addLocalName(_ line: UnsafeBufferPointer<UInt8>) throws(GazetteerBuildError) {
    let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
    guard fields.count == 4, !fields[3].isEmpty else {
      throw .source(line: lines, reason: "a country's name in a language has 4 fields")
    }
    guard let code = CountryRecord.code(fields[1]), let country = countryNumbers[code] else {
      throw .source(line: lines, reason: "no earlier line has the country")
    }
    guard let language = LocalNameRecord.language(fields[2]) else {
      throw .source(line: lines, reason: "the language is not two letters")
    }
    localNames.add(fields[3], language: language, country: country)
  }

  private mutating func addPostcode(_ line: UnsafeBufferPointer<UInt8>) throws(GazetteerBuildError) {
    lastLevel = .postcode
    let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
    guard fields.count == 5 else {
      throw .source(line: lines, reason: "expected 5 fields of a postcode, found \(fields.count)")
    }
    guard let code = CountryRecord.code(fields[1]), let country = countryNumbers[code] else {
      throw .source(line: lines, reason: "no earlier line has the country")
    }
    guard let point = SourceRow.coordinate(fields[3], fields[4]) else {
      throw .source(line: lines, reason: "the point is not in degrees")
    }
    guard postcodes.count < GazetteerBuildLimits.postcodes else {
      throw .tooLarge(items: "postcodes", limit: GazetteerBuildLimits.postcodes)
    }
    postcodes.add(code: fields[2], country: fields[1], number: country, point)
  }

  private mutating func addCountry(_ code: UInt16, _ row: SourceRow) throws(GazetteerBuildError) {
    guard countryNumbers[code] == nil, countries.count < Int(UInt16.max) else {
      throw .source(line: lines, reason: "the country occurs twice")
    }
    let number = UInt16(countries.count)
    countryNumbers[code] = number
    countries.append(CountryRecord(code: code, sovereign: number))
    if let state = CountryRecord.code(row.region) { sovereigns.append((Int(number), state)) }
  }
}
