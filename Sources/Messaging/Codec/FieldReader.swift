import Domain

/// A reader of protobuf's wire format (https://protobuf.dev/programming-guides/encoding/) that reads field by field,
/// without a message object.
///
/// The reader serves the few messages that arrive thousands of times a second. A caller that meets an unusual field
/// decodes the frame with the generated code instead.
///
/// The bytes must outlive the reader.
struct FieldReader {
  enum Value {
    case varint(UInt64)
    case fixed64(UInt64)
    case bytes(UnsafeRawBufferPointer)
    case fixed32(UInt32)
  }

  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }
  private var bytesLeft: Int { bytes.count - position }

  /// Returns the next field. Nil at the end, and if the bytes are not protobuf.
  @inline(__always)
  mutating func next() -> (number: Int, value: Value)? {
    guard let tag = varint(), tag >> 3 > 0, tag <= UInt64(UInt32.max) else { return nil }
    let number = Int(tag >> 3)
    switch tag & 7 {
    case 0: return varint().map { (number, .varint($0)) }
    case 1: return fixed(UInt64.self).map { (number, .fixed64($0)) }
    case 2:
      guard let length = varint(), length <= UInt64(bytes.count - position) else { return nil }
      defer { position += Int(length) }
      return (number, .bytes(UnsafeRawBufferPointer(rebasing: bytes[position..<position + Int(length)])))
    case 5: return fixed(UInt32.self).map { (number, .fixed32($0)) }
    default: return nil
    }
  }

  /// Reads the header of a frame. True if the frame has exactly this version.
  mutating func isOfThisVersion() -> Bool {
    guard case (1, .fixed32(Protocol.magic))? = next(), case (2, .varint(UInt64(Protocol.major)))? = next() else {
      return false
    }
    // The writer omits a minor version of 0.
    guard Protocol.minor > 0 else { return true }
    guard case (3, .varint(UInt64(Protocol.minor)))? = next() else { return false }
    return true
  }

  /// Returns the messages in field 1 of a message without other fields. Nil for any other message, and if `element`
  /// returns nil.
  static func elements<Element>(
    _ bytes: UnsafeRawBufferPointer, _ element: (inout FieldReader) -> Element?
  ) -> [Element]? {
    var list = FieldReader(bytes)
    var elements: [Element] = []
    while !list.isAtEnd {
      guard case (1, .bytes(let bytes))? = list.next() else { return nil }
      var fields = FieldReader(bytes)
      guard let element = element(&fields) else { return nil }
      // The other elements have about the same length.
      if elements.isEmpty { elements.reserveCapacity(1 + list.bytesLeft / (bytes.count + 2)) }
      elements.append(element)
    }
    return elements
  }

  @inline(__always)
  private mutating func varint() -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard position < bytes.count else { return nil }
      let byte = bytes[position]
      position += 1
      // The tenth byte has space for one bit.
      guard shift < 63 || byte <= 1 else { return nil }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    return nil
  }

  @inline(__always)
  private mutating func fixed<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
    let size = MemoryLayout<Number>.size
    guard bytes.count - position >= size else { return nil }
    defer { position += size }
    return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: Number.self))
  }
}

extension Int32 {
  /// Decodes protobuf's sint32. Nil if the value has more than 32 bits.
  init?(zigzag: UInt64) {
    guard let value = UInt32(exactly: zigzag) else { return nil }
    self = Int32(bitPattern: value >> 1) ^ -Int32(bitPattern: value & 1)
  }
}

extension String {
  /// Decodes UTF-8. Nil if the bytes are not UTF-8.
  init?(utf8 bytes: UnsafeRawBufferPointer) {
    // This avoids `String(validating:as:)`, which is generic and shows up in profiles.
    guard let text = try? UTF8Span(validating: bytes.assumingMemoryBound(to: UInt8.self).span) else { return nil }
    self.init(copying: text)
  }

  /// Replaces the string with the bytes. Returns false if they are not UTF-8.
  mutating func read(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let text = String(utf8: bytes) else { return false }
    self = text
    return true
  }
}
