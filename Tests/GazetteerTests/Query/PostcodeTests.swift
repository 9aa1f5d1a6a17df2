import Domain
import GazetteerFixtures
import Testing

@testable import Gazetteer

@Suite("Postcodes")
struct PostcodeTests {
  private static let source = """
    gazetteer\t1\tdata © nobody
    C\tLV\t\t57\t25\t1900000\tLatvia\tLV\t
    C\tFR\t\t47\t2\t68000000\tFrance\tFR\t
    R\tLV\t01\t57\t24\t600000\tRiga\t\t
    D\tLV\t01/a\t57\t24\t600000\tInner Riga\t\t
    D\tLV\t01\t57.5\t24\t0\tOuter Riga\t\t
    P\tLV\t01/a\t56.95\t24.10\t600000\tRiga\t\t
    P\tLV\t01/a\t56.96\t24.14\t500\tHamlet\t\t
    P\tLV\t01/zz\t56.60\t24.10\t9000\tAlone\t\t
    P\tFR\t\t57\t24.2\t9000000\tElsewhere\t\t

    """

  /// Builds a file with these postcode lines. Returns its sections, and the file, which keeps them mapped.
  private func sections(_ postcodes: String) throws -> (IndexSections, MappedFile) {
    let file = TemporaryFile()
    try Hamlet.write(Self.source + postcodes, to: file.path)
    let mapped = try MappedFile(path: file.path)
    return (try IndexSections(mapped.bytes, path: file.path), mapped)
  }

  private func packed(_ text: String) -> UInt64? { PostcodeRecord.packed(Array(text.utf8)) }

  @Test("A packed postcode ignores case and separators, and sorts like text")
  func packing() throws {
    #expect(packed("K1A 0B1") == packed("k1a-0b1"))
    #expect(packed("1010") != packed("10100"))
    #expect(packed("01010") != packed("1010"))
    let sorted = try ["0", "00", "1", "10115", "10117", "1A", "9", "A", "SW1", "SW1A1AA", "ZZZZZZZZZZ"].map {
      try #require(packed($0))
    }
    #expect(sorted == sorted.sorted() && Set(sorted).count == sorted.count)
  }

  @Test("Postcodes of 1 to 10 letters and digits can be packed, and no others")
  func edges() {
    #expect(packed("ZZZZZ ZZZZZ") != nil)
    #expect(packed("ZZZZZ ZZZZZZ") == nil)
    #expect(packed("") == nil && packed(" -") == nil)
    #expect(packed("12_34") == nil && packed("１２") == nil)
  }

  @Test("A postcode record returns its key, country and code")
  func record() {
    let record = PostcodeRecord(packed: packed("ZZZZZZZZZZ") ?? 0, country: 675, latitudeE7: -1, longitudeE7: 2)
    #expect(record.country == 675)
    #expect(record.key == PostcodeRecord.firstKey(packed("ZZZZZZZZZZ") ?? 0) + 675)
    #expect(record.place == PlaceRecord.none)
  }

  @Test("A lookup finds a postcode in every country that uses it, and no similar code")
  func lookup() throws {
    let (sections, file) = try sections(
      "Z\tLV\t1010\t56.95\t24.12\nZ\tFR\t1010\t47\t2\nZ\tLV\t1011\t56.95\t24.12\nZ\tLV\t101\t56.95\t24.12\n")
    defer { withExtendedLifetime(file) {} }
    let range = sections.postcodes(try #require(packed("10-10")))
    let countries = range.map { sections.postcode($0)?.country }
    #expect(countries == [0, 1])
    #expect(sections.postcodes(try #require(packed("1012"))).isEmpty)
    #expect(sections.postcodeCount == 4)
    #expect(sections.postcode(4) == nil)
  }

  @Test("A postcode belongs to the nearest large city of its country within 50 km")
  func place() throws {
    let (sections, file) = try sections(
      "Z\tLV\tNEAR\t56.955\t24.125\nZ\tLV\tSOUTH\t56.7\t24.1\nZ\tLV\tFAR\t56.1\t24.1\nZ\tFR\tPARIS\t48.9\t2.3\n")
    defer { withExtendedLifetime(file) {} }
    func name(_ code: String) throws -> String? {
      let range = sections.postcodes(try #require(packed(code)))
      let record = try #require(sections.postcode(range.lowerBound))
      return sections.place(record.place).map { String(decoding: sections.name(of: $0), as: UTF8.self) }
    }
    #expect(try name("NEAR") == "Riga")
    #expect(try name("SOUTH") == "Alone")
    #expect(try name("FAR") == nil)
    #expect(try name("PARIS") == nil)
  }

  @Test("Several lines of a postcode become one at the mean point, also across the antimeridian")
  func mean() throws {
    let (sections, file) = try sections(
      "Z\tFR\t99 999\t10\t179.9\nZ\tFR\t99999 CEDEX 9\t12\t-179.7\nZ\tFR\t99999 AIR\t11\t-179.9\n")
    defer { withExtendedLifetime(file) {} }
    #expect(sections.postcodeCount == 1)
    let record = try #require(sections.postcode(0))
    #expect(record.latitudeE7 == 110_000_000)
    #expect(abs(record.longitudeE7 + 1_799_000_000) <= 1)
  }

  @Test("A postcode with its country's letters is found without them")
  func bare() throws {
    let (sections, file) = try sections("Z\tLV\tLV-5101\t56.95\t24.12\nZ\tFR\tF 1234\t47\t2\nZ\tFR\tX99\t47\t2\n")
    defer { withExtendedLifetime(file) {} }
    for code in ["LV-5101", "LV5101", "5101", "F1234", "1234", "X99"] {
      #expect(sections.postcodes(try #require(packed(code))).count == 1)
    }
    #expect(sections.postcodes(try #require(packed("99"))).isEmpty)
  }

  @Test(
    "Postcodes of at least three digits are found without their country's letters",
    arguments: ["1", "12", "123", "1234"])
  func bareDigits(digits: String) throws {
    #expect(GazetteerLimits.postcodeDigitsMin == 3)
    let (sections, file) = try sections("Z\tFR\tF\(digits)\t47\t2\n")
    defer { withExtendedLifetime(file) {} }
    #expect(sections.postcodes(try #require(packed(digits))).count == (digits.count < 3 ? 0 : 1))
  }

  @Test("Cities have the number of their county, and counties their own number")
  func counties() throws {
    let (sections, file) = try sections("")
    defer { withExtendedLifetime(file) {} }
    let counties = (0..<UInt32(sections.placeCount)).compactMap { sections.place($0)?.county }
    let none = PlaceRecord.none
    #expect(counties == [none, none, none, 3, 4, 3, 3, none, none])
    #expect(sections.place(3)?.region == 2)
  }

  @Test("The committed data locates postcodes of many countries")
  func world() throws {
    let sections = try World.sections.get()
    for (code, country, place, south, west) in [
      ("98101", "US", "Seattle", 47.6, -122.3), ("10115", "DE", "Berlin", 52.5, 13.4),
      ("75001", "FR", "Paris", 48.9, 2.3), ("SW1A", "GB", "", 51.5, -0.1), ("LV-5101", "LV", "Aizkraukle", 56.6, 25.3),
      ("100-0001", "JP", "", 35.7, 139.8), ("M5V", "CA", "", 43.6, -79.4), ("1010", "AT", "", 48.2, 16.4),
    ] {
      let range = sections.postcodes(try #require(packed(code)))
      let record = try #require(
        range.compactMap(sections.postcode).first {
          sections.country($0.country)?.code == CountryRecord.code(Array(country.utf8))
        }, "\(country) \(code)")
      #expect(abs(Double(record.latitudeE7) * 1e-7 - south) < 0.2, "\(country) \(code)")
      #expect(abs(Double(record.longitudeE7) * 1e-7 - west) < 0.2, "\(country) \(code)")
      let name = sections.place(record.place).map { String(decoding: sections.name(of: $0), as: UTF8.self) }
      #expect(place.isEmpty || name == place, "\(country) \(code): \(name ?? "nothing")")
    }
  }
}
