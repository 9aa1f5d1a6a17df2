import Foundation

/// A checker for flaws of JSON that Foundation's decoder accepts. The flaws are a comma after the last element, a
/// repeated member name, and a NUL byte. Decoders may disagree on the value of a repeated name. (RFC 8259, sections 4
/// and 5.)
struct JSONShape {
  enum Flaw: Equatable {
    case trailingComma
    case doubledName(String)
    /// A NUL byte, which means that the text is UTF-16 or UTF-32. JSON between systems is UTF-8. (RFC 8259, section
    /// 8.1.)
    case encoding
  }

  private let bytes: [UInt8]
  private var next = 0
  /// Names of each open object. Nil for an open array.
  private var open: [Set<ArraySlice<UInt8>>?] = []
  private var isAfterComma = false
  /// True if the next text is a member name: the first text of its object, or one after a comma.
  private var expectsName = false

  /// Returns the first flaw. Nil if there is none. The decoder finds all other errors.
  static func flaw(in bytes: some Collection<UInt8>) -> Flaw? {
    var shape = JSONShape(Array(bytes))
    return shape.flaw()
  }

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  private mutating func flaw() -> Flaw? {
    while next < bytes.count {
      let byte = bytes[next]
      next += 1
      switch byte {
      case 0: return .encoding
      case 0x20, 0x09, 0x0A, 0x0D: continue
      case UInt8(ascii: "{"):
        open.append([])
        (isAfterComma, expectsName) = (false, true)
      case UInt8(ascii: "["):
        open.append(nil)
        (isAfterComma, expectsName) = (false, false)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if isAfterComma { return .trailingComma }
        _ = open.popLast()
        expectsName = false
      case UInt8(ascii: ","):
        isAfterComma = true
        expectsName = open.last?.map { _ in true } ?? false
      case UInt8(ascii: "\""):
        let isName = expectsName
        (isAfterComma, expectsName) = (false, false)
        let name = readText()
        if isName, open[open.count - 1]?.insert(name).inserted == false {
          return .doubledName(String(decoding: name, as: UTF8.self))
        }
      default: (isAfterComma, expectsName) = (false, false)
      }
    }
    return nil
  }

  /// Reads a text after its opening quotation mark. Returns it without the closing mark, with its escapes decoded.
  private mutating func readText() -> ArraySlice<UInt8> {
    let start = next
    var hasEscapes = false
    while next < bytes.count, bytes[next] != UInt8(ascii: "\"") {
      if bytes[next] == UInt8(ascii: "\\") {
        hasEscapes = true
        next += 1
      }
      next += 1
    }
    let end = min(next, bytes.count)
    next = end + 1
    let text = bytes[start..<end]
    guard hasEscapes, let decoded = try? JSONDecoder().decode(String.self, from: Data([0x22] + text + [0x22])) else {
      return text
    }
    return Array(decoded.utf8)[...]
  }
}
