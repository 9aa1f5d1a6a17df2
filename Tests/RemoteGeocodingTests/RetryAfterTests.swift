import Testing

@testable import RemoteGeocoding

@Suite("Retry-After")
struct RetryAfterTests {
  /// Sun, 06 Nov 1994 08:49:37 GMT, the date of RFC 9110's examples.
  private let date: Int64 = 784_111_777

  @Test("Seconds are seconds, an hour at most", arguments: [("0", 0), ("2", 2), (" 17 ", 17), ("3600", 3_600)])
  func seconds(text: String, seconds: Int64) {
    #expect(RetryAfter.ms(text, unixSeconds: date) == seconds * 1_000)
  }

  @Test(
    "More than an hour is an hour", arguments: ["3601", "99999999999999999999999", "Mon, 07 Nov 1994 08:49:37 GMT"])
  func bound(text: String) { #expect(RetryAfter.ms(text, unixSeconds: date) == 3_600_000) }

  @Test(
    "A date in each of its three forms is the time until then",
    arguments: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])
  func dates(text: String) {
    #expect(RetryAfter.ms(text, unixSeconds: date - 90) == 90_000)
    #expect(RetryAfter.ms(text, unixSeconds: date) == 0)
    #expect(RetryAfter.ms(text, unixSeconds: date + 90) == 0, "It has passed.")
  }

  @Test("A leap day and a year of two digits are read")
  func calendar() {
    #expect(RetryAfter.ms("Thu, 29 Feb 2024 00:00:10 GMT", unixSeconds: 1_709_164_800) == 10_000)
    #expect(RetryAfter.ms("Thursday, 29-Feb-24 00:00:10 GMT", unixSeconds: 1_709_164_800) == 10_000)
  }

  @Test(
    "Anything else is nothing",
    arguments: ["", " ", "soon", "-1", "1.5", "2 s", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT"])
  func neither(text: String) { #expect(RetryAfter.ms(text, unixSeconds: date) == nil) }
}
