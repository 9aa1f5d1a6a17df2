/// Writer of JSON bytes, for frequent output. Foundation's encoder builds a tree of the values before it writes a byte.
/// Members keep the order in which they are added.
package struct JSONWriter: Sendable {
  /// Output so far, in UTF-8.
  package private(set) var bytes: [UInt8] = []
  private var needsComma = false

  package init() {}

  /// Returns a writer with one object.
  package static func object(_ body: (inout JSONWriter) -> Void) -> JSONWriter {
    var json = JSONWriter()
    json.bytes.reserveCapacity(256)
    json.object(body)
    return json
  }

  /// Writes an object as a value.
  package mutating func object(_ body: (inout JSONWriter) -> Void) {
    open("{")
    body(&self)
    close("}")
  }

  /// Writes an object on a line of its own, as in NDJSON.
  package mutating func line(_ body: (inout JSONWriter) -> Void) {
    object(body)
    bytes.append(UInt8(ascii: "\n"))
    needsComma = false
  }

  /// Writes a member that is an object.
  package mutating func object(_ name: String, _ body: (inout JSONWriter) -> Void) {
    key(name)
    object(body)
  }

  /// Writes a member that is an array of objects.
  package mutating func array<Element>(
    _ name: String, _ elements: some Sequence<Element>, _ body: (inout JSONWriter, Element) -> Void
  ) {
    key(name)
    open("[")
    for element in elements { object { body(&$0, element) } }
    close("]")
  }

  /// Writes a member that is a text.
  package mutating func add(_ name: String, _ value: String) {
    key(name)
    comma()
    quote(value)
  }

  /// Writes a member that is an array of texts.
  package mutating func add(_ name: String, _ values: [String]) {
    key(name)
    open("[")
    for value in values {
      comma()
      quote(value)
    }
    close("]")
  }

  /// Writes a member that is a whole number. Every reader gets numbers up to 2^53 exactly.
  package mutating func add(_ name: String, _ value: some BinaryInteger) { raw(name, String(value)) }

  /// Writes a member that is a number, or null if it is not finite.
  package mutating func add(_ name: String, _ value: Double) { raw(name, Self.text(value)) }

  /// Writes a member that is an array of numbers, with null for each that is not finite.
  package mutating func add(_ name: String, _ values: [Double]) {
    raw(name, "[\(values.map(Self.text).joined(separator: ","))]")
  }

  private static func text(_ value: Double) -> String {
    value.isFinite ? (value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)") : "null"
  }

  /// Writes a member that is null.
  package mutating func addNull(_ name: String) { raw(name, "null") }

  /// Writes a member that is a Boolean.
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
      if utf8.allSatisfy(JSONWriter.isPlain) { return bytes.append(contentsOf: utf8) }
      for byte in utf8 {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
        case _ where !JSONWriter.isPlain(byte): bytes += "\\u\(hexadecimal(UInt64(byte), digits: 4))".utf8
        default: bytes.append(byte)
        }
      }
    }
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  /// Returns true if the byte needs no escape. The writer escapes `<`, so that "</script>" in a text does not end a
  /// script element.
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") && byte != UInt8(ascii: "<")
  }
}

extension JSONWriter {
  /// Writes a member that is a time: RFC 3339 in UTC with milliseconds.
  ///
  /// - Parameter unixMs: Milliseconds since 1970, 0 or more.
  package mutating func add(_ name: String, unixMs: Int64) { add(name, timestamp(unixMs: unixMs)) }
}
