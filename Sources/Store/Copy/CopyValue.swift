/// A value of a row that one store hands over to another store.
package enum CopyValue: Sendable, Equatable {
  case null
  case integer(Int64)
  case text(String)
  case bytes([UInt8])

  /// Returns true for the same bytes. Texts that look the same but have other bytes differ.
  package static func == (first: CopyValue, second: CopyValue) -> Bool {
    switch (first, second) {
    case (.null, .null): true
    case (.integer(let first), .integer(let second)): first == second
    case (.text(let first), .text(let second)): first.utf8.elementsEqual(second.utf8)
    case (.bytes(let first), .bytes(let second)): first == second
    default: false
    }
  }

  /// The integer. Nil for another value.
  package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
  /// The text. Nil for another value.
  package var text: String? { if case .text(let value) = self { value } else { nil } }
  /// The bytes. Nil for another value.
  package var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
}
