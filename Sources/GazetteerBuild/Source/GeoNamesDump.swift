import Domain
import Gazetteer
import Glibc

/// A folder with files of a GeoNames dump (download.geonames.org/export/dump), which it converts into the source of
/// `PlaceIndexBuilder`. Places, countries and first-level regions are required. Second-level regions, names by language
/// and postcodes are optional.
package struct GeoNamesDump {
  private typealias Bytes = [UInt8]

  /// Names of the file of places. The first file that exists counts. `allCountries.txt` has all features of the earth.
  package static let placeFiles = [
    "allCountries.txt", "cities500.txt", "cities1000.txt", "cities5000.txt", "cities15000.txt",
  ]
  /// Attribution that the licence requires with results.
  package static let attribution = "Place and postal data © GeoNames (geonames.org), CC BY 4.0, modified."

  private static let tab = UInt8(ascii: "\t")
  private static let dot = UInt8(ascii: ".")
  /// Territories by sovereign state, which comes first in each line.
  private static let territories = """
    AU CC CX HM NF
    CN HK MO
    DK FO GL
    FI AX
    FR BL GF GP MF MQ NC PF PM RE TF WF YT
    GB AI BM FK GG GI GS IM IO JE KY MS PN SH TC VG
    NL AW BQ CW SX
    NO BV SJ
    NZ CK NU TK
    US AS GU MP PR UM VI
    """
  /// Values of the language's field for entries that are not names.
  private static let codesInsteadOfNames = Set(
    ["link", "post", "iata", "icao", "faac", "wkdt", "unlc", "tcid", "phon", "piny"].map { Bytes($0.utf8) })

  private let places: String
  private let countryInfo: String
  private let regions: String
  private let counties: String?
  private let alternateNames: String?
  private let postcodes: String?

  /// Number of bytes that `read` will read. The file of places counts twice, because `read` needs two passes.
  package let byteCount: Int

  private var areas: [GeoNamesArea] = []
  /// Indexes of areas by code: "US", "US.WA", "US.WA.033".
  private var byCode: [Bytes: Int] = [:]
  /// Indexes of areas by GeoNames' number.
  private var byIdentifier: [UInt32: Int] = [:]

  /// Finds the files.
  ///
  /// - Parameter postcodes: The file of postcodes. Nil selects `postal/allCountries.txt` or `zip/allCountries.txt` in
  ///   the folder.
  /// - Throws: `GazetteerBuildError.dump` if a required file is missing.
  package init(directory: String, postcodes: String? = nil) throws(GazetteerBuildError) {
    func firstFile(_ names: [String]) -> String? {
      names.lazy.map { "\(directory)/\($0)" }.first { access($0, R_OK) == 0 }
    }
    func requiredFile(_ names: [String]) throws(GazetteerBuildError) -> String {
      if let path = firstFile(names) { return path }
      throw .dump(path: "\(directory)/\(names[0])", line: 0, reason: "it cannot be read")
    }
    places = try requiredFile(Self.placeFiles)
    countryInfo = try requiredFile(["countryInfo.txt"])
    regions = try requiredFile(["admin1CodesASCII.txt"])
    counties = firstFile(["admin2Codes.txt"])
    alternateNames = firstFile(["alternateNamesV2.txt"])
    if let postcodes, access(postcodes, R_OK) != 0 {
      throw .dump(path: postcodes, line: 0, reason: "it cannot be read")
    }
    self.postcodes = postcodes ?? firstFile(["postal/allCountries.txt", "zip/allCountries.txt"])
    byteCount = [places, places, countryInfo, regions, counties, alternateNames, self.postcodes].reduce(0) {
      var status = stat()
      return $0 + ($1.map { stat($0, &status) == 0 ? Int(status.st_size) : 0 } ?? 0)
    }
  }

  /// Reads all files into an empty builder. Keeps countries, regions and counties in memory, but no places.
  ///
  /// - Parameter progress: Called with the number of bytes read, after each chunk of at most a megabyte.
  /// - Throws: `GazetteerBuildError.dump` if a file breaks its format, and the builder's errors.
  package consuming func read(
    into builder: inout PlaceIndexBuilder, progress: @escaping (Int) -> Void = { _ in }
  ) throws(GazetteerBuildError) {
    try readCountries(progress)
    try readRegions(regions, kind: UInt8(ascii: "R"), progress)
    if let counties { try readRegions(counties, kind: UInt8(ascii: "D"), progress) }
    try readFeatures(progress)
    if let alternateNames { try readNames(alternateNames, progress) }
    try Self.add(Bytes("gazetteer\t1\t\(Self.attribution)".utf8), to: &builder)
    let known = try addAreas(to: &builder)
    try addPlaces(to: &builder, known, progress)
    if let postcodes { try addPostcodes(postcodes, to: &builder, known, progress) }
  }

  private static func add(_ line: Bytes, to builder: inout PlaceIndexBuilder) throws(GazetteerBuildError) {
    var failure: GazetteerBuildError?
    line.withUnsafeBufferPointer { line in
      do throws(GazetteerBuildError) { try builder.add(line) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Reads a file's lines. Errors in a line are rethrown with the file's name.
  private static func forEachLine(
    of path: String, _ progress: @escaping (Int) -> Void,
    _ body: (UnsafeBufferPointer<UInt8>, Int) throws(GazetteerBuildError) -> Void
  ) throws(GazetteerBuildError) {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      throw .dump(path: path, line: 0, reason: "it cannot be read (\(String(cString: strerror(errno))))")
    }
    defer { close(file) }
    var reader = LineReader(file, name: path)
    reader.progress = progress
    do throws(GazetteerBuildError) { try reader.forEach(body) } catch {
      switch error {
      case .source(let line, let reason): throw .dump(path: path, line: line, reason: reason)
      case .unreadable(_, let code):
        throw .dump(path: path, line: 0, reason: "it cannot be read (\(String(cString: strerror(code))))")
      default: throw error
      }
    }
  }

  private mutating func readCountries(_ progress: @escaping (Int) -> Void) throws(GazetteerBuildError) {
    var sovereigns: [Bytes: Bytes] = [:]
    for line in Self.territories.split(separator: "\n") {
      let codes = line.split(separator: " ").map { Bytes($0.utf8) }
      for code in codes.dropFirst() { sovereigns[code] = codes[0] }
    }
    try Self.forEachLine(of: countryInfo, progress) { line, number throws(GazetteerBuildError) in
      if line.isEmpty || line.first == UInt8(ascii: "#") { return }
      let fields = line.split(separator: Self.tab, omittingEmptySubsequences: false)
      guard fields.count >= 17, CountryRecord.code(fields[0]) != nil, !fields[4].isEmpty,
        let population = GeoNamesFeature.number(fields[7]), let identifier = GeoNamesFeature.number(fields[16])
      else {
        throw .source(line: number, reason: "expected a country: code, …, name, …, population, …, geonameid")
      }
      let code = Bytes(fields[0])
      var area = GeoNamesArea(
        kind: UInt8(ascii: "C"), country: code, region: sovereigns[code] ?? [], name: Bytes(fields[4]))
      area.codes = [code] + (fields[1].isEmpty ? [] : [Bytes(fields[1])])
      area.add(population: population)
      add(area, code: code, identifier)
    }
  }

  /// Reads regions ("US.WA") or counties ("US.WA.033"). Fields: code, name, ASCII name, geonameid.
  private mutating func readRegions(
    _ path: String, kind: UInt8, _ progress: @escaping (Int) -> Void
  ) throws(GazetteerBuildError) {
    let parts = kind == UInt8(ascii: "R") ? 2 : 3
    try Self.forEachLine(of: path, progress) { line, number throws(GazetteerBuildError) in
      if line.isEmpty { return }
      let fields = line.split(separator: Self.tab, omittingEmptySubsequences: false)
      let code = fields[0].split(separator: Self.dot, maxSplits: parts - 1, omittingEmptySubsequences: false)
      guard fields.count == 4, code.count == parts,
        let identifier = GeoNamesFeature.number(fields[3])
      else {
        throw .source(line: number, reason: "expected a code of \(parts) parts, name, ASCII name and geonameid")
      }
      // Skip an area without a name, a county without a region, and an area of an unlisted country.
      guard !fields[1].isEmpty, !code[1].isEmpty, byCode[Bytes(code[0])] != nil else { return }
      var area = GeoNamesArea(
        kind: kind, country: Bytes(code[0]), region: Bytes(code[1...].joined(separator: [UInt8(ascii: "/")])),
        name: Bytes(fields[1]))
      if parts == 2, GeoNamesFeature.isCode(code[1]) { area.codes = [Bytes(code[1])] }
      add(area, code: Bytes(fields[0]), identifier)
    }
  }

  private mutating func add(_ area: GeoNamesArea, code: Bytes, _ identifier: UInt32) {
    guard byCode[code] == nil else { return }
    byCode[code] = areas.count
    // 0 stands for a missing number.
    if identifier > 0 { byIdentifier[identifier] = areas.count }
    areas.append(area)
  }

  /// Reads points, inhabitants and names of the areas, and adds each city to its areas.
  private mutating func readFeatures(_ progress: @escaping (Int) -> Void) throws(GazetteerBuildError) {
    try Self.forEachLine(of: places, progress) { line, number throws(GazetteerBuildError) in
      if line.isEmpty { return }
      let feature = try GeoNamesFeature(line, number: number)
      if let area = byIdentifier[feature.identifier] { areas[area].merge(feature) }
      guard feature.isCity else { return }
      for area in Self.codes(feature).compactMap({ byCode[$0] }) { areas[area].add(feature) }
    }
  }

  /// Returns the codes of the areas that contain a city: country, region, county.
  private static func codes(_ feature: GeoNamesFeature) -> [Bytes] {
    let country = Bytes(feature.country)
    let region = country + [dot] + feature.region
    return [country, region, region + [dot] + feature.county]
  }

  /// Reads names of areas. Fields: number, geonameid, language, name, preferred, short, colloquial, historic, …
  private mutating func readNames(_ path: String, _ progress: @escaping (Int) -> Void) throws(GazetteerBuildError) {
    try Self.forEachLine(of: path, progress) { line, number throws(GazetteerBuildError) in
      if line.isEmpty { return }
      let fields = line.split(separator: Self.tab, omittingEmptySubsequences: false)
      guard fields.count >= 8, let identifier = GeoNamesFeature.number(fields[1]) else {
        throw .source(line: number, reason: "expected a number, a geonameid, a language, a name and four flags")
      }
      let language = Bytes(fields[2])
      guard let area = byIdentifier[identifier], !Self.codesInsteadOfNames.contains(language) else { return }
      areas[area].add(Bytes(fields[3]))
      func isSet(_ field: Int) -> Bool { fields[field].first == UInt8(ascii: "1") }
      guard areas[area].kind == UInt8(ascii: "C"), LocalNameRecord.language(language) != nil, !isSet(6), !isSet(7)
      else { return }
      let score = (isSet(4) ? 2 : 0) + (isSet(5) ? 1 : 0)
      areas[area].add(Bytes(fields[3]), language: language, score: score)
    }
  }

  /// Adds the areas to the builder.
  ///
  /// - Returns: The codes of the added areas. Areas without a point are not added.
  private func addAreas(to builder: inout PlaceIndexBuilder) throws(GazetteerBuildError) -> Set<Bytes> {
    var known: Set<Bytes> = []
    for (code, index) in byCode.sorted(by: { $0.value < $1.value }) {
      guard let line = areas[index].line, known.contains(areas[index].country) || areas[index].kind == UInt8(ascii: "C")
      else { continue }
      try Self.add(line, to: &builder)
      known.insert(code)
    }
    for area in areas where known.contains(area.country) {
      for line in area.localLines { try Self.add(line, to: &builder) }
    }
    return known
  }

  private func addPlaces(
    to builder: inout PlaceIndexBuilder, _ known: Set<Bytes>, _ progress: @escaping (Int) -> Void
  ) throws(GazetteerBuildError) {
    try Self.forEachLine(of: places, progress) { line, number throws(GazetteerBuildError) in
      if line.isEmpty { return }
      let feature = try GeoNamesFeature(line, number: number)
      let codes = Self.codes(feature)
      guard feature.isCity, known.contains(codes[0]), !feature.name.isEmpty else { return }
      let isInRegion = known.contains(codes[1])
      var region = isInRegion ? Bytes(feature.region) : []
      if isInRegion, known.contains(codes[2]) { region += [UInt8(ascii: "/")] + feature.county }
      try Self.add(feature.line(region: region), to: &builder)
    }
  }

  /// Reads postcodes. Fields: country, code, place, three pairs of an area's name and code, latitude, longitude,
  /// accuracy.
  private func addPostcodes(
    _ path: String, to builder: inout PlaceIndexBuilder, _ known: Set<Bytes>, _ progress: @escaping (Int) -> Void
  ) throws(GazetteerBuildError) {
    try Self.forEachLine(of: path, progress) { line, number throws(GazetteerBuildError) in
      if line.isEmpty { return }
      let fields = line.split(separator: Self.tab, omittingEmptySubsequences: false)
      guard fields.count == 12 else { throw .source(line: number, reason: "expected 12 fields, found \(fields.count)") }
      guard SourceRow.coordinate(fields[9], fields[10]) != nil else {
        throw .source(line: number, reason: "the point is not in degrees")
      }
      guard known.contains(Bytes(fields[0])) else { return }
      let row = [fields[0], fields[1], fields[9], fields[10]].map { [Self.tab] + $0 }
      try Self.add([UInt8(ascii: "Z")] + row.joined(), to: &builder)
    }
  }
}
