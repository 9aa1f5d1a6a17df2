/// Writes protobuf's wire format (https://protobuf.dev/programming-guides/encoding/) field by field, as the generated
/// code would: what is zero or empty is left out. For the few messages of which there are thousands a second.
struct FieldWriter {
  private(set) var bytes: [UInt8] = []

  /// - Parameter capacity: bytes for which there is room at once; more are made room for when they are needed.
  init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  /// A varint field.
  mutating func number(_ field: UInt8, _ value: UInt64) {
    guard value != 0 else { return }
    bytes.append(field << 3)
    varint(value)
  }

  /// A sint32 field.
  mutating func signed(_ field: UInt8, _ value: Int32) {
    if value != 0 { optional(field, value) }
  }

  /// A sint32 field that says whether there is one: 0 is written too.
  mutating func optional(_ field: UInt8, _ value: Int32?) {
    guard let value else { return }
    bytes.append(field << 3)
    varint(UInt64(UInt32(bitPattern: (value << 1) ^ (value >> 31))))
  }

  mutating func fixed64(_ field: UInt8, _ value: UInt64) {
    guard value != 0 else { return }
    // Together: an array looks after its room at each append.
    withUnsafeTemporaryAllocation(byteCount: 9, alignment: 1) { written in
      written[0] = field << 3 | 1
      written.storeBytes(of: value.littleEndian, toByteOffset: 1, as: UInt64.self)
      bytes.append(contentsOf: written)
    }
  }

  mutating func fixed32(_ field: UInt8, _ value: UInt32) {
    guard value != 0 else { return }
    bytes.append(field << 3 | 5)
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func text(_ field: UInt8, _ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      guard !utf8.isEmpty else { return }
      bytes.append(field << 3 | 2)
      varint(UInt64(utf8.count))
      bytes.append(contentsOf: utf8)
    }
  }

  /// A message within, also where it is empty.
  mutating func message(_ field: UInt8, _ write: (inout FieldWriter) -> Void) {
    // One byte for the length, as nearly always; more are made room for when they are needed.
    varint(UInt64(field) << 3 | 2)
    bytes.append(0)
    let start = bytes.count
    write(&self)
    var length = bytes.count - start
    let more = (Int.bitWidth - 1 - length.leadingZeroBitCount) / 7
    if more > 0 { bytes.insert(contentsOf: repeatElement(0x80, count: more), at: start) }
    for index in start - 1..<start - 1 + more {
      bytes[index] = UInt8(truncatingIfNeeded: length) | 0x80
      length >>= 7
    }
    bytes[start - 1 + more] = UInt8(length)
  }

  mutating func data(_ field: UInt8, _ data: [UInt8]) {
    guard !data.isEmpty else { return }
    bytes.append(field << 3 | 2)
    varint(UInt64(data.count))
    bytes.append(contentsOf: data)
  }

  /// What every frame begins with.
  mutating func version() {
    fixed32(1, Protocol.magic)
    number(2, UInt64(Protocol.major))
    number(3, UInt64(Protocol.minor))
  }

  /// What has been written already.
  mutating func add(_ written: some Collection<UInt8>) { bytes.append(contentsOf: written) }

  /// Takes away what was written after a length.
  mutating func cut(after length: Int) -> FieldWriter {
    var rest = FieldWriter()
    rest.add(bytes[length...])
    bytes.removeSubrange(length...)
    return rest
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
