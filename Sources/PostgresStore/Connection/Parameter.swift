/// A parameter of a statement, in PostgreSQL's binary format.
///
/// Arrays have one dimension. Statements name the type of each parameter, such as `$1::int8[]`, so that the server
/// never infers a type.
enum Parameter: Sendable {
  case int8(Int64?)
  case float8(Double)
  case bool(Bool)
  case text(String?)
  case bytes([UInt8]?)
  case int8s([Int64?])
  case int4s([Int32?])
  case texts([String?])
  case byteArrays([[UInt8]?])

  /// Appends the value to a buffer.
  ///
  /// - Returns: false for NULL, which has no bytes.
  func append(to buffer: inout [UInt8]) -> Bool {
    switch self {
    case .int8(let value): return buffer.append(value) { $0.append(bigEndian: $1) }
    case .float8(let value): return buffer.append(value) { $0.append(bigEndian: $1.bitPattern) }
    case .bool(let value): return buffer.append(value) { $0.append($1 ? 1 : 0) }
    case .text(let value): return buffer.append(value) { $0.append(text: $1) }
    case .bytes(let value): return buffer.append(value) { $0 += $1 }
    case .int8s(let values): buffer.append(values, ElementType.int8) { $0.append(bigEndian: $1) }
    case .int4s(let values): buffer.append(values, ElementType.int4) { $0.append(bigEndian: $1) }
    case .texts(let values): buffer.append(values, ElementType.text) { $0.append(text: $1) }
    case .byteArrays(let values): buffer.append(values, ElementType.bytea) { $0 += $1 }
    }
    return true
  }
}

/// Object ids of the built-in types. Source: PostgreSQL's catalog, pg_type.dat.
private enum ElementType {
  static let bytea: UInt32 = 17
  static let int8: UInt32 = 20
  static let int4: UInt32 = 23
  static let text: UInt32 = 25
}

extension [UInt8] {
  fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }

  /// Appends a text in UTF-8. PostgreSQL has no character U+0000, so U+FFFD replaces it. Otherwise one such text would
  /// fail all writes of its group.
  fileprivate mutating func append(text: String) {
    var text = text
    let hasZero = text.withUTF8 { utf8 in
      append(contentsOf: utf8)
      return utf8.contains(0)
    }
    guard hasZero else { return }
    removeLast(text.utf8.count)
    append(contentsOf: text.replacing("\0", with: "\u{FFFD}").utf8)
  }

  fileprivate mutating func append<Value>(_ value: Value?, _ append: (inout [UInt8], Value) -> Void) -> Bool {
    guard let value else { return false }
    append(&self, value)
    return true
  }

  /// Appends an array. Format: number of dimensions, a flag for NULLs that the server ignores, the type of the
  /// elements, the length and the lower bound, then each element behind its length. -1 stands for NULL. An empty array
  /// has no dimension. Source: PostgreSQL's array_recv.
  fileprivate mutating func append<Value>(
    _ values: [Value?], _ type: UInt32, _ append: (inout [UInt8], Value) -> Void
  ) {
    self.append(bigEndian: Int32(values.isEmpty ? 0 : 1))
    self.append(bigEndian: Int32(0))
    self.append(bigEndian: type)
    guard !values.isEmpty else { return }
    self.append(bigEndian: Int32(values.count))
    self.append(bigEndian: Int32(1))
    for value in values {
      let start = count
      self.append(bigEndian: Int32(-1))
      guard let value else { continue }
      append(&self, value)
      let length = Int32(count - start - 4)
      Swift.withUnsafeBytes(of: length.bigEndian) { replaceSubrange(start..<start + 4, with: $0) }
    }
  }
}
