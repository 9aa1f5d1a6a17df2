/// A writer of protobuf messages without a schema. The caller names each field by its number.
struct ProtobufFields {
  private(set) var bytes: [UInt8] = []

  mutating func add(_ field: Int, _ number: UInt64) {
    guard number != 0 else { return }
    varint(UInt64(field << 3))
    varint(number)
  }

  /// Adds a sint32 in zigzag form. Writes 0 too, like an optional field.
  mutating func add(_ field: Int, signed number: Int32) {
    varint(UInt64(field << 3))
    varint(UInt64(UInt32(bitPattern: number << 1 ^ number >> 31)))
  }

  mutating func add(_ field: Int, fixed number: UInt32) {
    varint(UInt64(field << 3 | 5))
    withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
  }

  mutating func add(_ field: Int, _ text: String) { if !text.isEmpty { add(field, Array(text.utf8)) } }

  mutating func add(_ field: Int, _ message: ProtobufFields) { add(field, message.bytes) }

  private mutating func add(_ field: Int, _ content: [UInt8]) {
    varint(UInt64(field << 3 | 2))
    varint(UInt64(content.count))
    bytes += content
  }

  private mutating func varint(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}

/// A reader of protobuf messages without a schema.
struct ProtobufMessage: Sendable {
  private enum Value: Sendable {
    case number(UInt64)
    case content([UInt8])
  }

  private var fields: [(number: Int, value: Value)] = []

  /// Nil if the message is truncated or malformed.
  init?(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      guard let key = ProtobufMessage.varint(&rest) else { return nil }
      let value: Value
      switch key & 7 {
      case 0:
        guard let number = ProtobufMessage.varint(&rest) else { return nil }
        value = .number(number)
      case 2:
        guard let count = ProtobufMessage.varint(&rest).flatMap({ Int(exactly: $0) }), count <= rest.count else {
          return nil
        }
        value = .content(Array(rest.prefix(count)))
        rest = rest.dropFirst(count)
      case 1, 5:
        let count = key & 7 == 1 ? 8 : 4
        guard count <= rest.count else { return nil }
        value = .number(rest.prefix(count).reversed().reduce(0) { $0 << 8 | UInt64($1) })
        rest = rest.dropFirst(count)
      default: return nil
      }
      fields.append((Int(key >> 3), value))
    }
  }

  /// Returns a number, or 0 if the field is missing.
  func number(_ field: Int) -> UInt64 {
    for case (field, .number(let number)) in fields.reversed() { return number }
    return 0
  }

  /// Returns a text, or an empty one if the field is missing.
  func text(_ field: Int) -> String {
    for case (field, .content(let bytes)) in fields.reversed() { return String(decoding: bytes, as: UTF8.self) }
    return ""
  }

  func messages(_ field: Int) -> [ProtobufMessage] {
    fields.compactMap { number, value in
      guard number == field, case .content(let bytes) = value else { return nil }
      return ProtobufMessage(bytes)
    }
  }

  private static func varint(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 7) {
      guard let byte = bytes.popFirst() else { return nil }
      value |= UInt64(byte & 0x7F) << UInt64(shift)
      if byte < 0x80 { return value }
    }
    return nil
  }
}
