/// Any JSON value, for what comes in forms that no type foresees.
package enum JSONValue: Decodable, Sendable, Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// As the library asks for it.
  package init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    // The commonest first: each that is not it costs an error.
    if let string = try? value.decode(String.self) {
      self = .string(string)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let object = try? value.decode([String: JSONValue].self) {
      self = .object(object)
    } else if let array = try? value.decode([JSONValue].self) {
      self = .array(array)
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if value.decodeNil() {
      self = .null
    } else {
      throw DecodingError.dataCorruptedError(in: value, debugDescription: "A number that no Double holds.")
    }
  }

  /// A member of an object; nil where it is not there or null, or this is no object.
  package subscript(_ name: String) -> JSONValue? {
    guard case .object(let members) = self, let value = members[name], value != .null else { return nil }
    return value
  }

  /// The text; nil where it is none.
  package var string: String? { if case .string(let text) = self { text } else { nil } }

  /// The number; nil where it is none.
  package var number: Double? { if case .number(let number) = self { number } else { nil } }

  /// What people who know JavaScript call its type.
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
