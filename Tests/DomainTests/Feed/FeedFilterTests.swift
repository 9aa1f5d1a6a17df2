import Testing

@testable import Domain

@Suite("Feed filter")
struct FeedFilterTests {
  private static func entry(_ country: String, _ latitude: Double, _ longitude: Double) -> FeedEntry {
    FeedEntry(
      id: .numbered(1), seq: 1, account: AccountID(rawValue: 1), firstName: "", lastName: "", place: "", label: "",
      countryCode: country, link: "", coordinate: .at(latitude, longitude), agreement: .notGiven, createdMs: 1,
      updatedMs: 1)
  }

  private static let entries = [
    "oslo": entry("NO", 59.9, 10.7), "seattle": entry("US", 47.6, -122.3), "wellington": entry("NZ", -41.3, 174.8),
    "honolulu": entry("US", 21.3, -157.9), "null": entry("", 0, 0), "pole": entry("AQ", -90, 180),
  ]

  @Test(
    "A filter passes posts that are in one of its countries and in its box",
    arguments: [
      ("", "", ["honolulu", "null", "oslo", "pole", "seattle", "wellington"]),
      (" ", " ", ["honolulu", "null", "oslo", "pole", "seattle", "wellington"]),
      ("US", "", ["honolulu", "seattle"]), ("us , No", "", ["honolulu", "oslo", "seattle"]), ("DE", "", []),
      ("", "-180,-90,180,90", ["honolulu", "null", "oslo", "pole", "seattle", "wellington"]),
      ("", "0,0,0,0", ["null"]), ("", "10.7,59.9,10.7,59.9", ["oslo"]), ("", "10.71,59.9,10.8,59.9", []),
      ("", "170,-50,-150,30", ["honolulu", "wellington"]), ("", "180,-90,-180,90", ["pole"]),
      ("US", " 170, -50, -150, 30 ", ["honolulu"]), ("NZ", "-130,40,20,70", []),
    ] as [(String, String, [String])])
  func contents(country: String, box: String, names: [String]) throws {
    let filter = try FeedFilter(country: country, box: box)
    #expect(Self.entries.filter { filter.contains($0.value) }.map(\.key).sorted() == names)
    #expect(filter.isAll == (country.trimmedLine + box.trimmedLine).isEmpty)
  }

  @Test(
    "An invalid filter is refused with the name of its parameter",
    arguments: [
      ("U", "", "country"), ("USA", "", "country"), ("U1", "", "country"), ("US,", "", "country"),
      (",US", "", "country"), ("US;CA", "", "country"), ("ÜS", "", "country"), ("", "1,2,3", "bbox"),
      ("", "1,2,3,4,5", "bbox"), ("", "a,2,3,4", "bbox"), ("", "1,2,,4", "bbox"), ("", "1,2.1,3,2", "bbox"),
      ("", "-181,0,0,1", "bbox"), ("", "0,0,180.1,1", "bbox"), ("", "0,-91,0,1", "bbox"), ("", "0,0,1,90.1", "bbox"),
      ("", "nan,0,1,1", "bbox"), ("", "0x1p3,0,9,1", "bbox"), ("", "1e1,0,11,1", "bbox"),
    ])
  func refused(country: String, box: String, name: String) {
    let error = #expect(throws: FeedFilter.Invalid.self) { try FeedFilter(country: country, box: box) }
    #expect(error?.name == name && error?.actual == (name == "bbox" ? box : country))
  }

  @Test("A filter accepts 32 countries, refuses 33, and truncates a long value in its error")
  func most() throws {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    let codes = "AB".flatMap { first in letters.map { "\(first)\($0)" } }.prefix(33)
    _ = try FeedFilter(country: codes.prefix(Limits.filterCountriesMax).joined(separator: ","), box: "")
    let error = #expect(throws: FeedFilter.Invalid.self) {
      try FeedFilter(country: codes.joined(separator: ","), box: "")
    }
    #expect(error?.expected.contains("32") == true)
    let long = #expect(throws: FeedFilter.Invalid.self) {
      try FeedFilter(country: String(repeating: "A", count: 10_000), box: "")
    }
    #expect(long?.actual.utf8.count == Limits.quotedTextBytesMax)
  }
}
