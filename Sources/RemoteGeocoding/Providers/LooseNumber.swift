import Foundation

/// A number that some providers write as a string: "51.5073219".
struct LooseNumber: Decodable {
  let value: Double

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Double.self) {
      value = number
    } else if let number = Double(try container.decode(String.self)), number.isFinite {
      value = number
    } else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "neither a number nor a string of one")
    }
  }
}

/// An element of a list, or nil for an element that cannot be decoded. The list is decoded anyway.
struct LenientElement<Element: Decodable>: Decodable {
  let element: Element?

  init(from decoder: any Decoder) { element = try? Element(from: decoder) }
}

extension JSONDecoder {
  /// A decoder for providers' names with underscores. Keys of plain dictionaries remain as they are.
  static var ofProviders: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return decoder
  }
}
