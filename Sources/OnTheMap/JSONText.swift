/// JSON, written as bytes. Only for what is written often: Foundation's encoder builds a tree of the values before it
/// writes a byte. Members come out in the order in which they are added.
package struct JSONText: Sendable {
  /// UTF-8.
  package private(set) var bytes: [UInt8] = []
  private var needsComma = false

  package init() {}

  /// One object.
  package static func object(_ body: (inout JSONText) -> Void) -> JSONText {
    var text = JSONText()
    text.bytes.reserveCapacity(256)
    text.object(body)
    return text
  }

  /// An object as a value.
  package mutating func object(_ body: (inout JSONText) -> Void) {
    open("{")
    body(&self)
    close("}")
  }

  /// An object on a line of its own, as in NDJSON.
  package mutating func line(_ body: (inout JSONText) -> Void) {
    object(body)
    bytes.append(UInt8(ascii: "\n"))
    needsComma = false
  }

  /// A member that is an object.
  package mutating func object(_ name: String, _ body: (inout JSONText) -> Void) {
    key(name)
    object(body)
  }

  /// A member that is an array of objects.
  package mutating func array<Element>(
    _ name: String, _ elements: some Sequence<Element>, _ body: (inout JSONText, Element) -> Void
  ) {
    key(name)
    open("[")
    for element in elements { object { body(&$0, element) } }
    close("]")
  }

  /// A member that is a text.
  package mutating func add(_ name: String, _ value: String) {
    key(name)
    comma()
    quote(value)
  }

  /// A member that is an array of texts.
  package mutating func add(_ name: String, _ values: [String]) {
    key(name)
    open("[")
    for value in values {
      comma()
      quote(value)
    }
    close("]")
  }

  /// A member that is a whole number; exact in every reader up to 2^53.
  package mutating func add(_ name: String, _ value: some BinaryInteger) { raw(name, String(value)) }

  /// A member that is a number; null where it is not finite.
  package mutating func add(_ name: String, _ value: Double) { raw(name, Self.text(value)) }

  /// A member that is an array of numbers, with null in place of one that is not finite.
  package mutating func add(_ name: String, _ values: [Double]) {
    raw(name, "[\(values.map(Self.text).joined(separator: ","))]")
  }

  private static func text(_ value: Double) -> String {
    value.isFinite ? (value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)") : "null"
  }

  /// A member that is a truth value.
  package mutating func add(_ name: String, _ value: Bool) { raw(name, value ? "true" : "false") }

  private mutating func raw(_ name: String, _ value: String) {
    key(name)
    comma()
    bytes.append(contentsOf: value.utf8)
    needsComma = true
  }

  private mutating func key(_ name: String) {
    comma()
    quote(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  private mutating func open(_ bracket: Unicode.Scalar) {
    comma()
    bytes.append(UInt8(ascii: bracket))
    needsComma = false
  }

  private mutating func close(_ bracket: Unicode.Scalar) {
    bytes.append(UInt8(ascii: bracket))
    needsComma = true
  }

  private mutating func comma() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = false
  }

  private mutating func quote(_ value: String) {
    var value = value
    bytes.append(UInt8(ascii: "\""))
    value.withUTF8 { utf8 in
      if utf8.allSatisfy(JSONText.isPlain) { return bytes.append(contentsOf: utf8) }
      for byte in utf8 {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
        case _ where !JSONText.isPlain(byte): bytes += "\\u\(hexadecimal(UInt64(byte), digits: 4))".utf8
        default: bytes.append(byte)
        }
      }
    }
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  /// "</script>" must not end one.
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") && byte != UInt8(ascii: "<")
  }
}

extension JSONText {
  /// A member that is a time: RFC 3339 in UTC with milliseconds.
  ///
  /// - Parameter unixMs: since 1970, 0 or more.
  package mutating func add(_ name: String, unixMs: Int64) { add(name, timestamp(unixMs: unixMs)) }
}

/// "2026-11-21T20:59:03.123Z". (Days to a date: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".)
///
/// - Parameter unixMs: since 1970, UTC; the years 0 to 9999.
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

extension Int64 {
  fileprivate func floorDivided(by divisor: Int64) -> Int64 {
    self >= 0 ? self / divisor : -((divisor - 1 - self) / divisor)
  }
}
