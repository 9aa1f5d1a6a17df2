extension PostBody {
  /// Parses a post that is an object of strings without escapes, with each name once. Most programs write this form.
  /// `RequestBody` has the same result, but takes a twelfth of a post's total cost between request and list.
  ///
  /// Returns nil for any other body, whether valid or not.
  init?(plain bytes: ArraySlice<UInt8>) {
    guard let body = bytes.withUnsafeBufferPointer({ PlainObject($0).body() }) else { return nil }
    self = body
  }
}

/// A parser of an object of strings without escapes.
private struct PlainObject {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var next = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  consuming func body() -> PostBody? {
    var (place, link, key): (String?, String?, String?)
    guard consume(UInt8(ascii: "{")) else { return nil }
    repeat {
      guard let name = text(), consume(UInt8(ascii: ":")), let value = text() else { return nil }
      switch name {
      case "place" where place == nil: place = value
      case "link" where link == nil: link = value
      case "idempotencyKey" where key == nil: key = value
      default: return nil
      }
    } while consume(UInt8(ascii: ","))
    guard consume(UInt8(ascii: "}")), let place, let link else { return nil }
    skipSpace()
    guard next == bytes.count else { return nil }
    return PostBody(place: place, link: link, latitude: nil, longitude: nil, idempotencyKey: key)
  }

  /// Skips space, tab, line feed and carriage return. (RFC 8259, section 2.)
  private mutating func skipSpace() {
    while next < bytes.count, bytes[next] == 0x20 || (0x09...0x0A).contains(bytes[next]) || bytes[next] == 0x0D {
      next += 1
    }
  }

  private mutating func consume(_ byte: UInt8) -> Bool {
    skipSpace()
    guard next < bytes.count, bytes[next] == byte else { return false }
    next += 1
    return true
  }

  /// Parses a JSON string. Returns its contents, or nil if it contains an escape or a control character.
  private mutating func text() -> String? {
    guard consume(UInt8(ascii: "\"")) else { return nil }
    let start = next
    while next < bytes.count, bytes[next] != UInt8(ascii: "\"") {
      guard bytes[next] >= 0x20, bytes[next] != UInt8(ascii: "\\") else { return nil }
      next += 1
    }
    guard next < bytes.count else { return nil }
    defer { next += 1 }
    return String(validating: bytes[start..<next], as: UTF8.self)
  }
}
