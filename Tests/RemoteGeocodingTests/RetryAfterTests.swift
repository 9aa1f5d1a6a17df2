import Testing

@testable import RemoteGeocoding

@Suite("Retry-After")
struct RetryAfterTests {
  /// The date of RFC 9110's examples: Sun, 06 Nov 1994 08:49:37 GMT.
  private let date: Int64 = 784_111_777

  @Test(
    "A Retry-After in seconds is read, up to an hour", arguments: [("0", 0), ("2", 2), (" 17 ", 17), ("3600", 3_600)])
  func seconds(text: String, seconds: Int64) {
    #expect(RetryAfter.ms(text, unixSeconds: date) == seconds * 1_000)
  }

  @Test(
    "A Retry-After above an hour is capped at one hour",
    arguments: ["3601", "99999999999999999999999", "Mon, 07 Nov 1994 08:49:37 GMT"])
  func bound(text: String) { #expect(RetryAfter.ms(text, unixSeconds: date) == 3_600_000) }

  @Test(
    "A Retry-After date gives the time until then, in RFC 1123 form and in asctime form",
    arguments: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])
  func dates(text: String) {
    #expect(RetryAfter.ms(text, unixSeconds: date - 90) == 90_000)
    #expect(RetryAfter.ms(text, unixSeconds: date) == 0)
    #expect(RetryAfter.ms(text, unixSeconds: date + 90) == 0, "A past date must mean no pause.")
  }

  @Test("A Retry-After date may be a leap day or have a two-digit year")
  func calendar() {
    #expect(RetryAfter.ms("Thu, 29 Feb 2024 00:00:10 GMT", unixSeconds: 1_709_164_800) == 10_000)
    #expect(RetryAfter.ms("Thursday, 29-Feb-24 00:00:10 GMT", unixSeconds: 1_709_164_800) == 10_000)
  }

  @Test(
    "A malformed Retry-After is ignored",
    arguments: ["", " ", "soon", "-1", "1.5", "2 s", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT"])
  func neither(text: String) { #expect(RetryAfter.ms(text, unixSeconds: date) == nil) }
}
