import Testing

@testable import Domain

@Suite("Timestamps")
struct TimestampTests {
  @Test(
    "A timestamp is parsed with or without a fraction, in any time zone",
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.001Z", 1), ("2026-02-25T01:10:38.103Z", 1_771_981_838_103),
      ("2026-02-25t02:10:38.103999+01:00", 1_771_981_838_103), ("2026-02-24T20:10:38.1-05:00", 1_771_981_838_100),
      ("2000-02-29T23:59:59Z", 951_868_799_000), ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    ] as [(String, Int64)])
  func read(text: String, ms: Int64) {
    #expect(unixMs(timestamp: text) == ms)
  }

  @Test(
    "A timestamp survives a round trip", arguments: [0, 999, 951_868_799_123, 1_771_981_838_103, 253_402_300_799_999])
  func written(ms: Int64) {
    #expect(unixMs(timestamp: timestamp(unixMs: ms)) == ms)
  }

  @Test(
    "A malformed timestamp is refused",
    arguments: [
      "", "2026-02-25", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "1900-02-01T00:00:00Z",
      "2026-02-25T24:00:00Z", "2026-02-25T00:60:00Z", "2026-02-25T00:00:00", "2026-02-25T00:00:00.Z",
      "2026-02-25T00:00:00+24:00", "٢٠٢٦-02-25T00:00:00Z", "1970-01-01T00:00:00+00:01", "2100-02-29T00:00:00Z",
    ])
  func refused(text: String) {
    #expect(unixMs(timestamp: text) == nil)
  }
}
