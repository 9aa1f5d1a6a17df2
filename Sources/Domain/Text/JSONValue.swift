/// Any JSON value, for input without a fixed structure.
package enum JSONValue: Decodable, Sendable, Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// Decodes a value. (`Decodable`)
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // Try the most frequent type first, because each wrong guess throws an error.
    if let string = try? container.decode(String.self) {
      self = .string(string)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let object = try? container.decode([String: JSONValue].self) {
      self = .object(object)
    } else if let array = try? container.decode([JSONValue].self) {
      self = .array(array)
    } else if let bool = try? container.decode(Bool.self) {
      self = .bool(bool)
    } else if container.decodeNil() {
      self = .null
    } else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "The number is out of range for a Double.")
    }
  }

  /// Returns a member of an object. Nil if it is absent or null, or if this value is not an object.
  package subscript(_ name: String) -> JSONValue? {
    guard case .object(let members) = self, let value = members[name], value != .null else { return nil }
    return value
  }

  /// The text, or nil if the value is not a string.
  package var string: String? { if case .string(let text) = self { text } else { nil } }

  /// The number, or nil if the value is not a number.
  package var number: Double? { if case .number(let number) = self { number } else { nil } }

  /// JavaScript's name of the value's type.
  package var typeName: String {
    switch self {
    case .null: "Null"
    case .bool: "Boolean"
    case .number: "Number"
    case .string: "String"
    case .array: "Array"
    case .object: "Object"
    }
  }
}
