import Domain
import Foundation
import GazetteerFixtures
import Testing

@testable import Gazetteer
@testable import GazetteerBuild

@Suite("GeoNames dumps")
struct GeoNamesDumpTests {
  private let folder = TemporaryFile()

  private static let countryInfo = """
    # GeoNames country information
    #ISO\tISO3\tISO-Numeric\tfips\tCountry\tCapital\tArea(in sq km)\tPopulation\tContinent\ttld\tCurrencyCode
    GA\tGAA\t001\tGA\tGalland\tLutetia\t551500\t5000000\tEU\t.ga\tEUR\tEuro\t33\t#####\t^(\\d{5})$\tfr-FR\t1\tHE\t
    NC\tNCL\t540\tNC\tNew Galland\tPort\t19060\t284060\tOC\t.nc\tXPF\tFranc\t687\t#####\t^(988\\d{2})$\tfr-NC\t2\t\t
    ZZ\tZZZ\t999\tZZ\tNowhere\t\t0\t0\tAN\t.zz\t\t\t\t\t\t\t0\t\t
    """
  private static let admin1 = """
    GA.WA\tWest Armorica\tWest Armorica\t11
    GA.02\tEmpty Land\tEmpty Land\t12
    GA.03\t\tUnnamed\t14
    QQ.01\tOf no country\tOf no country\t13

    """
  private static let admin2 = """
    GA.WA.033\tKing County\tKing County\t21
    GA.WA.034\tUnseen County\tUnseen County\t22

    """
  private static let alternateNames = """
    1\t1\tde\tGallien, alt\t\t\t\t1\t\t
    2\t1\tde\tGallien\t1\t\t\t\t\t
    3\t1\tde\tGallierland\t\t1\t\t\t\t
    4\t1\tlink\thttps://example.org/Galland\t\t\t\t\t\t
    5\t1\tabbr\tGLD\t\t\t\t\t\t
    6\t11\tla\tArmorica Occidentalis\t\t\t\t\t\t
    7\t31\tde\tnicht gebraucht\t\t\t\t\t\t

    """
  private static let postal = """
    GA\t75001\tLutetia\tWest Armorica\tWA\tKing County\t033\t\t\t48.8601\t2.3402\t5
    GA\t75001 CEDEX 02\tLutetia\tWest Armorica\tWA\t\t\t\t\t48.8603\t2.3404\t5
    ZZ\t1\tNo\t\t\t\t\t\t\t1\t1\t

    """

  /// A feature's line of 19 fields.
  private static func feature(
    _ id: Int, _ name: String, _ names: String, _ point: (String, String), _ code: String, _ areas: String,
    _ population: String
  ) -> String {
    let kind = code.hasPrefix("PPL") ? "P" : "A"
    return [
      "\(id)", name, name, names, point.0, point.1, kind, code,
      areas.split(separator: ".", omittingEmptySubsequences: false)[0].description, "",
    ].joined(separator: "\t") + "\t"
      + areas.split(separator: ".", omittingEmptySubsequences: false).dropFirst().joined(separator: "\t")
      + "\t\t\t\(population)\t\t35\tEurope/Paris\t2024-01-01\n"
  }

  private static let features =
    feature(1, "Republic of Galland", "Gallia,Galia,GLA", ("47", "2"), "PCLI", "GA.00.", "6000000")
    + feature(31, "Lutetia", "Paris,Lutèce,LUT,http://x", ("48.85341", "2.3488"), "PPLC", "GA.WA.033", "2138551")
    + feature(32, "Old Lutetia", "", ("48.8", "2.3"), "PPLH", "GA.WA.033", "0")
    + feature(33, "Village", "", ("-12.5", "-0.5"), "PPL", "GA.77.", "")
    + feature(34, "Port", "", ("-22.27407", "166.44884"), "PPLC", "NC..", "93060")
    + feature(35, "Adrift", "", ("1", "1"), "PPL", "QQ..", "5")

  private func write(_ name: String, _ text: String) throws {
    let url = URL(filePath: folder.path).appending(path: name)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  private func writeAll() throws {
    try write("cities500.txt", Self.features)
    try write("countryInfo.txt", Self.countryInfo)
    try write("admin1CodesASCII.txt", Self.admin1)
    try write("admin2Codes.txt", Self.admin2)
    try write("alternateNamesV2.txt", Self.alternateNames)
    try write("postal/allCountries.txt", Self.postal)
  }

  private func build(postcodes: String? = nil) throws -> (IndexSections, MappedFile) {
    let file = TemporaryFile()
    var builder = PlaceIndexBuilder()
    try GeoNamesDump(directory: folder.path, postcodes: postcodes).read(into: &builder)
    try builder.write(to: file.path, builtAt: 1)
    try IndexInspection(path: file.path).run()
    let mapped = try MappedFile(path: file.path)
    return (try IndexSections(mapped.bytes, path: file.path), mapped)
  }

  @Test("A dump yields its countries, regions, counties and cities, each with the areas around it")
  func places() throws {
    try writeAll()
    let (sections, file) = try build()
    defer { withExtendedLifetime(file) {} }
    let places = (0..<UInt32(sections.placeCount)).compactMap(sections.place)
    let names = places.map { String(decoding: sections.name(of: $0), as: UTF8.self) }
    #expect(names == ["Galland", "New Galland", "West Armorica", "King County", "Lutetia", "Village", "Port"])
    let none = PlaceRecord.none
    #expect(places.map(\.region) == [none, none, 2, 2, 2, none, none])
    #expect(places.map(\.county) == [none, none, none, 3, 3, none, none])
    #expect(places.map(\.population) == [6_000_000, 284_060, 2_138_551, 2_138_551, 2_138_551, 0, 93_060])
    // An area without a point in the dump gets the middle of its cities.
    #expect(places[0].latitudeE7 == 470_000_000)
    #expect(abs(places[1].longitudeE7 - 1_664_488_400) < 10 && abs(places[3].latitudeE7 - 488_534_100) < 10)
    #expect(places[5].latitudeE7 == -125_000_000 && places[5].longitudeE7 == -5_000_000)
    #expect(sections.country(1)?.sovereign == 1, "New Galland must be its own sovereign: the dump has no France.")
    #expect(sections.attribution.contains("GeoNames"))
  }

  @Test("The index finds places by every name and code, and names a country by language")
  func names() throws {
    try writeAll()
    let (sections, file) = try build()
    defer { withExtendedLifetime(file) {} }
    func found(_ name: String) -> [UInt32] {
      var name = name
      return name.withUTF8 { bytes in
        FoldedText.withEmpty { text in
          text.fold(bytes)
          var hash = NameHash()
          let folded = UnsafeRawBufferPointer(text.folded)
          hash.add(folded)
          return sections.postings(of: folded, hash: hash.value)?.compactMap { sections.posting($0)?.place } ?? []
        }
      }
    }
    for name in ["Galland", "Gallia", "GLA", "GA", "GAA", "Gallien", "GLD", "Gallien, alt"] {
      #expect(found(name) == [0], "\(name)")
    }
    for name in ["WA", "West Armorica", "Armorica Occidentalis"] { #expect(found(name) == [2], "\(name)") }
    for name in ["Paris", "LUT", "Lutèce"] { #expect(found(name) == [4], "\(name)") }
    for name in ["https example org galland", "http x", "Old Lutetia", "nicht gebraucht"] {
      #expect(found(name).isEmpty, "\(name)")
    }
    let german = try #require(sections.name(of: 0, language: LocalNameRecord.language("de".utf8)))
    #expect(String(decoding: german, as: UTF8.self) == "Gallien")
  }

  @Test("Postcodes come from the dump's folder or from a named file")
  func postcodes() throws {
    try writeAll()
    let (sections, file) = try build()
    defer { withExtendedLifetime(file) {} }
    #expect(sections.postcodeCount == 1)
    #expect(sections.postcode(0)?.latitudeE7 == 488_602_000 && sections.postcode(0)?.place == 4)
    try write(
      "mine.txt", "NC\t98800\tPort\t\t\t\t\t\t\t-22.27\t166.44\t4\nNC\t98801\tPort\t\t\t\t\t\t\t-22.27\t166.44\t4\n")
    let (other, otherFile) = try build(postcodes: folder.path + "/mine.txt")
    defer { withExtendedLifetime(otherFile) {} }
    #expect(other.postcodeCount == 2)
  }

  @Test("allCountries.txt takes precedence, other files are optional, and lines may end in CRLF")
  func optionalFiles() throws {
    try write("cities500.txt", "nonsense")
    try write("allCountries.txt", Self.features.replacing("\n", with: "\r\n"))
    try write("countryInfo.txt", Self.countryInfo.replacing("\n", with: "\r\n"))
    try write("admin1CodesASCII.txt", Self.admin1.replacing("\n", with: "\r\n"))
    let (sections, file) = try build()
    defer { withExtendedLifetime(file) {} }
    #expect(sections.placeCount == 6 && sections.postcodeCount == 0 && sections.localNames.count == 0)
  }

  @Test("The reported progress adds up to the dump's size")
  func progress() throws {
    try writeAll()
    let dump = try GeoNamesDump(directory: folder.path)
    let total = dump.byteCount
    let read = Counter()
    var builder = PlaceIndexBuilder()
    try dump.read(into: &builder) { read.count += $0 }
    #expect(read.count == total)
  }

  private final class Counter { var count = 0 }

  @Test(
    "The error of a missing file names the file",
    arguments: ["cities500.txt", "countryInfo.txt", "admin1CodesASCII.txt"])
  func missing(name: String) throws {
    try writeAll()
    try FileManager.default.removeItem(atPath: folder.path + "/" + name)
    let error = #expect(throws: GazetteerBuildError.self) { try GeoNamesDump(directory: folder.path) }
    let named = name == "cities500.txt" ? "allCountries.txt" : name
    #expect(error?.description.contains(folder.path + "/" + named) == true)
    #expect(throws: GazetteerBuildError.self) { try GeoNamesDump(directory: folder.path, postcodes: "/nowhere/codes") }
  }

  @Test(
    "The error of a malformed line names the file and the line's number",
    arguments: [
      ("cities500.txt", "1\tA\n"), ("countryInfo.txt", "GA\tGAA\n"), ("admin1CodesASCII.txt", "GA\tA\tA\t1\n"),
      ("admin2Codes.txt", "GA.WA\tA\tA\t1\n"), ("alternateNamesV2.txt", "1\t1\n"),
      ("postal/allCountries.txt", "GA\t1\n"), ("postal/allCountries.txt", "GA\t1\t\t\t\t\t\t\t\t99\t1\t\n"),
      ("cities500.txt", feature(1, "A", "", ("x", "1"), "PPL", "GA..", "1")),
      ("cities500.txt", feature(1, "A", "", ("1", "1"), "PPL", "GA..", "many")),
    ])
  func broken(name: String, text: String) throws {
    try writeAll()
    try write(name, text)
    let error = #expect(throws: GazetteerBuildError.self) { try build() }
    #expect(error?.description.contains("line 1 of \(folder.path)/\(name)") == true, "\(String(describing: error))")
  }

  @Test("A line at the length limit is read, and a longer one is refused")
  func longLines() throws {
    try writeAll()
    for (count, isRead) in [(GazetteerBuildLimits.lineBytes, true), (GazetteerBuildLimits.lineBytes + 1, false)] {
      try write("admin2Codes.txt", String(repeating: "x", count: count) + "\n")
      let error = #expect(throws: GazetteerBuildError.self) { try build() }
      #expect(error?.description.contains("longer than") == !isRead)
    }
  }
}
