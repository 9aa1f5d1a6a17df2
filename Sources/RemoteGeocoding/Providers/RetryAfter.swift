import Domain
import Foundation

/// Parser of the `Retry-After` header, which holds seconds or an HTTP date. (RFC 9110, 10.2.3.)
enum RetryAfter {
  /// Returns the pause in milliseconds, from 0 to `RemoteLimits.retryAfterMaxMs`. Nil if the text has neither form.
  static func ms(_ text: String, unixSeconds: Int64) -> Int64? {
    let text = text.trimmingCharacters(in: .whitespaces)
    guard !text.isEmpty else { return nil }
    if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return bounded(Int64(text) ?? .max) }
    return date(text).map { bounded($0 - unixSeconds) }
  }

  private static func bounded(_ seconds: Int64) -> Int64 {
    min(max(0, seconds), RemoteLimits.retryAfterMaxMs / 1_000) * 1_000
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Returns the seconds since 1970 of an HTTP date: "Sun, 06 Nov 1994 08:49:37 GMT". Also reads the older forms
  /// "Sunday, 06-Nov-94 08:49:37 GMT" and "Sun Nov  6 08:49:37 1994".
  private static func date(_ text: String) -> Int64? {
    let time = #/(\w+),? +(\d{1,2})[ -](\w{3})[ -](\d{4}|\d{2}) (\d\d):(\d\d):(\d\d) GMT/#
    let old = #/\w{3} (\w{3}) +(\d{1,2}) (\d\d):(\d\d):(\d\d) (\d{4})/#
    if let found = text.wholeMatch(of: time)?.output {
      let year = Int(found.4) ?? 0
      // A year of two digits is in this century: a pause never lasts fifty years.
      return seconds(found.3, day: found.2, year: year < 100 ? 2_000 + year : year, [found.5, found.6, found.7])
    }
    guard let found = text.wholeMatch(of: old)?.output else { return nil }
    return seconds(found.1, day: found.2, year: Int(found.6) ?? 0, [found.3, found.4, found.5])
  }

  private static func seconds(_ name: Substring, day: Substring, year: Int, _ time: [Substring]) -> Int64? {
    guard let month = months.firstIndex(of: String(name)), let day = Int(day), (1...31).contains(day) else {
      return nil
    }
    let parts = time.compactMap { Int64($0) }
    guard parts.count == 3, parts[0] < 24, parts[1] < 60, parts[2] <= 60, (1_970...9_999).contains(year) else {
      return nil
    }
    let days = daysSince1970(year: Int64(year), month: Int64(month + 1), day: Int64(day))
    return days * 86_400 + parts[0] * 3_600 + parts[1] * 60 + parts[2]
  }
}
