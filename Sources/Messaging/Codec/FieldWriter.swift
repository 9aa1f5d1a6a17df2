/// A writer of protobuf's wire format (https://protobuf.dev/programming-guides/encoding/), field by field. Like the
/// generated code, it omits fields that are zero or empty. It serves the few messages that are sent thousands of times
/// a second. Field numbers are 1 to 15. Only a nested message may have a higher number.
struct FieldWriter {
  private(set) var bytes: [UInt8] = []

  /// Creates an empty writer.
  ///
  /// - Parameter capacity: Bytes to reserve at first. The buffer grows when needed.
  init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  /// Writes a varint field.
  mutating func number(_ field: UInt8, _ value: UInt64) {
    guard value != 0 else { return }
    bytes.append(tag(field, 0))
    varint(value)
  }

  /// Writes a sint32 field.
  mutating func signed(_ field: UInt8, _ value: Int32) {
    if value != 0 { optional(field, value) }
  }

  /// Writes a sint32 field with presence: 0 is written too.
  mutating func optional(_ field: UInt8, _ value: Int32?) {
    guard let value else { return }
    bytes.append(tag(field, 0))
    varint(UInt64(UInt32(bitPattern: (value << 1) ^ (value >> 31))))
  }

  mutating func fixed64(_ field: UInt8, _ value: UInt64) {
    guard value != 0 else { return }
    // Append all nine bytes together, because an array checks its capacity at each append.
    withUnsafeTemporaryAllocation(byteCount: 9, alignment: 1) { written in
      written[0] = tag(field, 1)
      written.storeBytes(of: value.littleEndian, toByteOffset: 1, as: UInt64.self)
      bytes.append(contentsOf: written)
    }
  }

  mutating func fixed32(_ field: UInt8, _ value: UInt32) {
    guard value != 0 else { return }
    bytes.append(tag(field, 5))
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func text(_ field: UInt8, _ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      guard !utf8.isEmpty else { return }
      bytes.append(tag(field, 2))
      varint(UInt64(utf8.count))
      bytes.append(contentsOf: utf8)
    }
  }

  /// Writes a nested message, even if it is empty.
  mutating func message(_ field: UInt8, _ write: (inout FieldWriter) -> Void) {
    // A length nearly always fits in one byte. Longer lengths insert more bytes afterwards.
    varint(UInt64(field) << 3 | 2)
    bytes.append(0)
    let start = bytes.count
    write(&self)
    var length = bytes.count - start
    let extraBytes = (Int.bitWidth - 1 - length.leadingZeroBitCount) / 7
    if extraBytes > 0 { bytes.insert(contentsOf: repeatElement(0x80, count: extraBytes), at: start) }
    for index in start - 1..<start - 1 + extraBytes {
      bytes[index] = UInt8(truncatingIfNeeded: length) | 0x80
      length >>= 7
    }
    bytes[start - 1 + extraBytes] = UInt8(length)
  }

  mutating func data(_ field: UInt8, _ data: [UInt8]) {
    guard !data.isEmpty else { return }
    bytes.append(tag(field, 2))
    varint(UInt64(data.count))
    bytes.append(contentsOf: data)
  }

  /// Writes the header of every frame.
  mutating func version() {
    fixed32(1, Protocol.magic)
    number(2, UInt64(Protocol.major))
    number(3, UInt64(Protocol.minor))
  }

  /// Appends bytes that are encoded already.
  mutating func add(_ written: some Collection<UInt8>) { bytes.append(contentsOf: written) }

  /// Removes the bytes after the first `length` bytes, and returns the removed bytes as a new writer.
  mutating func cut(after length: Int) -> FieldWriter {
    var rest = FieldWriter()
    rest.add(bytes[length...])
    bytes.removeSubrange(length...)
    return rest
  }

  /// Returns the tag of a field with a scalar value, in its short form of one byte. The field number is 1 to 15.
  private func tag(_ field: UInt8, _ wireType: UInt8) -> UInt8 {
    precondition(1...15 ~= field, "A tag of one byte has a field number from 1 to 15.")
    return field << 3 | wireType
  }

  private mutating func varint(_ value: UInt64) {
    var value = value
    while value >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
      value >>= 7
    }
    bytes.append(UInt8(value))
  }
}
