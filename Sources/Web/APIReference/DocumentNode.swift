import Foundation

/// A value of a JSON document, with its source text. Unlike decoders, it keeps the order of an object's members.
struct DocumentNode: Sendable {
  enum Value: Sendable {
    case object([(name: String, node: DocumentNode)])
    case array([DocumentNode])
    case string(String)
    /// A number, true, false or null.
    case word(String)
  }

  /// The error of text that is not JSON. `offset` counts bytes from the beginning of the document.
  struct Malformed: Error, Equatable { let offset: Int }

  let value: Value
  /// The value's source text, without the indentation of its parent.
  let text: String

  /// Parses a complete document.
  init(_ document: [UInt8]) throws(Malformed) {
    var reader = Reader(rest: document[...])
    self = try reader.node()
    reader.skipSpace()
    guard reader.rest.isEmpty else { throw reader.malformed }
  }

  fileprivate init(value: Value, text: String) { (self.value, self.text) = (value, text) }

  /// The object's member with this name. Nil if there is none.
  subscript(_ name: String) -> DocumentNode? { members.first { $0.name == name }?.node }

  /// Members of an object. Empty for any other value.
  var members: [(name: String, node: DocumentNode)] {
    if case .object(let members) = value { members } else { [] }
  }

  /// Elements of an array. Empty for any other value.
  var elements: [DocumentNode] { if case .array(let elements) = value { elements } else { [] } }

  /// The text of a string. Nil for any other value.
  var string: String? { if case .string(let string) = value { string } else { nil } }

  /// The text of a string, or the source text of any other value.
  var plain: String { string ?? text }
}

private struct Reader {
  var rest: ArraySlice<UInt8>

  var malformed: DocumentNode.Malformed { .init(offset: rest.startIndex) }

  mutating func skipSpace() { rest = rest.drop { [0x20, 0x0A, 0x0D, 0x09].contains($0) } }

  mutating func node() throws(DocumentNode.Malformed) -> DocumentNode {
    skipSpace()
    let start = rest
    let value: DocumentNode.Value
    switch rest.first {
    case UInt8(ascii: "{"): value = .object(try members())
    case UInt8(ascii: "["): value = .array(try elements())
    case UInt8(ascii: "\""): value = .string(try string())
    default: value = .word(try word())
    }
    return DocumentNode(value: value, text: Reader.outdented(start[..<rest.startIndex]))
  }

  private mutating func consume(_ byte: Unicode.Scalar) -> Bool {
    skipSpace()
    guard rest.first == UInt8(ascii: byte) else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func members() throws(DocumentNode.Malformed) -> [(name: String, node: DocumentNode)] {
    var members: [(name: String, node: DocumentNode)] = []
    rest.removeFirst()
    if consume("}") { return members }
    repeat {
      skipSpace()
      let name = try string()
      guard consume(":") else { throw malformed }
      members.append((name, try node()))
    } while consume(",")
    guard consume("}") else { throw malformed }
    return members
  }

  private mutating func elements() throws(DocumentNode.Malformed) -> [DocumentNode] {
    var elements: [DocumentNode] = []
    rest.removeFirst()
    if consume("]") { return elements }
    repeat { elements.append(try node()) } while consume(",")
    guard consume("]") else { throw malformed }
    return elements
  }

  private mutating func string() throws(DocumentNode.Malformed) -> String {
    guard rest.first == UInt8(ascii: "\"") else { throw malformed }
    var end = rest.startIndex + 1
    while end < rest.endIndex, rest[end] != UInt8(ascii: "\"") { end += rest[end] == UInt8(ascii: "\\") ? 2 : 1 }
    guard end < rest.endIndex else { throw malformed }
    return try decoded(String.self, through: end)
  }

  private mutating func word() throws(DocumentNode.Malformed) -> String {
    let word = rest.prefix { "0123456789+-.Eabcdefghijklmnopqrstuvwxyz".utf8.contains($0) }
    guard let last = word.indices.last else { throw malformed }
    let text = String(decoding: word, as: UTF8.self)
    guard !["true", "false", "null"].contains(text) else {
      rest = rest[(last + 1)...]
      return text
    }
    _ = try decoded(Double.self, through: last)
    return text
  }

  /// Decodes a string or number with `JSONDecoder`, which knows the escapes.
  private mutating func decoded<Value: Decodable>(
    _ type: Value.Type, through end: Int
  ) throws(DocumentNode.Malformed) -> Value {
    guard let value = try? JSONDecoder().decode(type, from: Data(rest[...end])) else { throw malformed }
    rest = rest[(end + 1)...]
    return value
  }

  /// Returns the text without its parent's indentation. The text's last line has exactly this indentation.
  private static func outdented(_ text: ArraySlice<UInt8>) -> String {
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    let margin = lines.last?.prefix { $0 == " " } ?? ""
    return lines.map { $0.hasPrefix(margin) ? $0.dropFirst(margin.count) : $0 }.joined(separator: "\n")
  }
}
