/// Returns a time as "2026-11-21T20:59:03.123Z". (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".)
///
/// - Parameter unixMs: Milliseconds since 1970, UTC, in the years 0 to 9999.
package func timestamp(unixMs: Int64) -> String {
  let (days, ms) = (unixMs.floorDivided(by: 86_400_000), unixMs - unixMs.floorDivided(by: 86_400_000) * 86_400_000)
  let z = days + 719_468
  let era = z.floorDivided(by: 146_097)
  let dayOfEra = z - era * 146_097
  let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  let shifted = (5 * dayOfYear + 2) / 153
  let month = shifted < 10 ? shifted + 3 : shifted - 9
  let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  let day = dayOfYear - (153 * shifted + 2) / 5 + 1
  return String(unsafeUninitializedCapacity: 24) { bytes in
    var next = 0
    func put(_ value: Int64, digits: Int, then end: Unicode.Scalar) {
      var rest = value
      for index in stride(from: next + digits - 1, through: next, by: -1) {
        bytes[index] = UInt8(48 + rest % 10)
        rest /= 10
      }
      bytes[next + digits] = UInt8(ascii: end)
      next += digits + 1
    }
    put(year, digits: 4, then: "-")
    put(month, digits: 2, then: "-")
    put(day, digits: 2, then: "T")
    put(ms / 3_600_000, digits: 2, then: ":")
    put(ms / 60_000 % 60, digits: 2, then: ":")
    put(ms / 1_000 % 60, digits: 2, then: ".")
    put(ms % 1_000, digits: 3, then: "Z")
    return next
  }
}

/// Parses a time such as "2026-11-21T20:59:03.123Z". Returns milliseconds since 1970, UTC, or nil for other text. The
/// form is RFC 3339, with or without a fraction, in the years 1970 to 9999. Digits of the fraction after the third are
/// ignored.
package func unixMs(timestamp text: String) -> Int64? {
  let form =
    #/(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))/#
    .asciiOnlyDigits()
  guard let match = text.wholeMatch(of: form),
    let year = Int64(match.1), let month = Int64(match.2), let day = Int64(match.3),
    let hour = Int64(match.4), let minute = Int64(match.5), let second = Int64(match.6)
  else { return nil }
  guard year >= 1970, (1...12).contains(month), hour < 24, minute < 60, second < 60,
    (1...daysOf(month: month, year)).contains(day)
  else { return nil }
  let days = daysSince1970(year: year, month: month, day: day)
  var ms = days * 86_400_000 + hour * 3_600_000 + minute * 60_000 + second * 1_000
  ms += Int64(((match.7 ?? "") + "000").prefix(3)) ?? 0
  if let sign = match.8, let hours = match.9.flatMap({ Int64($0) }), let minutes = match.10.flatMap({ Int64($0) }) {
    guard hours < 24, minutes < 60 else { return nil }
    ms -= (sign == "-" ? -1 : 1) * (hours * 60 + minutes) * 60_000
  }
  return ms >= 0 ? ms : nil
}

private func daysOf(month: Int64, _ year: Int64) -> Int64 {
  switch month {
  case 4, 6, 9, 11: 30
  case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
  default: 31
  }
}

/// Returns the days from 1970-01-01 to a date of the proleptic Gregorian calendar. The result is negative before 1970.
/// (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".)
///
/// - Parameters:
///   - year: 1 to 9999.
///   - month: 1 to 12.
///   - day: 1 or more. Days beyond the month's end count into the next month.
package func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
  let year = month <= 2 ? year - 1 : year
  let era = year / 400
  let yearOfEra = year - era * 400
  let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
  return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
}

extension Int64 {
  fileprivate func floorDivided(by divisor: Int64) -> Int64 {
    self >= 0 ? self / divisor : -((divisor - 1 - self) / divisor)
  }
}
