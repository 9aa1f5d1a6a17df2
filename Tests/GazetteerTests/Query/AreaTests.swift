import Domain
import GazetteerFixtures
import Testing

@testable import Gazetteer

@Suite("Extent and names of areas")
struct AreaTests {
  private static let islands = """
    gazetteer\t1\tdata © nobody
    C\tFJ\t\t-18\t178\t900000\tFiji\tFJ\t
    L\tFJ\tde\tFidschi
    L\tFJ\tfr\tFidji
    L\tFJ\tda\tFidji
    C\tBV\t\t-54.4\t3.4\t0\tBouvet\tBV\t
    R\tFJ\t01\t-17\t178\t0\tWest\t\t
    R\tFJ\t02\t-17\t178\t0\tEmpty\t\t
    D\tFJ\t01/1\t-17\t178\t0\tShore\t\t
    P\tFJ\t01/1\t-17.5\t177.25\t1000\tNadi\t\t
    P\tFJ\t01\t-18.25\t178.5\t2000\tSuva\t\t
    P\tFJ\t\t-16.75\t-179.875\t3000\tTaveuni\t\t
    L\tFJ\tde\tanother

    """

  private func mapped(_ lines: String = islands) throws -> (IndexSections, MappedFile) {
    let file = TemporaryFile()
    try Hamlet.write(lines, to: file.path)
    let mapped = try MappedFile(path: file.path)
    return (try IndexSections(mapped.bytes, path: file.path), mapped)
  }

  @Test("An area's box contains the area's cities and may cross the antimeridian")
  func boxes() throws {
    let (sections, file) = try mapped()
    defer { withExtendedLifetime(file) {} }
    #expect(
      sections.box(0)
        == BoundingBox(south: -182_500_000, west: 1_772_500_000, north: -167_500_000, east: -1_798_750_000))
    #expect(
      sections.box(2) == BoundingBox(south: -182_500_000, west: 1_772_500_000, north: -175_000_000, east: 1_785_000_000)
    )
    #expect(
      sections.box(4) == BoundingBox(south: -175_000_000, west: 1_772_500_000, north: -175_000_000, east: 1_772_500_000)
    )
  }

  @Test("Cities, areas without cities and unknown numbers have no box")
  func none() throws {
    let (sections, file) = try mapped()
    defer { withExtendedLifetime(file) {} }
    for number: UInt32 in [1, 3, 5, 6, 7, 8, 1_000, .max] { #expect(sections.box(number) == nil) }
  }

  @Test("A country has a name in exactly the languages of the source")
  func names() throws {
    let (sections, file) = try mapped()
    defer { withExtendedLifetime(file) {} }
    func name(_ country: UInt16, _ language: String) -> String? {
      sections.name(of: country, language: LocalNameRecord.language(language.utf8)).map {
        String(decoding: $0, as: UTF8.self)
      }
    }
    #expect(name(0, "de") == "Fidschi" && name(0, "DE") == "Fidschi")
    #expect(name(0, "fr") == "Fidji" && name(0, "da") == "Fidji")
    #expect(name(0, "en") == nil && name(1, "de") == nil && name(2, "de") == nil)
    for language in ["", "d", "deu", "d1", "--"] { #expect(name(0, language) == nil) }
  }

  @Test("The committed data has boxes of countries, and their names in many languages")
  func world() throws {
    let sections = try World.sections.get()
    func number(_ code: String) throws -> UInt16 {
      let packed = try #require(CountryRecord.code(Array(code.utf8)))
      return try #require(sections.country(code: packed))
    }
    let france = try #require(sections.box(UInt32(number("FR"))))
    #expect(france.south > 410_000_000 && france.north < 515_000_000 && france.west < -40_000_000)
    #expect(try #require(sections.box(UInt32(number("FJ")))).west > 1_700_000_000)
    let states = try #require(sections.box(UInt32(number("US"))))
    #expect(states.south < 200_000_000 && states.north > 700_000_000 && states.east < -600_000_000)
    for (code, language, name) in [
      ("DE", "fr", "Allemagne"), ("JP", "ja", "日本"), ("US", "es", "Estados Unidos"), ("RU", "ru", "Россия"),
      ("CR", "de", "Costa Rica"),
    ] {
      let key = try #require(LocalNameRecord.language(language.utf8))
      let found = try #require(sections.name(of: number(code), language: key))
      #expect(String(decoding: found, as: UTF8.self) == name)
    }
  }
}
