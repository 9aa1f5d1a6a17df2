import Testing

@testable import Web

@Suite("The header Date")
struct HTTPDateTests {
  @Test(
    "A date has the fixed format of RFC 9110, in UTC",
    arguments: [
      (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
      (951_827_696, "Tue, 29 Feb 2000 12:34:56 GMT"), (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"),
    ])
  func text(seconds: Int, text: String) { #expect(HTTPDate.text(seconds) == text) }
}
